/** `diff` of Cores that are run for it, as a user meets it: processes, TLS sockets, files. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Diff } from '../dist/diff/types.js'
import { type MockCore, type MockCoreOptions, startMockCore } from '../dist/index.js'
import { schemaErrors } from '../dist/suite/schema.js'
import { assertSecretless, Cli, cli, FEW, inFolder, PASSWORD, reportsIn } from './cli-support.js'

const test = suite('diff of live Cores')
const OTHER = 'Zeisig "pw" &<ö>/2'
const dialect = fileURLToPath(new URL('../contracts/dialects/rejections-403.yaml', import.meta.url))

/** Two Cores, and a folder with a configuration file that names them `old` and `new`. */
async function withCores(
  options: MockCoreOptions,
  use: (given: { folder: string; old: MockCore; young: MockCore; env: Record<string, string> }) => Promise<void>,
  { real = false } = {},
): Promise<void> {
  const old = await startMockCore({ username: 'anna', password: PASSWORD, ...(real && { idleLifetime: 60_000 }) })
  const young = await startMockCore({ username: 'bert', password: OTHER, ...options })
  const target = (core: MockCore, name: string) => `  ${name}:
    url: ${core.url}
    username: ${core.credentials.username}
    fingerprint: "${core.certificateFingerprint}"
${real ? '' : `    control-url: ${core.control.url}\n`}`
  try {
    await inFolder(async folder => {
      writeFileSync(
        join(folder, 'core-conformance.config.yaml'),
        `targets:\n${target(old, 'old')}${target(young, 'new')}    firmware: 4.2.0\n`,
      )
      const keys = { CORE_CONTROL_KEY_OLD: old.control.key, CORE_CONTROL_KEY_NEW: young.control.key }
      const env = { CORE_PASSWORD: PASSWORD, CORE_PASSWORD_NEW: OTHER, ...(!real && keys) }
      await use({ folder, old, young, env })
    })
  } finally {
    await old.close()
    await young.close()
  }
}

function diffIn(folder: string, out = 'reports'): Diff {
  const diff = JSON.parse(readFileSync(join(folder, out, 'diff.json'), 'utf8')) as Diff
  assert.equal(schemaErrors('diff', diff), [])
  return diff
}

const found = ({ comparisons }: Diff) =>
  (comparisons[0]?.differences ?? []).map(({ rule, subject }) => `${rule} ${subject}`)

test('two Cores by their names: both are run, each into its folder, and compared; so is a result with a Core', async () => {
  await withCores({ dialect }, async ({ folder, old, young, env }) => {
    const { code, stdout, stderr } = await cli(['diff', 'old', 'new'], { cwd: folder, env })
    assert.is(code, 1, stderr)
    const diff = diffIn(folder)
    assert.equal(
      diff.runs.map(({ name, file, verdict }) => [name, file, verdict]),
      [
        ['old', 'reports/1-old/result.json', 'conformant'],
        ['new 4.2.0', 'reports/2-new/result.json', 'conformant'],
      ],
    )
    assert.ok(found(diff).includes('token-refusal-status expired-token.status'))
    assert.not.ok(found(diff).some(text => text.startsWith('spec-')))
    assert.match(stdout, /^old \(https:\S+\): plan: \d+ specs, about 1 h 4 min, up to \d+ tokens held\nnew \(https/)
    assert.is(stderr, '')
    const texts = ['1-old', '2-new'].map(name => reportsIn(folder, `reports/${name}`).texts)
    assertSecretless([stdout, JSON.stringify(diff), ...texts], [PASSWORD, OTHER])
    for (const core of [old, young]) assert.is(core.state().tokens.live, 0, 'nothing is left behind')
    for (const name of ['1-old', '2-new']) assert.not(existsSync(join(folder, 'reports', name, 'journal.ndjson')))

    const args = ['diff', 'reports/1-old/result.json', old.url, '--out', 'later', '--quiet']
    const trust = ['--fingerprint', old.certificateFingerprint, '--control-url', old.control.url, '--username', 'anna']
    const again = await cli([...args, ...trust], {
      cwd: folder,
      env: { ...env, CORE_CONTROL_KEY: old.control.key },
    })
    assert.is(again.code, 0, again.stderr)
    assert.equal(found(diffIn(folder, 'later')), [])
    assert.match(again.stdout, /^old → 127\.0\.0\.1:\d+: no differences; \d+ specs compared\n\n✓ No differences\n/)
  })
})

test('a Core that cannot be tested is named, the other one is stopped, and nothing is compared', async () => {
  // A port that nobody listens at, since whoever did has gone.
  const gone = createServer()
  const port = await new Promise<number>(resolve =>
    gone.listen(0, '127.0.0.1', () => resolve((gone.address() as { port: number }).port)),
  )
  await new Promise(resolve => gone.close(resolve))
  await withCores(
    {},
    async ({ folder, old, young, env }) => {
      writeFileSync(join(folder, 'diff.json'), 'of an earlier comparison')
      const nobody = `https://127.0.0.1:${port}`
      const dead = await cli(['diff', 'old', nobody, '--username', 'anna', '--out', '.'], { cwd: folder, env })
      assert.is(dead.code, 3)
      assert.match(
        dead.stderr,
        new RegExp(`: 127.0.0.1:${port} \\(${nobody}\\) cannot be tested: nothing is listening`),
      )
      assert.match(dead.stderr, /so the run of old was stopped, and nothing was compared; put that right/)
      assert.not(existsSync(join(folder, 'diff.json')))
      assert.is(old.state().tokens.live, 0)

      const wrong = ['--fingerprint', old.certificateFingerprint, '--quiet']
      const untrusted = await cli(['diff', 'old', 'new', ...wrong], { cwd: folder, env })
      assert.is(untrusted.code, 3)
      assert.match(untrusted.stderr, /: new \(https:\S+\) cannot be tested: the certificate/)
      assert.match(untrusted.stderr, /give one --fingerprint for each, in the order of the operands/)
      assert.not.match(untrusted.stderr, /: old \(https:\S+\) cannot be tested/)

      const refused = await cli(['diff', 'old', 'new'], { cwd: folder, env: { CORE_PASSWORD: PASSWORD } })
      assert.is(refused.code, 3)
      assert.match(refused.stderr, /: new \(https:\S+\) cannot be tested: the credentials were refused/)
      assert.match(refused.stderr, /CORE_PASSWORD_NAME is the password of the target NAME/)
      assertSecretless(
        [dead, untrusted, refused].map(({ stdout, stderr }) => stdout + stderr),
        [PASSWORD, OTHER],
      )

      const sent = [old, young].map(core => core.state().requests)
      const { CORE_PASSWORD: _all, ...some } = env
      const missing = await cli(['diff', 'new', 'old'], { cwd: folder, env: some })
      assert.is(missing.code, 2)
      assert.match(missing.stderr, /no password for old: set CORE_PASSWORD_OLD or CORE_PASSWORD, /)
      assert.equal(
        [old, young].map(core => core.state().requests),
        sent,
        'nothing was sent',
      )
    },
    { real: true },
  )
})

test('Ctrl-C: both runs give their tokens back, nothing is compared, and resume finishes each', async () => {
  await withCores(
    { idleLifetime: 60_000 },
    async ({ folder, old, young, env }) => {
      const process = new Cli(['diff', 'old', 'new', '--idle-lifetime', '1m', '--only', FEW], { cwd: folder, env })
      await process.until(/Waiting: .*\d+ specs?, .* of \d+ done/)
      writeFileSync(join(folder, 'reports/diff.md'), 'of an earlier comparison')
      const second = await cli(['diff', 'old', 'new'], { cwd: folder, env })
      assert.is(second.code, 2)
      assert.match(second.stderr, /a run is under way in reports\/1-old/)
      assert.ok(existsSync(join(folder, 'reports/diff.md')), 'what is refused takes nothing away')
      process.child.kill('SIGINT')
      const { code, stdout, stderr } = await process.ended
      assert.is(code, 3, stderr)
      assert.match(stderr, /interrupted: old, new; nothing was compared/)
      for (const name of ['1-old', '2-new']) {
        assert.match(stderr, new RegExp(`finish \\w+ with: core-conformance resume --out reports/${name}\n`))
        assert.is(reportsIn(folder, `reports/${name}`).verdict, 'incomplete')
        assert.ok(existsSync(join(folder, 'reports', name, 'journal.ndjson')))
      }
      assert.not(existsSync(join(folder, 'reports/diff.json')))
      for (const core of [old, young]) assert.is(core.state().tokens.live, 0)
      assertSecretless([stdout, stderr], [PASSWORD, OTHER])
      // The password of the target at that URL, though the journal names no target of the file.
      const abandoned = await cli(['resume', '--abandon', '--out', 'reports/2-new'], { cwd: folder, env })
      assert.is(abandoned.code, 0, abandoned.stderr)
      // An unfinished run is compared as far as it got, and that is not taken for the whole.
      const results = ['1-old', '2-new'].map(name => `reports/${name}/result.json`)
      const { code: part, stdout: told } = await cli(['diff', ...results], { cwd: folder })
      assert.is(part, 3)
      assert.match(told, /\? Nothing breaking seen, but a run is unfinished/)
    },
    { real: true },
  )
})

test('two names for what presents one certificate: that is told', async () => {
  await withCores({}, async ({ folder, old, env }) => {
    const twin = old.url.replace('127.0.0.1', 'localhost')
    const trust = ['--fingerprint', old.certificateFingerprint, '--username', 'anna', '--only', FEW]
    const args = ['diff', old.url, twin, ...trust, '--profile', 'quick', '--quiet']
    const { stderr } = await cli(args, { cwd: folder, env })
    assert.match(
      stderr,
      /warning: 127\.0\.0\.1:\d+ and localhost:\d+ presented the same certificate; if they are one Core/,
    )
  })
})

test.run()
