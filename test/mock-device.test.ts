import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Device } from '../dist/mock/device.js'
import { type Dialect, defaultDialect } from '../dist/mock/dialect.js'
import type { ApiResponse, HeaderList } from '../dist/mock/messages.js'
import { Credentials } from '../dist/mock/secrets.js'
import { TokenStore } from '../dist/mock/tokens.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const HOUR = 3_600_000

interface Asked {
  headers?: HeaderList
  body?: string | Uint8Array
  host?: boolean
  token?: string | undefined
}

/** Makes a device whose clock stands still until it is advanced. */
function make({
  accessControl = 'on',
  dialect = defaultDialect,
}: {
  accessControl?: 'on' | 'off'
  dialect?: Dialect
} = {}) {
  const clock = { now: 1_000, nowMs: () => clock.now }
  const tokens = new TokenStore({ clock, idleLifetimeMs: HOUR, format: dialect.token })
  const credentials = new Credentials('admin', 'geheim')
  const device = new Device({ tokens, dialect, credentials, username: 'admin', accessControl })
  const ask = (method: string, target: string, { headers = [], body = '', host = true, token }: Asked = {}) =>
    device.handle({
      method,
      target,
      headers: [
        ...(host ? ([['Host', 'core']] as const) : []),
        ...(token === undefined ? [] : ([['Authorization', `Bearer ${token}`]] as const)),
        ...headers,
      ],
      body: typeof body === 'string' ? Buffer.from(body) : body,
      bodyTooLarge: false,
      parts: 1,
      httpVersion: '1.1',
      connection: {},
    })
  const logon = (body: unknown = { username: 'admin', password: 'geheim' }, asked: Asked = {}) =>
    ask('POST', LOGON, { headers: [['Content-Type', 'application/json']], body: JSON.stringify(body), ...asked })
  const mint = () => JSON.parse(logon().body ?? '').token as string
  return { clock, tokens, device, ask, logon, mint, users: (token?: string) => ask('GET', USERS, { token }).status }
}

function header(response: ApiResponse, name: string): string | undefined {
  return response.headers.find(([given]) => given.toLowerCase() === name)?.[1]
}

test('a logon body that is not an object of two strings is answered 400 and is no attempt', () => {
  const { ask, logon, device, tokens } = make()
  const right = { username: 'admin', password: 'geheim' }
  const bodies = [
    {},
    [],
    [right],
    null,
    'admin',
    7,
    { username: 'admin' },
    { password: 'geheim' },
    { ...right, password: 1 },
    { ...right, username: null },
    { ...right, password: ['geheim'] },
    { username: { toString: 'admin' }, password: 'geheim' },
  ]
  for (const body of bodies) assert.is(logon(body).status, 400, JSON.stringify(body))
  const headers: HeaderList = [['Content-Type', 'application/json']]
  const texts = [
    '',
    '{',
    '{"username":"admin","password":"geheim"',
    "{'username':'admin'}",
    'username=admin&password=geheim',
  ]
  for (const body of texts) assert.is(ask('POST', LOGON, { headers, body }).status, 400, body)
  const notUtf8 = Buffer.from(JSON.stringify({ ...right, note: '\xe9' }), 'latin1')
  assert.is(ask('POST', LOGON, { headers, body: notUtf8 }).status, 400)
  assert.is(device.refusedLogons, 0)
  assert.is(tokens.counts().issued, 0)
})

test('a logon wants JSON, said in one Content-Type header, with whatever parameters', () => {
  const { logon } = make()
  const status = (...types: string[]) => logon(undefined, { headers: types.map(type => ['content-type', type]) }).status
  assert.is(status('application/json'), 201)
  assert.is(status('Application/JSON; charset=utf-8'), 201)
  assert.is(status('text/plain'), 415)
  assert.is(status('application/x-www-form-urlencoded'), 415)
  assert.is(status('application/json-seq'), 415)
  assert.is(status(), 415)
  assert.is(status('application/json', 'text/plain'), 415)
})

test('a token lives until just before its idle lifetime, and is expired at exactly it', () => {
  const { clock, mint, users, tokens } = make()
  const [a, b] = [mint(), mint()]
  clock.now += HOUR - 0.001
  assert.is(users(a), 200)
  clock.now += 0.001
  assert.is(users(b), 401)
  assert.is(users(a), 200)
  assert.equal(tokens.counts(), { issued: 2, live: 1, revoked: 0, expired: 1 })
  clock.now += HOUR
  assert.is(users(a), 401)
})

test('every API request with a valid token resets its idle timer, whatever comes of the request', () => {
  const json: HeaderList = [['Content-Type', 'application/json']]
  const wrong = JSON.stringify({ username: 'admin', password: 'wrong' })
  const requests: [string, string, Asked, number][] = [
    ['GET', USERS, {}, 200],
    ['HEAD', USERS, {}, 200],
    ['GET', '/api/v0/cores/self', {}, 200],
    ['GET', '/api/v0/cores/self/access_mode', {}, 200],
    ['GET', '/api/v0/nothing', {}, 404],
    ['GET', '/api', {}, 404],
    ['PUT', USERS, {}, 405],
    ['OPTIONS', LOGON, {}, 405],
    ['POST', LOGON, {}, 415],
    ['POST', LOGON, { headers: json, body: '{' }, 400],
    ['POST', LOGON, { headers: json, body: wrong }, 401],
  ]
  for (const [method, path, asked, status] of requests) {
    const { clock, mint, ask, users } = make()
    const token = mint()
    clock.now += HOUR - 1
    assert.is(ask(method, path, { ...asked, token }).status, status, `${method} ${path}`)
    clock.now += HOUR - 1
    assert.is(users(token), 200, `after ${method} ${path}`)
  }
})

test('no other request resets an idle timer', () => {
  const requests: [string, string, (token: string) => Asked][] = [
    ['GET', USERS, token => ({ token, host: false })],
    ['POST', LOGON, token => ({ token, host: false })],
    ['GET', USERS, token => ({ token, headers: [['Host', 'other']] })],
    ['GET', '/', token => ({ token })],
    ['GET', '/apiary', token => ({ token })],
    ['GET', USERS, token => ({ headers: [['Authorization', `Basic ${token}`]] })],
    ['GET', USERS, token => ({ token, headers: [['Authorization', `Bearer ${token}`]] })],
    ['GET', USERS, () => ({})],
  ]
  for (const [method, path, asked] of requests) {
    const { clock, mint, ask, users } = make()
    const token = mint()
    clock.now += HOUR - 1
    ask(method, path, asked(token))
    clock.now += 1
    assert.is(users(token), 401, `after ${method} ${path}`)
  }
})

test('an empty Host header is not a missing one; two are one too many', () => {
  const { ask } = make()
  const path = '/api/v0/cores/self/access_mode'
  assert.is(ask('GET', path, { host: false, headers: [['host', '']] }).status, 200)
  assert.is(ask('GET', path, { headers: [['HOST', 'core']] }).status, 400)
})

test('unknown API paths are refused before they are not found', () => {
  const { ask, mint } = make()
  const token = mint()
  const paths = [
    '/api',
    '/api/',
    '/api/v0',
    `${LOGON}/`,
    `${USERS}/1`,
    '/api/v0/LOGON',
    '/api/v1/logon',
    '/api/../api/v0',
  ]
  const spellings = ['/api/v0/cores/self/%75sers', '/api/v0//logon', '/api/constructor', '/api/v0/cores/./self']
  for (const path of [...paths, ...spellings]) {
    assert.is(ask('GET', path).status, 401, path)
    assert.is(ask('GET', path, { token }).status, 404, path)
  }
})

test('what is not under /api is not found, token or not', () => {
  const { ask, mint } = make()
  const token = mint()
  for (const path of [
    '/',
    '/apis',
    '/API/v0/logon',
    '//api/v0/logon',
    '/%61pi/v0/logon',
    '*',
    'core:443',
    '__proto__',
    '',
  ]) {
    assert.is(ask('GET', path).status, 404, path)
    assert.is(ask('GET', path, { token }).status, 404, path)
  }
})

test('other methods are refused before they are not allowed; Allow names the ones that are', () => {
  const { ask, mint } = make()
  const token = mint()
  const cases: [string, string[], string][] = [
    [LOGON, ['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'post', 'constructor'], 'POST, DELETE'],
    [USERS, ['POST', 'PUT', 'DELETE', 'OPTIONS', 'get', '__proto__'], 'GET, HEAD'],
    ['/api/v0/cores/self', ['POST', 'DELETE'], 'GET, HEAD'],
    ['/api/v0/cores/self/access_mode', ['POST', 'PUT'], 'GET, HEAD'],
  ]
  for (const [path, methods, allow] of cases) {
    for (const method of methods) {
      assert.is(ask(method, path).status, 401, `${method} ${path}`)
      const response = ask(method, path, { token })
      assert.is(response.status, 405, `${method} ${path}`)
      assert.is(header(response, 'allow'), allow)
    }
  }
})

test('a query and the absolute form of a target do not hide a path', () => {
  const { ask, mint } = make()
  const token = mint()
  assert.is(ask('GET', `${USERS}?sort=name#top`, { token }).status, 200)
  assert.is(ask('GET', `HTTPS://core:8443${USERS}?a`, { token }).status, 200)
  assert.is(ask('GET', `https://core${USERS}`).status, 401)
  assert.is(ask('GET', 'https://core', { token }).status, 404)
})

test('the access mode is told to everyone', () => {
  const on = make().ask('GET', '/api/v0/cores/self/access_mode')
  const off = make({ accessControl: 'off' }).ask('GET', '/api/v0/cores/self/access_mode')
  assert.equal([on.status, on.body], [200, '{"access_mode":"protected"}'])
  assert.equal([off.status, off.body], [200, '{"access_mode":"open"}'])
  assert.is(make().ask('HEAD', '/api/v0/cores/self/access_mode').status, 200)
})

test('with access control off no token is needed, and a bad one is no obstacle', () => {
  const { ask, logon, mint, users, tokens } = make({ accessControl: 'off' })
  assert.is(users(), 200)
  assert.is(users('f'.repeat(64)), 200)
  assert.is(ask('GET', USERS, { headers: [['Authorization', 'Nonsense']] }).status, 200)
  assert.is(ask('GET', '/api/v0/nothing').status, 404)
  assert.is(ask('PUT', USERS).status, 405)
  assert.is(ask('DELETE', LOGON).status, 204)
  assert.is(logon({ username: 'admin', password: 'wrong' }).status, 401)
  const token = mint()
  assert.is(ask('DELETE', LOGON, { token }).status, 204)
  assert.is(users(token), 200)
  assert.equal(tokens.counts(), { issued: 1, live: 0, revoked: 1, expired: 0 })
})

test('a body that is too large is answered 413, but only to who may ask', () => {
  const { device, mint } = make()
  const status = (method: string, target: string, headers: HeaderList) =>
    device.handle({
      method,
      target,
      headers,
      httpVersion: '1.1',
      connection: {},
      body: new Uint8Array(),
      bodyTooLarge: true,
      parts: 0,
    }).status
  const authorization = ['Authorization', `Bearer ${mint()}`] as const
  assert.is(status('POST', LOGON, []), 406)
  assert.is(status('POST', LOGON, [['Host', 'core']]), 413)
  assert.is(status('GET', USERS, [['Host', 'core']]), 401)
  assert.is(status('GET', USERS, [['Host', 'core'], authorization]), 413)
})

test('no token and no password is kept in the open', () => {
  const { mint, device } = make()
  const token = mint()
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string') assert.not.ok(value.includes(token) || value.includes('geheim'))
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    const inside = value instanceof Map ? [...value.entries()].flat() : Object.values(value)
    for (const part of inside) visit(part)
  }
  visit(device)
  assert.ok(seen.size > 10)
})

test('expired tokens may be noticed at the next sweep only, or with a lifetime that is a little off', () => {
  const clock = { now: 0, nowMs: () => clock.now }
  const expiresAt = (usedMs: number, expiry: { factor: number; sweep: number }) => {
    const store = new TokenStore({ clock, idleLifetimeMs: 100, format: defaultDialect.token, expiry })
    clock.now = usedMs
    const [record] = [store.find(store.issue())]
    while (record !== undefined && !store.isExpired(record)) clock.now += 1
    return clock.now
  }
  assert.equal(
    [0, 1, 2, 3].map(usedMs => expiresAt(usedMs, { factor: 1, sweep: 0.03 })),
    [102, 102, 102, 105],
  )
  assert.is(expiresAt(7, { factor: 1.03, sweep: 0 }), 110)
  assert.is(expiresAt(7, { factor: 0.97, sweep: 0 }), 104)
})

test('tokens never repeat, however few there can be', () => {
  const clock = { nowMs: () => 0 }
  const store = new TokenStore({ clock, idleLifetimeMs: 1, format: { alphabet: 'ab', length: 3 } })
  assert.is(new Set(Array.from({ length: 8 }, () => store.issue())).size, 8)
})

test.run()
