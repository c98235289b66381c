import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import {
  assertSecretless,
  assertUsage,
  Cli,
  cli,
  FEW,
  inFolder,
  makeFolder,
  PASSWORD,
  reportsIn,
} from './cli-support.js'

const test = suite<{ folder: string; mock: Cli; told: Told }>('mock')

/** The output of a mock that is ready. */
interface Told {
  url: string
  fingerprint: string
  controlUrl: string
  key: string
}

async function ready(mock: Cli): Promise<Told> {
  const pattern =
    /^Mock Core {4}(https:\/\/127\.0\.0\.1:\d+)\nCertificate {2}((?:[0-9A-F]{2}:){31}[0-9A-F]{2})\nControl {6}(http:\/\/127\.0\.0\.1:\d+)\nControl key {2}([0-9a-f]{64})\n/
  const [, url = '', fingerprint = '', controlUrl = '', key = ''] = await mock.until(pattern)
  return { url, fingerprint, controlUrl, key }
}

/** Runs a mock in another process during the callback. */
async function withMock<T>(
  args: string[],
  env: Record<string, string>,
  use: (mock: Cli, told: Told, folder: string) => Promise<T>,
): Promise<T> {
  return inFolder(async folder => {
    const mock = new Cli(['mock', ...args], { cwd: folder, env: { CORE_PASSWORD: PASSWORD, ...env } })
    try {
      return await use(mock, await ready(mock), folder)
    } finally {
      mock.child.kill('SIGTERM')
      await mock.ended
    }
  })
}

interface State {
  nowMs: number
  tokens: Record<string, number>
  requests: number
  refusedLogons: number
}

async function stateOf({ controlUrl, key }: Told): Promise<State> {
  const response = await fetch(`${controlUrl}/state`, { headers: { Authorization: `Bearer ${key}` } })
  assert.is(response.status, 200)
  return (await response.json()) as State
}

function certificateOf(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.toString() ?? '')
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

test.before(async context => {
  context.folder = makeFolder()
  context.mock = new Cli(['mock', '--username', 'anna'], { cwd: context.folder, env: { CORE_PASSWORD: PASSWORD } })
  context.told = await ready(context.mock)
})
test.after(async ({ folder, mock }) => {
  mock.child.kill('SIGTERM')
  await mock.ended
  rmSync(folder, { recursive: true })
})

const userEnv = { CORE_USERNAME: 'anna', CORE_PASSWORD: PASSWORD }

test('it tells its address, certificate, control endpoint and key, and serves', async ({ mock, told }) => {
  const { url, fingerprint } = told
  assert.match(await certificateOf(url), /^-----BEGIN CERTIFICATE-----/)
  assert.not.ok(fingerprint.includes(' '))
  assert.is((await stateOf(told)).refusedLogons, 0)
  for (let tries = 0; tries < 100 && !mock.stderr.includes('Serving'); tries++) await sleep(20)
  assert.match(mock.stderr, /Serving the user anna until stopped \(Ctrl-C\)\.\n/)
})

test('a run in another process, with each kind of trust, is conformant and leaves no token behind', async ({
  told,
}) => {
  const { url, fingerprint, controlUrl, key } = told
  await inFolder(async folder => {
    const ca = join(folder, 'core.pem')
    writeFileSync(ca, await certificateOf(url))
    const run = (name: string, args: string[], env: Record<string, string> = {}) =>
      cli(['run', '--out', name, ...args], {
        cwd: folder,
        env: { CORE_URL: url, ...userEnv, CORE_REPORTER: 'console,junit,json', ...env },
      })
    const quick = ['--profile', 'quick', '--only', 'access-with-token,idle-expires,logon-wrong-password']
    // The run that advances the clock cannot share the mock with others.
    const full = await run('full', ['--only', FEW, '--fingerprint', fingerprint, '--control-url', controlUrl], {
      CORE_CONTROL_KEY: key,
    })
    const others = await Promise.all([
      run('ca', ['--ca-file', ca, ...quick]),
      // The product also trusts Node's extra certificates.
      run('system', quick, { NODE_EXTRA_CA_CERTS: ca }),
    ])
    for (const { code, stdout, stderr } of [full, ...others]) {
      assert.is(code, 0, stdout + stderr)
      assertSecretless([stdout, stderr], [PASSWORD, key])
    }
    const { verdict, time, counts, target, texts } = reportsIn(folder, 'full')
    assert.equal([verdict, time, target.kind, target.url], ['conformant', 'virtual', 'core', url])
    assert.ok(counts.passed >= 8)
    for (const name of ['ca', 'system']) {
      const { configuration, notices, texts: others } = reportsIn(folder, name)
      assert.is(configuration.profile, 'quick')
      assert.match(notices.join(), /expiry was not tested/)
      assertSecretless([others], [PASSWORD, key])
    }
    assertSecretless([texts], [PASSWORD, key])
    const state = await stateOf(told)
    assert.is(state.tokens.live, 0, JSON.stringify(state))
    // One spec in each run tries a wrong password.
    assert.ok(state.refusedLogons >= 3)
    assert.is((await run('none', quick)).code, 3)
    assert.is((await stateOf(told)).requests, state.requests, 'without trust nothing is sent')
  })
})

test('its log has a line a request, and no secret in any', async ({ mock, told }) => {
  await fetch(`${told.controlUrl}/state`)
  const lines = mock.stdout.split('\n').slice(4, -1)
  const { requests } = await stateOf(told)
  assert.is(lines.filter(line => / host=(yes|no) token=(yes|no)$/.test(line)).length, requests)
  const kinds = new Set(lines.map(line => line.replace(/^\S+ /, '').replace(/ [\d.]+ms /, ' _ ')))
  for (const kind of ['POST /api/v0/logon 201 _ host=yes token=no', 'POST /api/v0/logon 406 _ host=no token=no']) {
    assert.ok(kinds.has(kind), [...kinds].join('\n'))
  }
  assert.not.match(lines.join('\n'), /[0-9a-f]{20}/i)
  assertSecretless([lines.join('\n'), mock.stderr], [PASSWORD])
})

test('SIGINT ends it with exit 0', () =>
  withMock([], {}, async mock => {
    mock.child.kill('SIGINT')
    const { code, signal } = await mock.ended
    assert.equal([code, signal], [0, null])
  }))

test('a reader of its log that goes away does not end it; it takes the name of a mutant for a defect', () =>
  withMock(['--defect', 'no-token+trailing-slash→accepted'], {}, async (mock, told, folder) => {
    mock.child.stdout.destroy()
    const env = { CORE_URL: told.url, CORE_USERNAME: 'admin', CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
    for (let round = 0; round < 2; round++) {
      assert.is((await cli(['run', '--only', 'access-with-token'], { cwd: folder, env })).code, 0)
    }
    assert.is(mock.child.exitCode, null)
  }))

test('its settings: ports, lifetime, access control', () =>
  withMock(['--access-control', 'off'], { CORE_IDLE_LIFETIME: '2s' }, async (_mock, told, folder) => {
    const env = { CORE_URL: told.url, CORE_INSECURE: '1', CORE_ACCESS_CONTROL: 'off' }
    await cli(['run', '--only', 'access-open,open-after-expiry'], { cwd: folder, env, code: 0 })
    assert.ok(reportsIn(folder).counts.passed > 0)
  }))

test('a port in use: one message that says which, exit 3', async ({ folder, told }) => {
  const used = (url: string) => new URL(url).port
  const mock = (...args: string[]) => cli(['mock', ...args], { cwd: folder, env: { CORE_PASSWORD: PASSWORD } })
  for (const [flag, port] of [
    ['--port', used(told.url)],
    ['--control-port', used(told.controlUrl)],
  ] as const) {
    const { code, stdout, stderr } = await mock(flag, port)
    assert.is(
      stderr,
      `core-conformance: port ${port} on 127.0.0.1 is in use; choose another ${flag.slice(2).replace('-', ' ')}, or 0 for a free one\n`,
    )
    assert.equal([code, stdout], [3, ''])
  }
})

test('its defects are listed without a password, and one of them makes it nonconformant', async ({ folder }) => {
  const { stdout } = await cli(['mock', '--defects'], { cwd: folder, code: 0 })
  assert.match(stdout, /^host-missing-answered-400 +HOST-1 +\w/m)
  await withMock(['--defect', 'host-missing-answered-400'], {}, async (_mock, told, own) => {
    const env = { CORE_URL: told.url, CORE_USERNAME: 'admin', CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
    await cli(['run', '--only', 'host-missing-logon*'], { cwd: own, env, code: 1 })
  })
})

test('a password, defect or dialect that is not there is exit 2, by the name of where it was said', async ({
  folder,
}) => {
  for (const [env, message] of [
    [
      { CORE_PASSWORD: '' },
      /: no password: set CORE_PASSWORD, in the environment or in \.env\nMore: .* mock --help\n$/,
    ],
    [{ CORE_MOCK_DEFECT: 'none' }, /: CORE_MOCK_DEFECT: there is no defect 'none'.*; --defects lists them\n/],
    [{ CORE_MOCK_DIALECT: 'none.yaml' }, /: CORE_MOCK_DIALECT: the file cannot be used:\n/],
  ] as const)
    assertUsage(await cli(['mock'], { cwd: folder, env: { CORE_PASSWORD: PASSWORD, ...env } }), message)
})

test('a run leaves a result, and a mock Core answers as that Core did', async ({ folder }) => {
  const nested = new URL('../contracts/dialects/token-nested.yaml', import.meta.url).pathname
  await withMock(['--dialect', nested], {}, async (_mock, told, own) => {
    const env = { CORE_URL: told.url, CORE_USERNAME: 'admin', CORE_PASSWORD: PASSWORD, CORE_INSECURE: '1' }
    const some = ['--profile', 'quick', '--only', 'access-with-token,logon-wrong-*,observe-logon,revocation-rejects']
    await cli(['run', ...some, '--out', 'one'], { cwd: own, env, code: 0 })
    await withMock(['--dialect', join(own, 'one', 'result.json')], {}, async (like, address) => {
      assert.match(like.stderr, /dialect: That run did not show, .*\btokenExpired\b/)
      const second = await cli(['run', ...some, '--out', 'two'], {
        cwd: own,
        env: { ...env, CORE_URL: address.url },
      })
      assert.is(second.code, 0, second.stdout)
    })
    const [one, two] = [reportsIn(own, 'one'), reportsIn(own, 'two')]
    const alike = ({ dialect, facts }: ReturnType<typeof reportsIn>) => [{ ...dialect, latency: null }, facts]
    assert.equal(alike(two), alike(one))
  })
  writeFileSync(join(folder, 'broken.json'), '{"suite": {"name": "core-conformance"}, "schemaVersion": 3}')
  const broken = await cli(['mock', '--dialect', 'broken.json'], { cwd: folder, env: { CORE_PASSWORD: PASSWORD } })
  assertUsage(broken, /--dialect: the file cannot be used:\nbroken\.json: a result of format 3;/)
})

test('as JSON it tells all that a client in another language needs; its clock can run faster', () =>
  inFolder(async folder => {
    const args = ['mock', '--json', '--certificate', 'core.pem', '--time-scale', '1000']
    const mock = new Cli(args, { cwd: folder, env: { CORE_PASSWORD: PASSWORD } })
    const [line] = await mock.until(/^\{.*\}\n/)
    const told = JSON.parse(line)
    assert.equal(Object.keys(told), ['url', 'username', 'certificate', 'certificateFingerprint', 'control'])
    await mock.until(/Serving/)
    assert.is(readFileSync(join(folder, 'core.pem'), 'utf8').trim(), told.certificate.trim())
    const state = () => stateOf({ ...told, controlUrl: told.control.url, key: told.control.key })
    const [before, startMs] = [await state(), performance.now()]
    const [after, endMs] = [await state(), performance.now()]
    const passedMs = Number(after.nowMs) - Number(before.nowMs)
    assert.ok(passedMs > 0 && passedMs <= (endMs - startMs + 1000) * 1000)
    assert.ok(Number(before.nowMs) > 10_000)
    const env = { CORE_URL: told.url, CORE_USERNAME: 'admin', CORE_PASSWORD: PASSWORD, CORE_CA_FILE: 'core.pem' }
    assert.is((await cli(['run', '--only', 'access-unknown-token'], { cwd: folder, env })).code, 0)
    mock.child.kill('SIGTERM')
    const { stdout, stderr } = await mock.ends(0)
    assert.is(stdout, line)
    assert.match(stderr, /GET \/api\/v0\/cores\/self\/users 401/)
    assert.is(existsSync(join(folder, 'core.pem')), false)
    const lost = await cli(['mock', '--certificate', 'no/where.pem'], { cwd: folder, env: { CORE_PASSWORD: PASSWORD } })
    assertUsage(lost, /--certificate: no\/where\.pem cannot be written: there is no such folder/)
  }))

test.run()
