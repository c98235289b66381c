/** A client that sends requests straight to the device of a mock Core, so that each trigger and each effect of a mutant shows. */
import { createHash, randomBytes } from 'node:crypto'
import type { Subject } from '../../dist/mock/defects/defect.js'
import { Device } from '../../dist/mock/device.js'
import { toDialect } from '../../dist/mock/dialect.js'
import type { ApiResponse, HeaderList } from '../../dist/mock/messages.js'
import { Credentials } from '../../dist/mock/secrets.js'
import { TokenStore } from '../../dist/mock/tokens.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const RIGHT = { username: 'operator', password: 'Correct-Horse-7-Staple' }
const HOUR = 3_600_000

/** One request, as far as it differs from `GET` of the users with a Host on a new connection. */
interface Ask {
  method?: string
  target?: string
  /** What the Authorization header says, after `Bearer`. */
  token?: string
  headers?: HeaderList
  host?: boolean
  body?: string
  version?: string
  on?: object
  isPipelined?: true
}

/** Makes the device of a mock Core, and what a mutant is installed in; the clock stands until it is moved. */
export function madeSubject(accessControl: 'on' | 'off' = 'on') {
  const clock = { ms: 0, nowMs: () => clock.ms }
  const dialect = toDialect({})
  const tokens = new TokenStore({ clock, idleLifetimeMs: HOUR, format: dialect.token })
  const credentials = new Credentials(RIGHT.username, RIGHT.password)
  const device = new Device({ tokens, dialect, credentials, username: RIGHT.username, accessControl })
  const subject: Subject = { device, tokens, clock, idleLifetimeMs: HOUR, ...RIGHT, onConnection() {} }
  return { subject, clock }
}

/** The client. */
export class Client {
  readonly statuses: number[] = []

  constructor(readonly made: ReturnType<typeof madeSubject>) {}

  begin({ method = 'GET', target = USERS, token, headers = [], host = true, body, version, on, isPipelined }: Ask) {
    const { device } = this.made.subject
    const names = headers.map(([name]) => name.toLowerCase())
    const lines: [string, string][] = [
      ...(host && !names.includes('host') ? [['Host', 'core'] as [string, string]] : []),
      ...(token === undefined ? [] : [['Authorization', `Bearer ${token}`] as [string, string]]),
      ...headers.map(([name, value]): [string, string] => [name, value]),
      ...(body === undefined ? [] : [['Content-Length', String(body.length)] as [string, string]]),
    ]
    const head = {
      method,
      target,
      headers: lines,
      httpVersion: version ?? '1.1',
      connection: on ?? {},
      ...(isPipelined && { isPipelined }),
    }
    this.made.clock.ms += 1
    const early = device.screen(head)
    return (): ApiResponse => {
      const request = { ...head, body: Buffer.from(body ?? ''), bodyTooLarge: false, parts: 1 }
      const response = device.finish(request, early ?? device.answer(request))
      this.statuses.push(response.status)
      return response
    }
  }

  send(ask: Ask = {}): ApiResponse {
    return this.begin(ask)()
  }

  /** Logs on. @returns the token; a text that was never issued where there is none */
  logOn(ask: Ask = {}, body = JSON.stringify(RIGHT)): string {
    const headers = [...(ask.headers ?? []), ['Content-Type', 'application/json'] as const]
    const { body: answer = '{}' } = this.send({ method: 'POST', target: LOGON, body, ...ask, headers })
    return (JSON.parse(answer) as { token?: string }).token ?? 'none'
  }

  /** Sends a logon with other credentials. */
  logOnWith(username: unknown, password: unknown): void {
    this.logOn({}, JSON.stringify({ username, password }))
  }

  revoke(token: string | undefined, ask: Ask = {}): void {
    this.send({ method: 'DELETE', target: LOGON, ...(token !== undefined && { token }), ...ask })
  }

  wait(part: number): void {
    this.made.clock.ms += part * HOUR
  }
}

const FIELDS: HeaderList = [
  ...['localhost', 'core:443'].map(value => ['Host', value] as const),
  ['Accept', 'text/html'],
  ['Accept', '*/*'],
  ['User-Agent', 'Mozilla/5.0'],
  ['User-Agent', 'curl/8'],
  ['Accept-Encoding', 'gzip'],
  ['Connection', 'close'],
  ['Connection', 'keep-alive'],
  ['X-Forwarded-For', '127.0.0.1'],
  ['Content-Length', '0'],
  ['Content-Length', '2000'],
  ['Transfer-Encoding', 'chunked'],
  ['X-Empty', ''],
  ['X-Long', 'x'.repeat(5000)],
  ...(
    'Accept-Language Cookie Origin Referer X-Requested-With Sec-Fetch-Mode Access-Control-Request-Method X-Forwarded-Proto ' +
    'X-Forwarded-Host Forwarded X-Real-IP Via X-Original-URL X-Rewrite-URL X-HTTP-Method-Override X-Request-ID Upgrade Range ' +
    'If-None-Match If-Modified-Since Cache-Control TE Max-Forwards Content-Encoding Proxy-Connection Expect Content-Type ' +
    'X-Remote-User X-Debug'
  )
    .split(' ')
    .map(name => [name, 'x'] as const),
]
const TARGETS = [
  `${USERS}/`,
  '/api//v0/cores/self/users',
  '/api/./v0/cores/self/users',
  '/api/v0/cores/self/%75sers',
  '/api/v0/cores%2Fself/users',
  '/api/v0/cores/self/Users',
  `${USERS};a=b`,
  `${USERS}.json`,
  '/api/v0/cores/self',
  '/api/v1/cores/self/users',
  `/api/v0/${'x'.repeat(260)}`,
  `https://core${USERS}`,
  ...['', 'a=%20', `a=${'x'.repeat(130)}`, 'a=1&b=2', 'access_token=x', '_method=x'].map(query => `${USERS}?${query}`),
]

/** The tokens that are like one that was issued, and those that are like none. */
const lookalikes = (token: string) => [
  `${token}0`,
  `0${token}`,
  token.slice(0, -1),
  token.slice(0, 32) + flipped(token.slice(32)),
  flipped(token.slice(0, 32)) + token.slice(32),
  token.slice(0, 20),
  token.slice(0, -1) + flipped(token.slice(-1)),
  flipped(token.slice(0, 1)) + token.slice(1),
  token.slice(0, 9) + flipped(token.slice(9, 10)) + token.slice(10),
  token.toUpperCase(),
  token.slice(0, 16) + flipped(token.slice(16, 17)) + token.slice(17),
  `${token}==`,
  `${token}.x`,
]
const UNLIKE = [
  'null',
  hex(64),
  '0'.repeat(64),
  'short',
  hex(70),
  hex(300),
  'undefined',
  'not_hex',
  'a.b.c',
  '123456789',
]

function flipped(text: string): string {
  return [...text].map(digit => (digit === '0' ? '1' : '0')).join('')
}

/** Moves each character by so many places: by 0xfee0, to the wide letters. */
function shifted(text: string, places: number): string {
  return text.replace(/./g, character => String.fromCharCode(character.charCodeAt(0) + places))
}

function hex(length: number): string {
  return randomBytes(length).toString('hex').slice(0, length)
}

/** Sends requests of every kind: each reason to refuse one, with each of the shapes, connections and histories. */
export function playAll(client: Client): void {
  shapes(client)
  lives(client, 7)
  connections(client)
  logons(client)
  moments(client)
}

/** Sends requests of every kind, each in its plain form. */
export function playPlain(client: Client): void {
  lives(client, 2)
  logons(client)
  bystanders(client)
  misdirected(client)
}

/** Beside other tokens, live and ended, comes a request that concerns none of them. */
function bystanders(client: Client): void {
  const events: ((on: object, own: () => string) => void)[] = [
    on => client.logOn({ on }),
    on => client.logOn({ on }, '{}'),
    on => client.logOn({ on, host: false }),
    on => client.send({ on, token: 'none' }),
    on => client.revoke('none', { on }),
    (on, own) => client.send({ on, token: own() }),
    (on, own) => client.send({ on, token: own(), host: false }),
    (on, own) => client.revoke(own(), { on, host: false }),
    (on, own) => client.revoke(own(), { on }),
  ]
  for (const event of events)
    for (const kind of ['live', 'late', 'idle', 'revoked', 'expired']) {
      client.wait(1.1)
      const on = {}
      const others = [client.logOn(), client.logOn(), client.logOn()]
      client.send({ on, ...(others[1] && { token: others[1] }) })
      if (kind === 'revoked') for (const token of others) client.revoke(token, { on })
      client.wait(kind === 'live' || kind === 'late' ? 0.1 : kind === 'expired' ? 1.1 : 0.6)
      if (kind !== 'idle') for (const token of others.slice(0, 2)) client.send({ on, token })
      event(on, () => client.logOn())
      if (kind === 'idle') client.wait(0.6)
      if (kind === 'late') client.wait(0.001)
      for (const token of others) client.send({ token })
    }
}

/** A client sends a good request, one without a token, one with a dead one, and one without Host, in every shape. */
export function shapes(client: Client): void {
  const revoked = client.logOn()
  client.revoke(revoked)
  for (const shape of [
    ...TARGETS.map((target): Ask => ({ target })),
    ...FIELDS.map((field): Ask => ({ headers: [field] })),
    ...'HEAD POST PUT DELETE PATCH PROPFIND OPTIONS'.split(' ').map((method): Ask => ({ method })),
    ...[3, 20, 40, 70].map((count): Ask => ({ headers: Array.from({ length: count }, (_, i) => [`X-${i}`, 'x']) })),
    { version: '1.0' },
    ...['accept Accept', 'host accept', 'ACCEPT Host'].map(
      (names): Ask => ({ headers: names.split(' ').map(name => [name, 'core'] as const) }),
    ),
  ]) {
    const token = client.logOn()
    for (const of of [{ token }, {}, { token: revoked }, { token, host: false }]) client.send({ ...shape, ...of })
    client.send({ ...shape, headers: [['Authorization', `Bearer ${token}`], ...(shape.headers ?? [])] })
    client.send({
      headers: [
        ...Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'x'] as const),
        ['authorization', `Bearer  ${token}`],
      ],
    })
    client.revoke(token)
  }
}

/** Tokens are used, looked at, left alone, revoked and brought to their end. */
function lives(client: Client, rounds: number): void {
  for (let number = 0; number < rounds; number++) {
    const on = {}
    const [token, other, oldest] = [client.logOn({ on }), client.logOn(), client.logOn()]
    for (let uses = 0; uses < 3 * number; uses++) client.send({ token, ...(uses % 2 && { on }) })
    for (const text of lookalikes(token)) client.send({ token: text })
    for (const text of UNLIKE) client.send({ token: text })
    const bare: Ask = { token, host: false }
    for (const ask of [bare, { ...bare, method: 'DELETE', target: LOGON }]) client.send(ask)
    client.logOn({ host: false })
    for (const headers of elsewhere(other)) client.send({ headers })
    client.send({ target: `${USERS}?access_token=${other}` })
    client.send({ target: `/api/v0/${other}` })
    client.send({ body: `access_token=${other}` })
    const basic = Buffer.from(`${RIGHT.username}:${RIGHT.password}`).toString('base64')
    for (const value of ['', 'Bearer', 'Basic YTpi', `Basic ${basic}`])
      client.send({ headers: [['Authorization', value]] })
    for (const part of [0.06, 0.46, 0.44]) {
      client.wait(part)
      for (const each of [token, other]) client.send({ token: each })
    }
    client.wait(0.95)
    client.send({ token: other })
    client.revoke(token, { on })
    client.revoke(token)
    client.revoke(undefined)
    for (const part of [0, 0, 0.1, 0.5]) {
      client.wait(part)
      for (const each of [token, other, oldest]) client.send({ token: each })
      client.logOnWith('operator', 'wrong')
      client.send({ token: other })
    }
    client.wait(1.1)
    for (const each of [token, other]) client.send({ token: each })
    client.revoke(token)
    client.logOnWith('operator', 'wrong')
    client.logOn({ token: other })
    for (const each of [token, other]) client.send({ token: each })
  }
}

/** Revocations and uses with what is almost a token, or with a token in the wrong place; then comes the token that is meant. */
function misdirected(client: Client): void {
  const [revoked, used] = [client.logOn(), client.logOn()]
  const shapesOf = (token: string): Ask[] => [
    ...lookalikes(token).map(text => ({ token: text })),
    ...elsewhere(token).map(headers => ({ headers })),
    { target: `${USERS}?access_token=${token}` },
    { target: `/api/v0/${token}` },
    { body: `access_token=${token}` },
  ]
  for (const ask of shapesOf(revoked)) {
    client.revoke(undefined, { ...ask, target: (ask.target ?? LOGON).replace(USERS, LOGON) })
    client.send({ token: revoked })
  }
  client.wait(0.6)
  for (const ask of shapesOf(used)) client.send(ask)
  client.wait(0.6)
  client.send({ token: used })
}

const elsewhere = (token: string): HeaderList[] =>
  [
    ['Cookie', `session=${token}`],
    ['X-Auth-Token', token],
    ['Proxy-Authorization', `Bearer ${token}`],
    ['Sec-WebSocket-Protocol', token],
    ['Authorization', `Basic ${token}`],
    ['Authorization', `Token ${token}`],
    ['Authorization', token],
    ['Authorization', `Bearer${token}`],
    ['X-API-Key', token, 'Authorization', 'Bearer none'],
  ].map(([name = '', value = '', other, more = '']) => [[name, value], ...(other ? [[other, more] as const] : [])])

/** Connections are kept, rest, and have a past. */
export function connections(client: Client): void {
  const dead = client.logOn()
  client.revoke(dead)
  const steps: ((on: object, token: string) => void)[] = [
    (on, token) => client.send({ on, token }),
    (on, token) => [1, 2].map(() => client.send({ on, token })),
    on => client.send({ on }),
    on => client.send({ on, token: 'none' }),
    on => client.logOn({ on }),
    on => client.logOn({ on }, '{}'),
    on => client.revoke(client.logOn(), { on }),
    (on, token) => client.send({ on, token, method: 'OPTIONS' }),
    (on, token) => client.send({ on, token, method: 'HEAD' }),
    (on, token) => client.send({ on, token, target: '/api/v0/none' }),
    (on, token) => client.send({ on, token, host: false }),
    on => client.send({ on, token: client.logOn() }),
    (on, token) => [...Array(17)].map(() => client.send({ on, token })),
    () => client.wait(0.02),
    () => client.wait(0.12),
  ]
  for (const step of steps) {
    const [on, token, bystander] = [{}, client.logOn(), client.logOn()]
    client.send({ on, token: bystander })
    step(on, token)
    client.send({ on, token })
    client.send({ on })
    step(on, token)
    client.send({ on, token: dead })
    client.send({ on, token, host: false })
    client.revoke(dead, { on })
    client.send({ on, token, isPipelined: true })
    for (const each of [token, bystander, dead]) client.send({ token: each })
  }
  const [on, token] = [{}, client.logOn()]
  client.send({ on, token })
  for (let rest = 0; rest < 6; rest++) {
    client.wait(0.1)
    client.send({ on, token })
  }
}

function logons(client: Client): void {
  const { username, password } = RIGHT
  const swapped = [...password].reverse().join('')
  const wrong: [unknown, unknown][] = [
    ...[
      'Correct',
      password.slice(0, -1),
      `${password}x`,
      `x${password}`,
      password.toLowerCase(),
      '',
      ` ${password}`,
      'Correct-x',
      `${password}\0`,
      username,
      flipped(password),
      '*',
      "' or 1=1 --",
      Buffer.from(password).toString('base64'),
      createHash('sha256').update(password).digest('hex'),
      encodeURIComponent(password).replace('C', '%43'),
      `x${password.slice(1)}`,
      'x'.repeat(80),
      swapped,
      `${password.slice(0, -1)}x`,
      shifted(password, 0xfee0),
      shifted(password, 256),
      password + 'x'.repeat(256),
      [password],
      { $ne: null },
      null,
      true,
      0,
      undefined,
    ].map((given): [string, unknown] => [username, given]),
    ...['unknown', '', 'oper', `${username}x`, '*', undefined, [username], null].map((given): [unknown, string] => [
      given,
      password,
    ]),
    ['', ''],
    [password, username],
  ]
  const text = JSON.stringify(RIGHT)
  const bodies = [
    `[${text}]`,
    `username=${username}&password=${password}`,
    `${text} x`,
    text.slice(0, -1),
    text.replaceAll('"', "'"),
    text.replace('"username"', '"Username"'),
    '',
    '"x"',
  ]
  const bystander = client.logOn()
  for (const each of wrong) client.logOnWith(...each)
  for (const body of bodies) client.logOn({}, body)
  const good = [
    JSON.stringify({ password, username }),
    JSON.stringify(RIGHT, null, 1),
    text.replace('o', '\\u006f'),
    JSON.stringify({ ...RIGHT, further: 1 }),
    JSON.stringify({ ...RIGHT, authenticated: true }),
  ]
  for (const body of good) client.send({ token: client.logOn({}, body) })
  client.send({
    method: 'POST',
    target: LOGON,
    body: text,
    headers: [['Content-Type', 'application/json; charset=utf-8']],
  })
  for (const token of [bystander, 'none']) client.logOn({ token })
  client.send({ token: bystander })
}

/** Requests at the same moment, in a row, and while few or many tokens are valid. */
function moments(client: Client): void {
  client.wait(1.1)
  client.send()
  const token = client.logOn()
  client.send({ token })
  client.send({ token, method: 'OPTIONS' })
  client.send({ token })
  for (let times = 0; times < 12; times++) client.send({ token: client.logOn() })
  for (let times = 0; times < 7; times++) client.send({ token })
  for (let times = 0; times < 7; times++) client.send({})
  client.send({ token })
  client.send({ token, host: false })
  client.send({ token })
  client.logOn({}, '{}')
  client.send({ token })
  client.revoke(client.logOn())
  client.send({ token })
  for (const ask of [
    { method: 'POST', target: LOGON },
    { method: 'DELETE', target: LOGON },
    { token },
  ] satisfies Ask[]) {
    const answers = [client.begin(ask), client.begin({ token })]
    for (const answer of answers.reverse()) answer()
  }
}
