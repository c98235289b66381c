/** Failures are reproduced from the reports: by the command line, and by the script for curl and openssl. */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run, startMockCore } from '../dist/index.js'
import { REPORTERS } from '../dist/report/index.js'
import { rerunLine, rerunNeeds, scriptOf } from '../dist/report/reproduce.js'
import { word } from '../dist/report/shell.js'
import type { RunResult, SpecRecord } from '../dist/result.js'
import { exchange, result, spec, step } from './fixtures/results/results.js'
import { failing } from './fixtures/results/samples.js'

const test = suite('reproductions')
const execute = promisify(execFile)

/** Holds characters with a meaning in a shell, in JSON and in a URL. */
const PASSWORD = `p"a's$HOME\\ \`x`

/** Returns the output of a script that gets nothing from this process's environment but the path. */
async function printed(script: string, url: string): Promise<string> {
  const env = {
    PATH: process.env.PATH ?? '',
    TMPDIR: tmpdir(),
    CORE_URL: url,
    CORE_USERNAME: 'admin',
    CORE_PASSWORD: PASSWORD,
  }
  const { stdout } = await execute('sh', ['-c', script], { env, timeout: 240_000 })
  return stdout
}

/** Returns the status lines of a script; the last one belongs to the request that showed the failure. */
function statuses(stdout: string): number[] {
  return [...stdout.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)].map(([, status]) => Number(status))
}

/** Returns the status that a failed spec saw first. */
function seen({ steps }: SpecRecord): number {
  return Number(/\d{3}/.exec(steps.find(({ outcome }) => outcome === 'miss')?.got ?? '')?.[0])
}

/**
 * Each defect with specs that see it, one of each kind: plain, without Host, over HTTP/1.0, behind another, resumed, of a
 * family.
 */
const DEFECTS: [defect: string, specs: string[]][] = [
  [
    'revoke-does-nothing',
    ['revocation-rejects', 'revocation-head', 'connections-behind-revoked-token', 'connections-resumed-revoked-token'],
  ],
  [
    'host-missing-answered-400',
    ['host-missing-access-http11', 'host-missing-logon-http10', 'host-missing-revoke-http11'],
  ],
]

for (const [defect, only] of DEFECTS) {
  test(`by hand the same is seen as by the run: ${defect}`, async () => {
    const mock = await startMockCore({ username: 'admin', password: PASSWORD, defect })
    try {
      const ended = await run({
        target: mock.url,
        insecure: true,
        username: 'admin',
        password: PASSWORD,
        only,
        explore: '0',
      })
      const failed = ended.specs.filter(({ outcome }) => outcome === 'failed')
      assert.equal(failed.map(({ id }) => id).sort(), [...only].sort())
      for (const each of failed) {
        const script = scriptOf(ended, each)
        assert.ok(script, each.id)
        assert.not.ok(script?.includes(PASSWORD), 'no secret is in it')
        assert.is(statuses(await printed(script ?? '', mock.url)).at(-1), seen(each), each.id)
      }
    } finally {
      await mock.close()
    }
  })
}

test('the command line repeats the run: another lifetime, another path, a found spec, one of the user', () => {
  const failed = spec({ id: 'x', outcome: 'failed' })
  const of = (configuration: Partial<RunResult['configuration']>, change: Partial<RunResult> = {}) => {
    const plain = result([failed], change)
    return { ...plain, configuration: { ...plain.configuration, ...configuration } }
  }
  const SHA = Array(32).fill('AB').join(':')
  assert.is(
    rerunLine(of({}), failed, false),
    'core-conformance run --target https://10.0.0.5 --only x --out reports/rerun/x',
  )
  assert.is(
    rerunLine(of({}), failed),
    `core-conformance run --target https://10.0.0.5 --fingerprint ${SHA} --only x --out reports/rerun/x`,
  )
  assert.is(
    rerunLine(
      of({ idleLifetimeMs: 5000, idleTolerance: 0.1, probePath: '/api/a b', accessControl: 'off' }),
      failed,
      false,
    ),
    "core-conformance run --target https://10.0.0.5 --access-control off --idle-lifetime 5s --idle-tolerance 10% --probe-path '/api/a b' --only x --out reports/rerun/x",
  )
  const own = spec({ id: 'x', outcome: 'failed', file: 'their specs/a.yaml', isOwn: true })
  assert.match(rerunLine(of({}), own), / --specs 'their specs' --only x --out reports\/rerun\/x$/)
  const flags = { username: 'lab user', 'ca-file': 'ca.pem' }
  const core = { ...of({}).target, flags }
  const line =
    "core-conformance run --target https://10.0.0.5 --username 'lab user' --ca-file ca.pem --only x --out reports/rerun/x"
  assert.is(rerunLine(of({}, { target: core }), failed), line, 'the CA says whom to trust')
  const lab = { ...core, flags: { target: 'lab-2', config: 'lab.yaml', insecure: true as const } }
  assert.is(
    rerunLine(of({}, { target: lab }), failed),
    'core-conformance run --target lab-2 --config lab.yaml --insecure --only x --out reports/rerun/x',
  )
  assert.match(rerunNeeds(of({}, { target: core })) ?? '', /^the password is taken from CORE_PASSWORD$/)
  assert.match(rerunNeeds(of({})) ?? '', /CORE_USERNAME and CORE_PASSWORD/)
  const mock = { url: 'https://127.0.0.1:1', kind: 'mock' as const }
  assert.is(rerunLine(of({}, { target: mock }), failed), 'core-conformance run --only x --out reports/rerun/x')
})

test('each report with a line to rerun says where the password comes from, where one is needed', async () => {
  const needs = rerunNeeds(failing)
  assert.ok(needs)
  const ofMock: RunResult = { ...failing, target: { url: 'https://127.0.0.1:1', kind: 'mock' } }
  /** Leaves out elements of HTML, and what Markdown puts before a character. */
  const wordsOf = (text: string) =>
    (/^<!doctype/i.test(text) ? text.replaceAll(/<[^>]*>/g, '') : text).replaceAll('\\', '')
  let shown = 0
  for (const { name, render } of REPORTERS) {
    const plain = { columns: 400, color: false }
    const text = await render(failing, plain)
    if (!text.includes('core-conformance run --target')) continue
    shown++
    const told = wordsOf(text).toLowerCase()
    assert.ok(told.includes(needs.toLowerCase()), `${name} does not say: ${needs}`)
    assert.not.match(wordsOf(await render(ofMock, plain)), /taken from CORE_/, name)
  }
  assert.ok(shown >= 4, 'the console, JUnit, Markdown and the page have it')
})

test('a word of the shell is what it was made of, and secrets become variables', () => {
  assert.is(word('GET'), 'GET')
  assert.is(word(`it's $(rm -rf ~) \`x\``), `'it'\\''s $(rm -rf ~) \`x\`'`)
  assert.is(word('Bearer [token a]'), `"Bearer \${token_a}"`)
  assert.is(word('$(x) [password]'), '"\\$(x) $CORE_PASSWORD"')
  // Text that was never hidden stays text.
  assert.is(word('[object Object]'), "'[object Object]'")
})

test('what a Core answers, and what a result of others holds, runs nothing', async () => {
  const evil = `$(touch pwned) \`touch pwned\` '; touch pwned; ' "; touch pwned; "\ntouch pwned\n`
  const hostile = spec({
    id: 'x',
    title: evil,
    outcome: 'failed',
    steps: [step({ text: evil, outcome: 'miss', expected: evil, got: evil })],
    exchanges: [
      exchange({ request: { method: evil, path: evil, httpVersion: '1.1', headers: [['X', evil]], body: evil } }),
    ],
  })
  const folder = mkdtempSync(join(tmpdir(), 'core-conformance-evil-'))
  try {
    const dialect = { ...result([]).dialect, token: { pointer: `/${evil}`, length: 3, alphabet: evil } }
    const script = scriptOf(result([hostile], { target: { url: evil, kind: 'core' }, dialect }), hostile) ?? ''
    assert.ok(script)
    // A curl that reaches no server.
    writeFileSync(join(folder, 'curl'), '#!/bin/sh\ncat >/dev/null\n')
    chmodSync(join(folder, 'curl'), 0o755)
    const env = { PATH: `${folder}:${process.env.PATH}`, CORE_USERNAME: 'u', CORE_PASSWORD: 'p' }
    await execute('sh', ['-c', script], { env, cwd: folder, timeout: 20_000 })
    assert.equal(readdirSync(folder), ['curl'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.run()
