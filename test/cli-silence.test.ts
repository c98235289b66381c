/** A Core that goes away for some seconds in the middle of a run, and what each report says of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Fleet } from '../dist/fleet/types.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { type CoreReply, cli, reportsIn, type ScriptedCore, withCore } from './cli-support.js'
import { startRelay } from './support/relay.js'

const test = suite('a Core that goes away')

/** Longer than what counts as a late answer of a fast Core. */
const AWAY_MS = 2600
/** In the middle of the specs. */
const AT_REQUEST = 20
const REPORTERS = 'console,junit,json,html,markdown,ctrf,tap,github'
const ONLY = 'access-with*,access-without*,access-unknown*,revocation-rejects'
const SPECS = ['--only', ONLY, '--profile', 'quick', '--reporter', REPORTERS]
const EVENT =
  /no request was answered between [\d.]+ m?s and [\d.]+ s after the start of the run \(\d+ (try|tries) failed, the last one: nothing is listening at 127\.0\.0\.1:\d+\)/

/** Calls back with the address of a Core that dies in the middle, and comes back with all its tokens. */
function withAbsence<T>(use: (url: string, core: ScriptedCore, folder: string) => Promise<T>): Promise<T> {
  return withCore({}, async (core, folder) => {
    const relay = await startRelay([Number(core.url.port)])
    core.script.answer = (_request, _body, right) => {
      if (core.requests.length === AT_REQUEST) relay.goAway(AWAY_MS)
      return right()
    }
    try {
      return await use(`https://127.0.0.1:${relay.port}`, core, folder)
    } finally {
      await relay.close()
    }
  })
}

test('a stretch without any answer is an event with its times, in every report of a run', async () => {
  await withAbsence(async (url, core, cwd) => {
    const summary = join(cwd, 'summary.md')
    writeFileSync(summary, '')
    const env = { ...core.env, CORE_URL: url, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
    const { stdout } = await cli(['run', ...SPECS], { cwd, env, code: 0 })
    const result = reportsIn(cwd)
    const [event] = result.events ?? []
    assert.is(result.events?.length, 1)
    assert.is(event?.kind, 'no answers')
    assert.match(event?.text ?? '', EVENT)
    const lengthMs = (event?.untilMs ?? 0) - (event?.fromMs ?? 0)
    assert.ok(lengthMs >= AWAY_MS - 100 && lengthMs < AWAY_MS + 3000, `${lengthMs} ms`)
    const texts = ['junit.xml', 'report.html', 'report.md', 'ctrf.json', 'tap.txt'].map(name => [
      name,
      readFileSync(join(cwd, 'reports', name), 'utf8'),
    ])
    const [shown = '', annotations = ''] = stdout.split('::notice title=no answers::')
    for (const [name, text] of [
      ...texts,
      ['console', shown],
      ['annotations', annotations],
      ['summary', readFileSync(summary, 'utf8')],
    ])
      assert.match(text ?? '', /no request was answered between/i, name)
  })
})

test('a stop for some seconds is told right after the first answer, too', () => {
  let requests = 0
  const answer = (_: unknown, __: unknown, right: () => CoreReply): CoreReply =>
    ++requests === 2 ? { ...right(), afterMs: AWAY_MS } : right()
  return withCore({ answer }, async (core, cwd) => {
    const args = ['--only', 'access-without*', '--profile', 'quick', '--reporter', 'console', '--concurrency', '1']
    const { stdout } = await cli(['run', ...args], { cwd, env: core.env, code: 0 })
    const told = /[?] no request was answered between [\d.]+ m?s and [\d.]+ s after the start/
    assert.match(stdout.replace(/\s+/g, ' '), told)
  })
})

test('so too in every report of a fleet, with the name of the Core', async () => {
  await withAbsence(async (url, core, cwd) => {
    const target = (name: string, address: string) =>
      `  ${name}: { url: '${address}', username: anna, fingerprint: '${core.fingerprint}' }\n`
    const config = `targets:\n${target('lab-1', url)}${target('lab-2', core.url.origin)}`
    writeFileSync(join(cwd, 'core-conformance.config.yaml'), config)
    const env = { CORE_PASSWORD: core.env.CORE_PASSWORD ?? '', GITHUB_ACTIONS: 'true' }
    const { stdout } = await cli(['run', '--all-targets', ...SPECS], { cwd, env, code: 0 })
    const fleet = JSON.parse(readFileSync(join(cwd, 'reports', 'fleet.json'), 'utf8')) as Fleet
    assert.equal(schemaErrors('fleet', fleet), [])
    const events = fleet.cores.map(({ events = [] }) => events.length)
    assert.equal(events, [1, 0])
    const texts = ['fleet.json', 'junit.xml', 'report.html', 'report.md', 'ctrf.json'].map(name => [
      name,
      readFileSync(join(cwd, 'reports', name), 'utf8'),
    ])
    for (const [name, text] of [...texts, ['console', stdout]])
      assert.match(text ?? '', /no request was answered between/i, name)
    assert.match(stdout, /note +lab-1: no request was answered/)
    assert.match(stdout, /::notice title=lab-1::no request was answered/)
  })
})

test.run()
