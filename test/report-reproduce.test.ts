/** Failures are reproduced from the reports: by the command line, and by the script for curl and openssl. */
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { run, startMockCore } from '../dist/index.js'
import { scriptOf } from '../dist/report/by-hand.js'
import { REPORTERS } from '../dist/report/reporters.js'
import { rerunLine, rerunNeeds } from '../dist/report/reproduce.js'
import { word } from '../dist/report/shell.js'
import type { RunResult } from '../dist/result.js'
import { exchange, result, spec, step } from './fixtures/results/results.js'
import { failing } from './fixtures/results/samples.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('reproductions')
const execute = promisify(execFile)

/** Holds characters with a meaning in a shell, in JSON and in a URL. */
const PASSWORD = `p"a's$HOME\\ \`x`

/** Runs a script, which gets nothing from this process's environment but the path. Returns its last line and how it ended. */
async function ended(
  script: string,
  given: Record<string, string>,
): Promise<{ code: number; stdout: string; last: string }> {
  const env = { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), ...given }
  const { code, stdout } = await execute('sh', ['-c', script], { env, timeout: 240_000 }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout }) => ({ code, stdout }),
  )
  return { code, stdout, last: stdout.trimEnd().split('\n').at(-1) ?? '' }
}

/**
 * Each defect with specs that see it, one of each kind: plain, without Host, over HTTP/1.0, behind another, resumed, on a connection
 * that is kept, after many uses, of a family, with a token that the logon should not
 * have issued, without an answer.
 */
const DEFECTS: [defect: string, specs: string[]][] = [
  [
    'revoke-does-nothing',
    ['revocation-rejects', 'connections-behind-revoked-token', 'connections-resumed-revoked-token'],
  ],
  ['host-missing-answered-400', ['host-missing-access-http11', 'host-missing-logon-http10']],
  ['access-authorization-remembered', ['access-same-connection', 'variations-requests']],
  ['logon-token-is-password', ['logon-repeated']],
  ['access-token-usable-five-times', ['access-token-lasts']],
  ['host-missing-logon-issues-token', ['host-missing-issues-nothing-http11']],
  ['host-missing-connection-dropped', ['host-missing-access-http11']],
  ['open-head-needs-token', ['open-shapes']],
  ['open-pipelined-needs-token', ['open-behind']],
]

for (const [index, [defect, only]] of DEFECTS.entries()) {
  const every = index < 1 ? test : long(test)
  every(
    `by hand a script says REPRODUCED on the faulty Core and NOT REPRODUCED on a right one: ${defect}`,
    async () => {
      // This Core makes a token of the password.
      const isPlain = defect === 'logon-token-is-password'
      const accessControl = defect.startsWith('open-') ? 'off' : 'on'
      const at = { username: 'admin', password: isPlain ? 'Kanari-1234' : PASSWORD, accessControl } as const
      const given = (url: string) => ({ CORE_URL: url, CORE_PASSWORD: at.password })
      const [mock, right] = [await startMockCore({ ...at, defect }), await startMockCore(at)]
      try {
        const result = await run({ target: mock.url, insecure: true, ...at, only, explore: '0' })
        const failed = result.specs.filter(({ outcome }) => outcome === 'failed')
        assert.equal(failed.map(({ id }) => id).sort(), [...only].sort())
        for (const each of failed) {
          const script = scriptOf(result, each)
          assert.ok(script, each.id)
          assert.not.ok(script?.includes(at.password), 'no secret is in it')
          assert.not.match(script ?? '', /\[made |\[withheld/, each.id)
          const [onFaulty, onRight] = await Promise.all([mock, right].map(core => ended(script ?? '', given(core.url))))
          assert.ok(onFaulty && onRight)
          assert.match(onFaulty.last, /^REPRODUCED: /, `${each.id}\n${onFaulty.stdout}`)
          assert.is(onFaulty.code, 1)
          assert.match(onRight.last, /^NOT REPRODUCED: /, `${each.id}\n${onRight.stdout}`)
          assert.is(onRight.code, 0)
        }
        const left = readdirSync(tmpdir()).filter(name => name.startsWith('tmp.'))
        assert.equal(left, [], 'no session is left')
      } finally {
        await mock.close()
        await right.close()
      }
    },
  )
}

test('a script that gets nowhere says so, and is neither: no password, a wrong one, no Core', async () => {
  const at = { username: 'admin', password: PASSWORD }
  const mock = await startMockCore({ ...at, defect: 'revoke-does-nothing' })
  try {
    const result = await run({ target: mock.url, insecure: true, ...at, only: ['revocation-rejects'], explore: '0' })
    const [failed] = result.specs
    const script = (failed && scriptOf(result, failed)) ?? ''
    for (const [given, told] of [
      [{ CORE_URL: mock.url }, /^CANNOT TELL: set CORE_PASSWORD, or run this on a terminal$/],
      [{ CORE_URL: mock.url, CORE_PASSWORD: 'wrong' }, /^CANNOT TELL: no token came of a logon \(HTTP\/1.1 401/],
      [{ CORE_URL: 'https://127.0.0.1:1', CORE_PASSWORD: PASSWORD }, /^CANNOT TELL: no token came of a logon/],
    ] as const) {
      const { code, last } = await ended(script, given)
      assert.match(last, told)
      assert.is(code, 2)
    }
  } finally {
    await mock.close()
  }
})

test('there is no script of what a run made of a token or of the password', () => {
  const failed = (family: string, variation: string, body?: string) => {
    const expected = `each of 9 variations of ${family}: rejected`
    const request = { ...exchange().request, ...(body && { body }) }
    const steps = [step({ outcome: 'miss', expected, got: `1 of 9 got through: ${variation} (200)`, missed: [0] })]
    return spec({ outcome: 'failed', steps, exchanges: [exchange({ variation, request })] })
  }
  const script = (of: ReturnType<typeof failed>) => scriptOf(result([of]), of)
  assert.ok(script(failed('request-paths', 'a slash behind it')))
  assert.is(script(failed('token-lookalikes', 'doubled')), undefined)
  assert.is(script(failed('schemes', 'Basic, as the password')), undefined)
  for (const way of ['a connection of TLS 1.2', 'a tab behind the colons', 'an empty line before it, a cookie'])
    assert.is(script(failed('shapes', way)), undefined, way)
  assert.is(script(failed('wrong-credentials', 'twice', '{"password":"[made of the password]"}')), undefined)
})

test('the command line repeats the run: another lifetime, another path, a found spec, one of the user', () => {
  const failed = spec({ id: 'x', outcome: 'failed' })
  const of = (configuration: Partial<RunResult['configuration']>, change: Partial<RunResult> = {}) => {
    const plain = result([failed], change)
    return { ...plain, configuration: { ...plain.configuration, ...configuration } }
  }
  const line = (flags: string) => `core-conformance run ${flags}--only x --out reports/rerun/x`
  const at = '--target https://10.0.0.5 '
  assert.is(rerunLine(of({}), failed, false), line(at))
  assert.is(rerunLine(of({}), failed), line(`${at}--fingerprint ${Array(32).fill('AB').join(':')} `))
  const other = of({ idleLifetimeMs: 5000, idleTolerance: 0.1, probePath: '/api/a b', accessControl: 'off' })
  const flags = "--access-control off --idle-lifetime 5s --idle-tolerance 10% --probe-path '/api/a b' "
  assert.is(rerunLine(other, failed, false), line(at + flags))
  const own = spec({ id: 'x', outcome: 'failed', file: 'their specs/a.yaml', isOwn: true })
  assert.is(rerunLine(of({}), own, false), line(`${at}--specs 'their specs' `))
  const core = of({}, { target: { ...of({}).target, flags: { username: 'lab user', 'ca-file': 'ca.pem' } } })
  assert.is(rerunLine(core, failed), line(`${at}--username 'lab user' --ca-file ca.pem `), 'the CA says whom to trust')
  const named = { target: 'lab-2', config: 'lab.yaml', insecure: true as const }
  const lab = of({}, { target: { ...of({}).target, flags: named } })
  assert.is(rerunLine(lab, failed), line('--target lab-2 --config lab.yaml --insecure '))
  assert.is(rerunNeeds(core), 'the password is taken from CORE_PASSWORD')
  assert.match(rerunNeeds(of({})) ?? '', /CORE_USERNAME and CORE_PASSWORD/)
  assert.is(rerunLine(of({}, { target: { url: 'https://127.0.0.1:1', kind: 'mock' } }), failed), line(''))
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
  const folder = makeFolder()
  const dialect = { ...result([]).dialect, token: { pointer: `/${evil}`, length: 3, alphabet: evil } }
  const script = scriptOf(result([hostile], { target: { url: evil, kind: 'core' }, dialect }), hostile) ?? ''
  assert.ok(script)
  // A curl that reaches no server.
  writeFileSync(join(folder, 'curl'), '#!/bin/sh\ncat >/dev/null\n')
  chmodSync(join(folder, 'curl'), 0o755)
  const env = { PATH: `${folder}:${process.env.PATH}`, CORE_USERNAME: 'u', CORE_PASSWORD: 'p' }
  const { code } = await execute('sh', ['-c', script], { env, cwd: folder, timeout: 20_000 }).catch(error => error)
  assert.is(code, 2, 'it cannot tell')
  assert.equal(readdirSync(folder), ['curl'])
})

test.run()
