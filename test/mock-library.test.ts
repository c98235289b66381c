/** The mock Core as a library, imported by the name of the package, as client teams do. */
import { type MockCore, type MockCoreOptions, type RecordedRequest, startMockCore } from 'core-conformance'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { KEPT_REQUESTS } from '../dist/mock/recorder.js'
import { type Ask, ask, bytesOf, exchange, logOn } from './support/mock-client.js'

const test = suite('mock Core as a library')
const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'

async function withCore<T>(options: MockCoreOptions, use: (core: MockCore) => Promise<T>): Promise<T> {
  const core = await startMockCore(options)
  try {
    return await use(core)
  } finally {
    await core.close()
  }
}

const logon = (core: MockCore): Promise<Ask> => logOn(core, core.credentials)
const users = async (core: MockCore, token: Ask) => (await ask(core, 'GET', USERS, token)).status

test('without options it has a user of its own, whose password is new each time', () =>
  withCore({}, async core => {
    assert.is(core.credentials.username, 'admin')
    assert.match(core.credentials.password, /^[0-9a-f]{24}$/)
    assert.match(core.certificatePem, /^-----BEGIN CERTIFICATE-----/)
    assert.match(core.certificateFingerprint, /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    await withCore({}, async other => assert.is.not(other.credentials.password, core.credentials.password))
    assert.is(await users(core, await logon(core)), 200)
  }))

test('advance takes milliseconds and texts, and tells the new time', () =>
  withCore({ idleLifetime: '30 min', username: 'anna', password: 'geheim' }, async core => {
    const token = await logon(core)
    assert.ok(core.advance('29 min 30 s') >= 1_770_000)
    assert.is(await users(core, token), 200)
    core.advance(29 * 60_000)
    assert.is(await users(core, token), 200)
    await core.advance('0.5h')
    assert.is(await users(core, token), 401)
    assert.equal(core.credentials, { username: 'anna', password: 'geheim' })
    for (const bad of [-1, Number.NaN, '', 'soon', '5 fortnights', '61', '1 min or so', null, '9'.repeat(200)]) {
      assert.throws(
        () => core.advance(bad as number),
        (error: unknown) => error instanceof RangeError && /a time must be milliseconds/.test(error.message),
      )
    }
  }))

test('its clock runs as fast as it is told to', () =>
  withCore({ timeScale: 100_000, idleLifetime: '1h' }, async core => {
    const token = await logon(core)
    const before = core.state().nowMs
    await new Promise(resolve => setTimeout(resolve, 50))
    // A timer may be a little early, never much.
    assert.ok(core.state().nowMs - before >= 40 * 100_000)
    assert.is(await users(core, token), 401)
  }))

test('the next requests can be refused, without effect, and answered late', () =>
  withCore({}, async core => {
    const token = await logon(core)
    core.refuseNext(2)
    assert.is((await ask(core, 'DELETE', LOGON, token)).status, 503)
    assert.is((await ask(core, 'POST', LOGON, { body: JSON.stringify(core.credentials) })).status, 503)
    assert.is(await users(core, token), 200)
    assert.is(core.state().tokens.issued, 1)
    core.refuseNext(1, 429)
    assert.equal(JSON.parse((await ask(core, 'GET', USERS, token)).body), { code: 429, message: 'Too Many Requests' })
    core.delayNext(1, '500 ms')
    assert.is(await users(core, token), 200)
    assert.is(await users(core, token), 200)
    const [late, soon] = core.requests.slice(-2)
    assert.ok((late?.durationMs ?? 0) >= 495, `${late?.durationMs}`)
    assert.ok((soon?.durationMs ?? 999) < (late?.durationMs ?? 0))
  }))

test('a restart forgets tokens and cuts connections, once answers on their way are out', () =>
  withCore({}, async core => {
    const token = await logon(core)
    const kept = exchange(core, bytesOf('GET', USERS, { ...token, keep: true }))
    while (core.requests.at(-1)?.status !== 200) await new Promise(resolve => setTimeout(resolve, 5))
    core.delayNext(1, 100)
    const slow = exchange(core, bytesOf('GET', USERS, { ...token, keep: true }))
    while (core.requests.length < 3) await new Promise(resolve => setTimeout(resolve, 5))
    await core.restart()
    assert.match((await kept).toString(), /^HTTP\/1.1 200 /)
    assert.match((await slow).toString(), /^HTTP\/1.1 200 /)
    assert.is(await users(core, token), 401)
    assert.equal(core.requests.at(-1)?.token, { state: 'forgotten', number: 1 })
    assert.is(await users(core, await logon(core)), 200)
    assert.equal(core.requests.at(-1)?.token, { state: 'valid', number: 2 })
  }))

test('requests are kept as they were sent, with what became of them', () =>
  withCore({ password: 'geheim' }, async core => {
    const token = await logon(core)
    await ask(core, 'GET', `${USERS}?a=%20b`, { headers: { ...token.headers, 'X-Odd': '1', 'x-odd': '2' } })
    await ask(core, 'DELETE', LOGON, token)
    await ask(core, 'GET', USERS, token)
    await ask(core, 'GET', USERS, { headers: { Authorization: 'Bearer nobody' }, host: false })
    const [posted, read, revoked, rejected, last] = core.requests as RecordedRequest[]
    assert.equal(
      [posted?.method, posted?.path, posted?.status, posted?.issued, posted?.token],
      ['POST', LOGON, 201, 1, null],
    )
    assert.equal(JSON.parse(posted?.body ?? ''), core.credentials)
    assert.equal(JSON.parse(posted?.responseBody ?? '').token, token.headers?.Authorization?.slice(7))
    assert.equal([read?.path, read?.query, read?.status, read?.issued], [USERS, 'a=%20b', 200, null])
    assert.is(read?.headers['x-odd'], '1, 2')
    assert.equal(
      read?.rawHeaders.filter(([name]) => /^x-/i.test(name)),
      [
        ['X-Odd', '1'],
        ['x-odd', '2'],
      ],
    )
    assert.equal(read?.token, { state: 'valid', number: 1 })
    assert.equal([revoked?.status, revoked?.token?.state], [204, 'valid'])
    assert.equal([rejected?.status, rejected?.token?.state], [401, 'revoked'])
    assert.equal([last?.status, last?.token], [406, { state: 'unknown', number: null }])
    assert.not.ok(last && 'host' in last.headers)
    assert.equal(
      core.requests.map(({ number, connection, abandoned }) => [number, connection, abandoned]),
      [1, 2, 3, 4, 5].map(number => [number, number, false]),
    )
    core.reset()
    assert.equal([core.requests.length, core.state().requests, core.state().tokens.issued], [0, 0, 0])
    await logon(core)
    assert.equal([core.requests[0]?.number, core.requests[0]?.issued], [1, 1])
  }))

test('no more than so many requests are kept, the newest', () =>
  withCore({}, async core => {
    const each = 201
    for (let first = 0; first < 5 * each; first += each) {
      const lines = Array.from({ length: each }, (_, index) =>
        bytesOf('GET', `/n${first + index}`, { keep: index < each - 1 }),
      )
      await exchange(core, lines.join(''))
    }
    assert.is(core.requests.length, KEPT_REQUESTS)
    assert.equal([core.requests[0]?.path, core.requests[0]?.number], ['/n5', 6])
    assert.is(core.requests.at(-1)?.path, `/n${KEPT_REQUESTS + 4}`)
  }))

test('options that are unknown or cannot be used are told', async () => {
  const BAD: [options: object, message: RegExp][] = [
    [{ idleLifeTime: '1h' }, /no option 'idleLifeTime'; did you mean 'idleLifetime'\?/],
    [{ idleLifetime: 'soon' }, /idleLifetime must be milliseconds/],
    [{ idleLifetime: 0 }, /'idleLifetime' must be more than 0/],
    [{ accessControl: true }, /'accessControl' must be 'on' or 'off'/],
    [{ port: 65_536 }, /'port' must be a whole number/],
    [{ password: '' }, /'password' must be a text/],
    [{ timeScale: 0 }, /'timeScale' must be a number from 1/],
    [{ dialect: { tokn: {} } }, /there is no key 'tokn' here; did you mean 'token'\?/],
    [{ dialect: 'none.yaml' }, /none\.yaml: cannot be read: there is no such file/],
    [{ defect: 'revoke-does-nothin' }, /did you mean "revoke-does-nothing"/],
    [{ log: 'yes' }, /'log' must be a function/],
  ]
  for (const [options, message] of BAD) {
    const error = await startMockCore(options as MockCoreOptions).then(
      core => core.close(),
      (error: Error) => error,
    )
    assert.instance(error, Error, JSON.stringify(options))
    assert.match((error as Error).message, message)
  }
  const none = await startMockCore(null as unknown as MockCoreOptions).catch((error: Error) => error.message)
  assert.is(none, 'the options of a mock Core must be an object')
})

test('it ends with its scope, and accepts what the command line accepts', async () => {
  const core = await startMockCore({ accessControl: 'off', defect: 'revoke-does-nothing' })
  assert.is(await users(core, {}), 200)
  await core[Symbol.asyncDispose]()
  assert.instance(await users(core, {}).catch((error: Error) => error), Error)
})

test.run()
