/** How far a run of a slow Core is, where nobody looks at a terminal. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Cli, cli, withCore } from './cli-support.js'
import { long } from './support/long.js'
import { type Relay, startRelay } from './support/relay.js'

const test = suite('progress in a log')

/** So slow that the specs below take longer than a log may be silent. */
const ANSWERS_AFTER_MS = 700
const ARGS = ['--only', 'access,revocation,logon', '--profile', 'quick', '--explore', '0']

long(test)(
  'the estimate is made of the latency; a log has a line within 30 s, and stdout what was asked for',
  async () => {
    await withCore({}, async (core, cwd) => {
      const slowly = () => startRelay([Number(core.url.port)], { answersAfterMs: ANSWERS_AFTER_MS })
      const fronts = await Promise.all([slowly(), slowly()])
      const target = ({ port }: Relay, index: number) =>
        `  lab-${index + 1}: { url: 'https://127.0.0.1:${port}', username: anna, fingerprint: '${core.fingerprint}' }\n`
      writeFileSync(join(cwd, 'core-conformance.config.yaml'), `targets:\n${fronts.map(target).join('')}`)
      const env = { CORE_PASSWORD: core.env.CORE_PASSWORD ?? '' }
      const people = new Cli(['run', '--target', 'lab-1', ...ARGS, '--out', 'people'], { cwd, env })
      const fleet = new Cli(['run', '--all-targets', ...ARGS, '--out', 'fleet'], { cwd, env })
      try {
        await people.until(/plan: this Core answers in [\d.]+ m?s, so the requests take (about|less than) [\d.]+ .*\n/)
        const running =
          /Running: (\d+) of about (\d+) requests sent, \d+ of \d+ specs done; (about|less than) .* left\.\n/
        await people.until(running)
        await fleet.until(/0 of 2 Cores done, 2 under way with \d+ of \d+ specs done; (about|less than) .* left\.\n/)
        assert.not.match(people.stdout, 'Running')
      } finally {
        for (const { child } of [people, fleet]) child.kill('SIGKILL')
        await Promise.all([people.ended, fleet.ended])
        await Promise.all(fronts.map(front => front.close()))
      }
    })
  },
)

long(test)('contracts verify and client have a line within 30 s, too', () =>
  withCore({}, async (core, cwd) => {
    assert.is((await cli(['run', '--only', 'idle-expires', '--explore', '0', '--consumer', 'app'], { cwd })).code, 0)
    const contract = join('contracts', 'app-core.json')
    const verify = new Cli(['contracts', 'verify', contract, '--idle-lifetime', '1h'], { cwd, env: core.env })
    const hangs = ['--', process.execPath, '-e', 'setTimeout(() => {}, 60_000)']
    const client = new Cli(['client', '--scenario', 'normal,slow', ...hangs], { cwd })
    try {
      await verify.until(/Waiting: (\d+) interactions? until .*\n(.*\n)*?Waiting: \1 interactions? until/)
      await client.until(/normal: [^\n]*\nRunning: 0 of 2 scenarios done\.\n/)
    } finally {
      for (const { child } of [verify, client]) child.kill('SIGINT')
      await Promise.all([verify.ended, client.ended])
    }
  }),
)

test('a fast run says nothing of that', async () => {
  await withCore({}, async (core, cwd) => {
    const { stdout, stderr } = await cli(['run', '--only', 'access-with-token', '--explore', '0'], {
      cwd,
      env: core.env,
    })
    assert.match(stdout, /plan: 1 spec to run, no waiting/)
    assert.not.match(stdout + stderr, /answers in|Running/)
  })
})

test.run()
