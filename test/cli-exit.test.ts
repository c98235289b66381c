import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  assertSecretless,
  assertUsage,
  Cli,
  cli,
  type Ended,
  FEW,
  inFolder,
  PASSWORD,
  reportsIn,
  type ScriptedCore,
  withCore,
} from './cli-support.js'
import { long } from './support/long.js'

const test = suite('exit codes')

/** Asserts the common form of exit code 3: the verdict with its reason and the next step, whole reports, no stack trace. */
function assertUntested(ended: Ended, folder: string, reason: RegExp, advice?: RegExp): void {
  const { code, stdout, stderr } = ended
  assert.is(code, 3, stdout + stderr)
  const result = reportsIn(folder)
  assert.ok(['untestable', 'incomplete'].includes(result.verdict), result.verdict)
  assert.match(result.reason, reason)
  if (advice) assert.match(result.advice ?? '', advice)
  // The console has the same text, wrapped.
  const flat = (text: string) => text.replace(/\s+/g, '')
  assert.ok(flat(stdout).includes(flat(result.reason)), stdout)
  if (result.advice) assert.ok(flat(stdout).includes(flat(`→ ${result.advice}`)), stdout)
  assert.match(stdout, /\nReports: .*junit\.xml/)
  assert.not.match(stdout + stderr, /^ +at /m)
  assertSecretless([stdout, stderr, result.texts], [PASSWORD])
}

/** Returns a port where nothing listens: the port of a closed server. */
async function closedPort(): Promise<number> {
  const server = createTcpServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => server.close(resolve))
  return port
}

long(test)('exit 2: flags, variables, .env, specs, selection and output folder; and nothing is sent', () =>
  withCore({}, async (core, folder) => {
    const run = (args: string[], env: Record<string, string> = {}) =>
      cli(['run', ...args], { cwd: folder, env: { ...core.env, ...env } })
    mkdirSync(join(folder, 'broken'))
    writeFileSync(join(folder, 'broken', 'x.yaml'), 'area: x\nspces: []\n')
    writeFileSync(join(folder, 'file'), '')
    const cases: [ended: Promise<Ended>, message: RegExp][] = [
      [run(['--traget', 'x']), /unknown option --traget/],
      [run([], { CORE_DEADLINE: '1' }), /CORE_DEADLINE must be a time/],
      [
        run(['--only', 'hots']),
        /^core-conformance: --only: no spec and no area is called 'hots'; did you mean 'host'\?\n$/,
      ],
      [
        run(['--specs', 'none']),
        /the specs have 1 problem:\nnone:1:1: cannot be read as a folder of specs: there is no such folder\n$/,
      ],
      [run(['--specs', 'broken']), /\nbroken\/x\.yaml:2:1: unknown key 'spces'; did you mean 'specs'\?\n$/],
      [
        run(['--out', 'file']),
        /Cannot create the folder file: a file of that name is in the way\. Remove it, or choose another folder with --out\./,
      ],
      [run([], { CORE_PASSWORD: '' }), /no password: set CORE_PASSWORD, in the environment or in \.env/],
      [run([], { CORE_USERNAME: '' }), /no user name: set CORE_USERNAME, or pass --username/],
    ]
    for (const [ended, message] of cases) assertUsage(await ended, message)
    writeFileSync(join(folder, '.env'), Buffer.from('CORE_OUT=x\n', 'utf16le'))
    assertUsage(await run([]), /\.env is not UTF-8 text/)
    assert.is(core.requests.length, 0)
  }),
)

test('exit 3: nothing listens there', () =>
  inFolder(async folder => {
    const env = { CORE_URL: `https://127.0.0.1:${await closedPort()}`, CORE_USERNAME: 'anna', CORE_PASSWORD: PASSWORD }
    for (const args of [[], ['--access-control', 'off']]) {
      const ended = await cli(['run', '--only', 'access,open', ...args], { cwd: folder, env })
      assertUntested(ended, folder, /nothing is listening at 127\.0\.0\.1/, /check that the Core is up/)
    }
  }))

test('exit 3: the certificate is not trusted; what the advice says works', () =>
  withCore({}, async (core, folder) => {
    const { CORE_FINGERPRINT: _pin, ...env } = core.env
    const ended = await cli(['run', '--only', 'access-with-token'], { cwd: folder, env })
    assertUntested(ended, folder, /the certificate is not trusted: it is self-signed/, /pass --fingerprint with it/)
    assert.is(core.requests.length, 0, 'not a byte of HTTP was sent')
    const told = /SHA-256 is\s+((?:[0-9A-F]{2}:\s*){31}[0-9A-F]{2})/.exec(ended.stdout)?.[1] ?? ''
    assert.is(told.replace(/\s/g, ''), core.fingerprint)
    await cli(['run', '--only', 'access-with-token', '--fingerprint', told], { cwd: folder, env, code: 0 })
  }))

test('exit 3: wrong password, tried once', () =>
  withCore({}, async (core, folder) => {
    const env = { ...core.env, CORE_PASSWORD: 'Wrong-Kanari-2' }
    const ended = await cli(['run', '--only', 'access,logon'], { cwd: folder, env })
    assertUntested(ended, folder, /the credentials were refused: 401/, /check CORE_USERNAME and CORE_PASSWORD/)
    assert.ok(core.requests.length <= 3, `${core.requests.length} requests`)
    assertSecretless([ended.stdout, ended.stderr, reportsIn(folder).texts], ['Wrong-Kanari-2'])
  }))

test('exit 3: nothing that judges was run', () =>
  withCore({}, async (core, folder) => {
    const ended = await cli(['run', '--only', 'idle', '--profile', 'quick'], { cwd: folder, env: core.env })
    assertUntested(ended, folder, /no spec that judges the Core was run/, /widen --only/)
  }))

test('exit 3: the reports cannot be written at the end; the verdict is told all the same', () =>
  withCore({}, async (core, folder) => {
    core.script.answer = (_request, _body, right) => {
      rmSync(join(folder, 'reports'), { recursive: true, force: true })
      writeFileSync(join(folder, 'reports'), '')
      return right()
    }
    const args = ['run', '--only', 'access-with-token']
    const { stdout, stderr } = await cli(args, { cwd: folder, env: core.env, code: 3 })
    assert.match(stdout, /✓ Conformant/)
    assert.not.match(stdout, /Reports:/)
    assert.match(
      stderr,
      /^core-conformance: Cannot create the folder reports: a file of that name is in the way\..*\n$/,
    )
  }))

/** Starts a run that waits for an hour, and stops it with these signals. */
async function stopped(core: ScriptedCore, folder: string, ...signals: NodeJS.Signals[]): Promise<Ended> {
  const run = new Cli(['run', '--only', FEW], { cwd: folder, env: core.env })
  await run.until(/Waiting: /)
  assert.ok(core.live.size > 0, 'tokens are live while it waits')
  for (const signal of signals) run.child.kill(signal)
  return run.ended
}

test('exit 3: SIGTERM in a wait gives back every token, and writes the reports; its journal is in nobody’s way', () =>
  withCore({}, async (core, folder) => {
    const ended = await stopped(core, folder, 'SIGTERM')
    assertUntested(ended, folder, /^the run was interrupted$/)
    assert.match(ended.stderr, /\nInterrupted: revoking tokens and writing the reports\. Once more stops at once\.\n/)
    const { counts, tokens, texts } = reportsIn(folder)
    assert.is(core.live.size, 0)
    assert.equal(tokens, { issued: core.tokens.length, left: 0 })
    assert.ok(counts.passed > 5 && counts.skipped > 0 && counts.failed === 0)
    assertSecretless([ended.stdout, ended.stderr, texts], core.secrets)
    assert.ok(existsSync(join(folder, 'reports', 'journal.ndjson')))
    // No token is live, so nothing is lost with that run.
    await cli(['run', '--profile', 'quick', '--only', 'access-with-token'], { cwd: folder, env: core.env, code: 0 })
    assert.not(existsSync(join(folder, 'reports', 'journal.ndjson')))
  }))

test('exit 1: what was seen to fail before a Ctrl-C stays a failure', () =>
  withCore({ requireHostHeader: true }, async (core, folder) => {
    const ended = await stopped(core, folder, 'SIGINT')
    assert.is(ended.code, 1)
    assert.match(reportsIn(folder).reason, /failed; then the run was interrupted$/)
    assert.is(core.live.size, 0)
  }))

test('exit 3: a second signal ends it at once, also where the Core keeps it waiting', () =>
  withCore({}, async (core, folder) => {
    const run = new Cli(['run', '--only', 'idle-expires', '--deadline', '1m'], { cwd: folder, env: core.env })
    await run.until(/Waiting: /)
    core.script.answer = () => 'hang'
    run.child.kill('SIGINT')
    await run.until(/Interrupted/)
    const startedMs = performance.now()
    run.child.kill('SIGINT')
    const { code, signal, stderr } = await run.ended
    assert.equal([code, signal], [3, null])
    assert.ok(performance.now() - startedMs < 30_000, 'far less than the deadline of an exchange')
    assert.not.match(stderr, /^ +at /m)
  }))

test('exit 3, and never 1: a fault of the program itself, told by its place and without the values in it', () =>
  inFolder(async folder => {
    // Fails in the middle of the program, like a bug of its own.
    const fault = `const timer = setInterval(() => {
  if (process.listenerCount('uncaughtException') === 0) return
  clearInterval(timer)
  JSON.parse('{"token": Kanari-Token-4}')
}, 1)
`
    writeFileSync(join(folder, 'fault.cjs'), fault)
    const env = { NODE_OPTIONS: `--require ${join(folder, 'fault.cjs')}` }
    const { stdout, stderr } = await cli(['run'], { cwd: folder, env, code: 3 })
    assert.match(stderr, /^core-conformance: internal error \(SyntaxError at [^)]+\); the Core was not judged/)
    assertSecretless([stdout, stderr], ['Kanari-Token-4', 'Kanari-Tok'])
  }))

test.run()
