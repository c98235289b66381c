import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertSecretless, Cli, cli, FEW, inFolder, reportsIn, resultIn, withCore } from './cli-support.js'
import { long } from './support/long.js'

const test = suite('run')

/** With the few, enough that every area of a report has something to tell; `docs-numbers.test` takes the whole suite. */
const MORE = `${FEW},access-with*,access-head-*,logon-wrong*,observe-*-token`

const ESCAPE = '\u001b['

long(test)('without a target it runs on the embedded mock Core: conformant, exit 0, with reports', () =>
  inFolder(async folder => {
    const { stdout, stderr } = await cli(['run', '--only', MORE], { cwd: folder, code: 0 })
    assert.is(stderr, '')
    assert.match(
      stdout,
      /^Core: the mock Core that comes with the suite\nplan: \d+ specs to run, seconds \(the mock Core's clock/,
    )
    assert.match(stdout, /✓ Conformant, \d+ of \d+ specs judged\n {2}\d+ specs passed, none failed\n/)
    assert.match(stdout, /target +https:\/\/127\.0\.0\.1:\d+ \(embedded mock Core\)/)
    assert.match(stdout, /\nReports: reports\/junit\.xml, reports\/result\.json, reports\/report\.html\n$/)
    assert.not.ok(stdout.includes(ESCAPE))
    assert.equal(readdirSync(join(folder, 'reports')).sort(), ['junit.xml', 'report.html', 'result.json'])
    const { verdict, target, time, tokens, counts, texts, specs } = reportsIn(folder)
    assert.equal([verdict, target.kind, time, tokens.left], ['conformant', 'mock', 'virtual', 0])
    assert.ok(counts.passed >= 10 && tokens.issued > 5)
    // The mock's tokens are long and in hex.
    for (const { request, response } of specs.flatMap(({ exchanges }) => exchanges)) {
      if (request.method === 'POST') assert.not.match(response?.body ?? '', /[0-9a-f]{20}/)
    }
    assert.match(texts, /\[token a\]/)
    assert.match(texts, /\[password\]/)
  }),
)

test('a Core of the user: conformant in real time, exit 0, nothing left behind, no secret anywhere', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const { code, stdout, stderr } = await cli(['run', '--idle-lifetime', '1s', '--only', FEW], {
      cwd: folder,
      env: core.env,
    })
    assert.is(code, 0, stdout + stderr)
    const { verdict, target, time, tokens, texts, dialect } = reportsIn(folder)
    assert.equal([verdict, target.kind, target.url, time], ['conformant', 'core', core.url.origin, 'real'])
    assert.is(target.certificateFingerprint, core.fingerprint)
    assert.is(dialect.token?.pointer, '/session/token')
    assert.equal(tokens, { issued: core.tokens.length, left: 0 })
    assert.is(core.live.size, 0)
    assert.ok(core.tokens.length > 8)
    assertSecretless([stdout, stderr, texts], core.secrets)
  }))

long(test)('--only, --specs and --reporter choose; --out is where it goes', () =>
  withCore({}, async (core, folder) => {
    mkdirSync(join(folder, 'mine'))
    writeFileSync(
      join(folder, 'mine', 'vendor.yaml'),
      'area: vendor\nspecs:\n  - id: vendor-open\n    title: ours\n    requirements: [ACCESS-2]\n    steps:\n      - { logon: a, tests: ACCESS-2 }\n',
    )
    const chosen = ['--only', 'vendor,access-with-token,logon-issues-*', '--specs', 'mine/']
    const args = ['run', ...chosen, '--out', 'a/b', '--reporter', 'json,console']
    const { stdout } = await cli(args, { cwd: folder, env: core.env, code: 0 })
    assert.equal(readdirSync(join(folder, 'a', 'b')), ['result.json'])
    assert.match(stdout, /note +only vendor, access-with-token, logon-issues-\* was selected/)
    const { specs } = resultIn(folder, 'a/b')
    const files = specs.map(({ id, file }) => [id, file])
    assert.equal(files, [
      ['access-with-token', 'specs/access.yaml'],
      ['logon-issues-token', 'specs/logon.yaml'],
      ['vendor-open', 'mine/vendor.yaml'],
    ])
  }),
)

test('without the console report there is one line that says the verdict, on stderr', () =>
  withCore({}, async (core, folder) => {
    const run = (...args: string[]) =>
      cli(['run', '--only', 'access-with-token,access-unknown-token', '--reporter', 'junit', ...args], {
        cwd: folder,
        env: core.env,
      })
    const { stdout, stderr } = await run()
    assert.is(stdout, '')
    assert.match(stderr, /^core-conformance: conformant, 2 of \d+ specs judged: 2 specs passed, none failed\n$/)
    const untested = await run('--username', 'berta')
    assert.is(untested.code, 3)
    assert.is(
      untested.stderr,
      'core-conformance: untestable: the credentials were refused: 401 Unauthorized; check CORE_USERNAME and CORE_PASSWORD\n',
    )
  }))

test('tap alone is a pipe, also in GitHub Actions', () =>
  withCore({}, async (core, folder) => {
    const only = 'access-with-token,access-unknown-token'
    const args = ['run', '--profile', 'quick', '--only', only, '--reporter', 'tap,github']
    const { stdout } = await cli(args, { cwd: folder, env: { ...core.env, GITHUB_ACTIONS: 'true' }, code: 0 })
    assert.match(stdout, /^TAP version 14\n1\.\.2\n(# .*\n)+(ok \d - .*\n){2}$/)
  }))

long(test)('a reader that goes away (`| head -1`) changes neither the reports nor the exit code', () =>
  withCore({ lifetimeMs: 1000 }, async (core, folder) => {
    const run = new Cli(['run', '--only', FEW, '--idle-lifetime', '1s'], {
      cwd: folder,
      env: core.env,
    })
    run.child.stdout.destroy()
    run.child.stderr.destroy()
    const { code, signal } = await run.ended
    assert.equal([code, signal], [0, null])
    assert.is(reportsIn(folder).verdict, 'conformant')
    assert.is(core.live.size, 0)
  }),
)

test.run()
