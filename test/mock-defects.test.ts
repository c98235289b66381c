/**
 * The effects of each defect of the mock Core: requests of every kind, and small checks, each with a fresh device, on the
 * honest mock and on each defect. A defect shows in some of them, and otherwise than any other defect. What breaks by it is what
 * the matrix proves.
 */
import { readFileSync } from 'node:fs'
import { TLSSocket } from 'node:tls'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFECTS, installDefect } from '../dist/mock/defects/index.js'
import { Device } from '../dist/mock/device.js'
import { defaultDialect } from '../dist/mock/dialect.js'
import { listDefects } from '../dist/mock/index.js'
import type { ApiResponse, HeaderList } from '../dist/mock/messages.js'
import { Credentials } from '../dist/mock/secrets.js'
import { TokenStore } from '../dist/mock/tokens.js'
import { Client, madeSubject, playPlain } from './support/mutants.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const CORE = '/api/v0/cores/self'
const HOUR = 3_600_000
const PASSWORD = 'Geheim-Wort-2024'
/** The same in wide letters. */
const WIDE_PASSWORD = 'Ｇｅｈｅｉｍ－Ｗｏｒｔ－２０２４'
const UNKNOWN = '0123456789abcdef'.repeat(4)
const RIGHT = { username: 'admin', password: PASSWORD }

interface Asked {
  token?: string
  authorization?: string
  headers?: HeaderList
  body?: string
  host?: boolean
  http?: '1.0' | '1.1'
  connection?: object
  isPipelined?: true
}

/**
 * Makes a device, with a defect or without, whose clock stands still until it is advanced; each request has its own connection.
 */
function world(defect?: string, accessControl: 'on' | 'off' = 'on') {
  const clock = { now: 0, nowMs: () => clock.now }
  const tokens = new TokenStore({ clock, idleLifetimeMs: HOUR, format: defaultDialect.token })
  const credentials = new Credentials('admin', PASSWORD)
  const device = new Device({ tokens, dialect: defaultDialect, credentials, username: 'admin', accessControl })
  const subject = {
    device,
    tokens,
    clock,
    idleLifetimeMs: HOUR,
    username: 'admin',
    password: PASSWORD,
    onConnection() {},
  }
  if (defect !== undefined) installDefect(defect, subject)
  const requestOf = (method: string, target: string, asked: Asked = {}) => {
    const { token, authorization = token && `Bearer ${token}`, host = true, http = '1.1', connection = {} } = asked
    const headers: [string, string][] = host ? [['Host', 'core']] : []
    if (authorization !== undefined) headers.push(['Authorization', authorization])
    for (const [name, value] of asked.headers ?? []) headers.push([name, value])
    const body = Buffer.from(asked.body ?? '')
    const pipelined = asked.isPipelined && { isPipelined: true as const }
    return { method, target, headers, body, bodyTooLarge: false, httpVersion: http, connection, ...pipelined }
  }
  const ask = (...asked: Parameters<typeof requestOf>): ApiResponse => device.handle(requestOf(...asked))
  /** Does something while a right logon is under way. */
  const besideLogon = (act: () => string): string => {
    const headers = [['Content-Type', 'application/json']] as const
    const request = requestOf('POST', LOGON, { headers, body: JSON.stringify(RIGHT) })
    const early = device.screen(request)
    const told = act()
    device.finish(request, early ?? device.answer(request))
    return told
  }
  const logon = (body: unknown = RIGHT, asked: Asked & { target?: string } = {}) =>
    ask('POST', asked.target ?? LOGON, {
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...asked,
      headers: [['Content-Type', 'application/json'], ...(asked.headers ?? [])],
    })
  const users = (token: string, asked: Asked = {}) => told(ask('GET', USERS, { token, ...asked }))
  const revoke = (token: string, asked: Asked = {}) => told(ask('DELETE', LOGON, { token, ...asked }))
  const mint = (asked: Asked = {}) => tokenOf(logon(RIGHT, asked)) ?? 'none'
  /** Returns a token that was used once. */
  const used = () => {
    const token = mint()
    users(token)
    return token
  }
  /** Describes the answer to a logon: its status, and whether it holds a token that opens the API. */
  const issued = (response: ApiResponse) => {
    const token = tokenOf(response)
    return `${told(response)}${token === undefined ? '' : users(token) === '200' ? ' token' : ' dead token'}`
  }
  const after = (lifetimes: number) => {
    clock.now += lifetimes * HOUR
  }
  return { ask, besideLogon, logon, users, revoke, mint, used, issued, after, clock }
}

type World = ReturnType<typeof world>

function tokenOf({ body = '' }: ApiResponse): string | undefined {
  try {
    return JSON.parse(body).token
  } catch {
    return undefined
  }
}

function told({ status, delivery = {} }: ApiResponse): string {
  const { fate, delayMs } = delivery
  return fate === undefined ? `${status}` : `${delayMs === undefined ? '' : 'late '}${fate}`
}

const wrongLogon = (body: unknown, asked?: Parameters<World['logon']>[1]) => (w: World) =>
  w.issued(w.logon(body, asked))
const wrongPassword = (password: unknown) => wrongLogon({ username: 'admin', password })
/** Sends a request without a valid token. */
const closed =
  (method: string, target: string, asked: Asked = {}) =>
  (w: World) =>
    told(w.ask(method, target, asked))
/** Sends a GET with a changed valid token. */
const twisted = (twist: (token: string) => Asked & { target?: string }) => (w: World) => {
  const { target = USERS, ...asked } = twist(w.used())
  return told(w.ask('GET', target, asked))
}
const half = (text: string, which: 0 | 1) => text.slice((which * text.length) / 2, ((which + 1) * text.length) / 2)
const flip = (text: string) => text.replace(/./g, char => (char === '0' ? '1' : '0'))
/** Tells whether an unused token is valid after some lifetimes. */
const idle =
  (lifetimes: number, asked: [string, string] = ['GET', USERS]) =>
  (w: World) => {
    const token = w.used()
    w.after(lifetimes)
    return told(w.ask(...asked, { token }))
  }
/** Tells whether a token is valid a lifetime after its last use, with something else in between. */
const idleWith = (something: (w: World, token: string) => void) => (w: World) => {
  const other = w.mint()
  const token = w.used()
  w.after(0.6)
  something(w, other)
  w.after(0.6)
  return w.users(token)
}
/** Tells whether a token is valid 1.2 lifetimes after its logon, with a use in between. */
const kept =
  (at: number, ...asked: [string, string]) =>
  (w: World) => {
    const token = w.used()
    w.after(at)
    w.ask(...asked, { token })
    w.after(1.2 - at)
    return w.users(token)
  }
const revoked = (then: (w: World, token: string) => unknown) => (w: World) => {
  const token = w.used()
  w.revoke(token)
  return then(w, token)
}

const CHECKS: Record<string, (w: World) => unknown> = {
  'logon token tells the password': w => {
    const token = w.mint()
    return [token, Buffer.from(token, 'base64').toString()].map(text => text.includes(PASSWORD))
  },
  'password wrong, with token': w => {
    const token = w.mint()
    return w.issued(w.logon({ ...RIGHT, password: 'falsch' }, { token }))
  },
  'logon with GET': w => w.issued(w.ask('GET', LOGON)),
  'none HEAD users': closed('HEAD', USERS),
  'none POST users': closed('POST', USERS),
  'none HTTP/1.0': closed('GET', USERS, { http: '1.0' }),
  'none in version 1': closed('GET', USERS.replace('v0', 'v1')),
  'none absolute-form': closed('GET', `https://core${USERS}`),
  'none forwarded': closed('GET', USERS, { headers: [['X-Forwarded-For', '127.0.0.1']] }),
  'path with / at end': closed('GET', `${USERS}/`),
  'path with ..': closed('GET', USERS.replace('/v0', '/x/../v0')),
  'path with %': closed('GET', USERS.replace('users', '%75sers')),
  'path upper-case': closed('GET', USERS.toUpperCase()),
  'path with ;': closed('GET', `${USERS};a=b`),
  'Basic credentials': closed('GET', USERS, {
    authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
  }),
  'token as Basic': twisted(token => ({ authorization: `Basic ${token}` })),
  'token of other scheme': twisted(token => ({ authorization: `Token ${token}` })),
  'token bare': twisted(token => ({ authorization: token })),
  'token in X-API-Key beside a bad one': twisted(token => ({
    token: 'none',
    headers: [['X-API-Key', token]],
  })),
  'no Host HEAD': closed('HEAD', USERS, { host: false }),
  'no Host POST': w => w.issued(w.logon(RIGHT, { host: false })),
  'no Host HTTP/1.0': closed('GET', USERS, { host: false, http: '1.0' }),
  'token after DELETE without Host': w => {
    const token = w.mint()
    w.ask('DELETE', LOGON, { host: false, token })
    return w.users(token)
  },
  'token after GET without Host': w => {
    const token = w.mint()
    w.ask('GET', USERS, { host: false, token })
    return w.users(token)
  },
  'five and DELETE without token': five(w => w.ask('DELETE', LOGON)),
  'five and DELETE with changed': five((w, [, token = '']) => w.revoke(flip(half(token, 0)) + half(token, 1))),
  'five and DELETE with expired': five(
    (w, _, before) => w.revoke(before),
    w => w.after(1.1),
  ),
  'five and DELETE again': five(
    (w, _, before) => w.revoke(before),
    (w, before) => w.revoke(before),
  ),
  'five and POST without Host': five(w => w.logon(RIGHT, { host: false })),
  'five and wrong logon': five(w => w.logon({ ...RIGHT, password: 'falsch' })),
  'five and revocation': five((w, tokens) => w.revoke(tokens[3] ?? '')),
  'eight and unknown': w =>
    [0, 0, 0, 0, 0, 0, 0, 0].map(() => w.mint()) && told(w.ask('GET', CORE, { token: UNKNOWN })),
  'idle 2.1': idle(2.1),
  'idle 1, core': idle(1, ['GET', CORE]),
  'idle 1, HEAD': idle(1, ['HEAD', USERS]),
  'idle 1, wrong token asked': idleWith(w => w.ask('GET', USERS, { token: 'odd' })),
  'idle 1, none asked': idleWith(w => w.ask('GET', USERS)),
  'password wrong beside a logon': w => w.besideLogon(() => w.issued(w.logon({ ...RIGHT, password: 'falsch' }))),
  'revoked beside a logon': w => {
    const token = w.used()
    w.besideLogon(() => w.revoke(token))
    return w.users(token)
  },
  'used at 0.4, GET core': kept(0.4, 'GET', CORE),
  'used at 0.4, HEAD users': kept(0.4, 'HEAD', USERS),
  'used at 0.6, 1.2, 1.8, 2.4': w => {
    const token = w.mint()
    return [0, 0, 0, 0].map(() => {
      w.after(0.6)
      return w.users(token)
    })
  },
}

/**
 * Tells which of five tokens are valid after something, at once and half a second later: 1 for a valid one, in the order of
 * issue. The third was used last, the second has been unused for longest. `prepare` ends the token `before` beforehand.
 */
function five(
  act: (w: World, tokens: string[], before: string) => unknown,
  prepare: (w: World, before: string) => unknown = (w, before) => w.revoke(before),
) {
  return (w: World) => {
    const before = w.mint()
    prepare(w, before)
    const tokens = Array.from({ length: 5 }, () => {
      w.clock.now += 1
      return w.used()
    })
    for (const index of [0, 2]) {
      w.clock.now += 1
      w.users(tokens[index] ?? '')
    }
    act(w, tokens, before)
    return [0, 500].map(ms => {
      w.clock.now += ms
      return tokens.map(token => Number(told(w.ask('GET', CORE, { token })) === '200')).join('')
    })
  }
}

/** Checks for defects that show in some variations of a family only. */
const VARIED: Record<string, (w: World) => unknown> = {
  'family: the 17th character': twisted(token => ({
    token: `${token.slice(0, 16)}${flip(token[16] ?? '')}${token.slice(17)}`,
  })),
  'family: wrong second half over HTTP/1.0': twisted(token => ({
    token: half(token, 0) + flip(half(token, 1)),
    http: '1.0',
  })),
  'family: a dot behind the token': twisted(token => ({ token: `${token}.x` })),
  'family: null': closed('GET', USERS, { token: 'null' }),
  'family: no blank': twisted(token => ({ authorization: `Bearer${token}` })),
  'family: token in JSON': twisted(token => ({ body: JSON.stringify({ token }) })),
  'family: Referer': closed('GET', USERS, { headers: [['Referer', 'https://core/']] }),
  'family: preflight headers': closed('GET', USERS, { headers: [['Access-Control-Request-Method', 'GET']] }),
  'family: long target': closed('GET', `${USERS}?${'x'.repeat(300)}`),
  'family: HEAD with seventy headers': closed('HEAD', USERS, {
    headers: Array.from({ length: 70 }, (_, index): [string, string] => [`X-Filler-${index}`, '1']),
  }),
  'family: logon with a cookie': w => w.issued(w.logon(RIGHT, { headers: [['Cookie', 'lang=en']] })),
  'family: token after the logon of a page': w => {
    const token = w.used()
    w.logon(RIGHT, { headers: [['Referer', 'https://core/']] })
    return w.users(token)
  },
  'family: %2F': closed('GET', USERS.replace('/users', '%2Fusers')),
  'family: no Host and unknown token': closed('GET', USERS, { host: false, token: UNKNOWN }),
  'family: no Host and DELETE with query': w => {
    const token = w.used()
    w.ask('DELETE', `${LOGON}?x`, { token, host: false })
    return w.users(token)
  },
  'family: pattern as password': wrongPassword('%'),
  'family: wide password': wrongPassword(WIDE_PASSWORD),
  'family: another last character': wrongPassword(`${PASSWORD.slice(0, -1)}x`),
  'family: password, of two bytes a character': wrongPassword(
    PASSWORD.replace(/./g, char => String.fromCharCode(char.charCodeAt(0) + 256)),
  ),
  'family: password and 256 more': wrongPassword(PASSWORD + 'x'.repeat(256)),
  'family: wrong password, X-Remote-User': wrongLogon(
    { ...RIGHT, password: 'falsch' },
    { headers: [['X-Remote-User', 'admin']] },
  ),
  'family: wrong password, authenticated': wrongLogon({ ...RIGHT, password: 'falsch', authenticated: true }),
  'family: PUT with a wrong password': w =>
    w.issued(w.ask('PUT', LOGON, { body: JSON.stringify({ ...RIGHT, password: 'falsch' }) })),
  'family: no body, with token': w => w.issued(w.logon('', { token: w.used() })),
  'family: wrong password with expired token': w => {
    const token = w.used()
    w.after(1.1)
    return w.issued(w.logon({ username: 'admin', password: 'x' }, { token }))
  },
  'family: revoked, with query': w => {
    const token = w.used()
    w.revoke(token)
    return told(w.ask('GET', `${USERS}?x`, { token }))
  },
  'family: aged and revoked': w => {
    const token = w.used()
    w.after(0.6)
    w.users(token)
    w.revoke(token)
    return w.users(token)
  },
  'family: expired, with query': idle(1.1, ['GET', `${USERS}?x`]),
  'family: DELETE with Content-Length 0': w => {
    const token = w.used()
    w.revoke(token, { headers: [['Content-Length', '0']] })
    return w.users(token)
  },
  'family: used twice on a connection': w => {
    const [token, connection] = [w.used(), {}]
    w.users(token, { connection })
    w.after(0.5)
    w.users(token, { connection })
    w.after(0.7)
    return w.users(token)
  },
  'family: used with query': kept(0.5, 'GET', `${USERS}?x`),
  'family: used as a whole URL': kept(0.5, 'GET', `https://core${USERS}`),
  'family: behind a good request': w => {
    const connection = {}
    w.users(w.used(), { connection })
    return told(w.ask('GET', USERS, { connection, isPipelined: true }))
  },
  'family: in a resumed session': w => {
    w.used()
    return told(w.ask('GET', USERS, { connection: resumedSession() }))
  },
  'family: revoked, HEAD': revoked((w, token) => told(w.ask('HEAD', USERS, { token }))),
  'family: revoked, in a resumed session': revoked((w, token) => w.users(token, { connection: resumedSession() })),
  'family: after a refused logon': w => {
    const connection = {}
    w.logon({ username: 'admin', password: 'x' }, { connection })
    return told(w.ask('GET', USERS, { connection }))
  },
  'family: in chunks': closed('GET', USERS, { headers: [['Transfer-Encoding', 'chunked']] }),
  'family: the 61st without a token': w => many(61, () => told(w.ask('GET', USERS))),
  'family: the 121st use': w => {
    const token = w.mint()
    return many(121, () => w.users(token))
  },
  'family: the 51st look': revoked((w, token) => many(51, () => w.users(token))),
  'family: revoked over HTTP/1.0': w => {
    const token = w.used()
    w.revoke(token, { http: '1.0' })
    return w.users(token)
  },
  'family: the oldest of four revoked': w => {
    const tokens = [w.used(), w.used(), w.used(), w.used()]
    w.revoke(tokens[0] ?? '')
    return tokens.map(token => w.users(token)).join(' ')
  },
  'family: none after a hundred uses on a connection': w => {
    const [connection, token] = [{}, w.mint()]
    many(100, () => w.users(token, { connection }))
    return told(w.ask('GET', USERS, { connection }))
  },
  'family: used for GET logon': w => {
    const token = w.used()
    w.ask('GET', LOGON, { token })
    return w.users(token)
  },
  'family: = behind the token': twisted(token => ({ token: `${token}=` })),
  'family: expired, then without Host': w => {
    const token = w.used()
    w.after(1.1)
    w.users(token, { host: false })
    return w.users(token)
  },
  'family: used after a fifth': w => {
    const token = w.used()
    w.after(0.2)
    w.users(token)
    w.after(0.9)
    return w.users(token)
  },
  'family: expired and revoked': w => {
    const token = w.used()
    w.after(1.1)
    w.revoke(token)
    return w.users(token)
  },
  'family: carried by a logon': w => {
    const token = w.used()
    w.logon(RIGHT, { token })
    return w.users(token)
  },
  'family: revoked and carried by a logon': revoked((w, token) => {
    w.logon(RIGHT, { token })
    return w.users(token)
  }),
  'family: revoked with Accept': w => {
    const token = w.used()
    w.revoke(token, { headers: [['Accept', 'application/json']] })
    return w.users(token)
  },
  'family: revoked before 32 others': revoked((w, token) => {
    many(32, () => w.revoke(w.mint()))
    return w.users(token)
  }),
  'family: revoked before sixteen others': revoked((w, token) => {
    many(16, () => w.revoke(w.mint()))
    return w.users(token)
  }),
}

/** Sends a request without a token on a connection, after something was done there; with access control off. */
const openAfter =
  (before: (w: World, connection: object) => unknown, asked: Asked = {}) =>
  (w: World) => {
    const connection = asked.connection ?? {}
    before(w, connection)
    return told(w.ask('GET', USERS, { ...asked, connection }))
  }
const openMany = (times: number) =>
  openAfter((w, connection) => many(times - 1, () => told(w.ask('GET', CORE, { connection }))))
/** Sends a request without a token and with a header, with access control off. */
const openWith = (...headers: [string, string][]) => closed('GET', USERS, { headers })

/** Checks for defects that show only with access control off, which it is for all of these. */
const OPEN: Record<string, (w: World) => unknown> = {
  'open: HTTP/1.0': closed('GET', USERS, { http: '1.0' }),
  'open: HEAD': closed('HEAD', USERS),
  'open: query': closed('GET', `${USERS}?a=b`),
  'open: long query': closed('GET', `${USERS}?${'x'.repeat(1000)}`),
  'open: thirty headers': openWith(...Array.from({ length: 30 }, (_, n): [string, string] => [`X-${n}`, 'x'])),
  'open: whole URL': closed('GET', `https://core${USERS}`),
  'open: doubled slash': closed('GET', USERS.replace('/v0', '//v0')),
  'open: core': closed('GET', CORE),
  'open: page': openWith(['Accept', 'text/html']),
  'open: debug': openWith(['X-Debug', '1']),
  'open: tenth of a connection': openMany(10),
  'open: seventieth of a connection': openMany(70),
  'open: pipelined': closed('GET', USERS, { isPipelined: true }),
  'open: pipelined behind a token': openAfter((w, connection) => w.users(w.mint(), { connection }), {
    isPipelined: true,
  }),
  'open: resumed session': w => told(w.ask('GET', USERS, { connection: resumedSession() })),
  'open: resumed session after a token': w => {
    w.users(w.mint())
    return told(w.ask('GET', USERS, { connection: resumedSession() }))
  },
  'open: fourth connection': w => many(4, () => told(w.ask('GET', USERS))),
  'open: fifth connection': w => many(5, () => told(w.ask('GET', USERS))),
  'open: two live': w => [w.mint(), w.mint(), told(w.ask('GET', USERS))][2],
  'open: after a refused logon': openAfter((w, connection) =>
    w.logon({ username: 'admin', password: 'x' }, { connection }),
  ),
  'open: after a revocation': openAfter((w, connection) => w.revoke(w.mint(), { connection })),
  'open: after an odd token': openAfter((w, connection) => w.users(UNKNOWN, { connection })),
  'open: after an expiry': w => {
    w.used()
    w.after(1.1)
    return told(w.ask('GET', USERS))
  },
  'open: no Host': closed('GET', USERS, { host: false }),
  'open: no Host and a query': closed('GET', `${USERS}?a=b`, { host: false }),
}

/** Makes a connection that resumes a TLS session. */
function resumedSession(): object {
  return Object.assign(Object.create(TLSSocket.prototype), { isSessionReused: () => true })
}

/** Repeats a check and returns the last result. */
function many(times: number, one: () => string): string {
  let last = ''
  for (let done = 0; done < times; done++) last = one()
  return last
}

/** Returns the results of all checks, and the answers to requests of every kind. */
function results(defect?: string): string {
  const checks = Object.entries({ ...CHECKS, ...VARIED, ...OPEN })
  const made = madeSubject()
  if (defect !== undefined) installDefect(defect, made.subject)
  const client = new Client(made)
  playPlain(client)
  return `${checks.map(([name, check]) => check(world(defect, name in OPEN ? 'off' : 'on')))}, ${client.statuses}`
}

/** Defects that show in a few requests. The matrix proves the others, which show after sequences. */
const SHORT = DEFECTS.filter(({ area }) => area !== 'sequence')

test('every defect shows, and no two in the same way', () => {
  const ways = [results(), ...SHORT.map(({ name }) => results(name))]
  assert.equal(
    SHORT.filter((_, index) => ways.indexOf(ways[index + 1] ?? '') <= index).map(({ name }) => name),
    [],
  )
})

test('defects are listed by area, then by name, each with what it does and which requirements it breaks', async () => {
  const listed = await listDefects()
  assert.ok(listed.length >= 65)
  const keys = listed.map(({ area, name }) => `${area} ${name}`)
  assert.equal(keys, [...keys].sort())
  assert.is(new Set(listed.map(({ about }) => about)).size, listed.length)
  const ledger = readFileSync(new URL('../specs/requirements.yaml', import.meta.url), 'utf8')
  for (const { name, about, requirements, mayAlso = [] } of listed) {
    assert.match(name, /^(?:access|host|idle|logon|open|revoke|sequence|transport)(?:-[a-z0-9]+)+$/)
    assert.match(about, /^[A-Z].*\.$/, name)
    assert.ok(requirements.length > 0, `${name} breaks nothing`)
    const named = [...requirements, ...mayAlso]
    assert.is(new Set(named).size, named.length, `${name} names a requirement twice`)
    for (const id of named) assert.ok(ledger.includes(`- id: ${id}\n`), `${name} breaks ${id}, which is no requirement`)
  }
})

test('a name that is none is refused, and what was meant is said', () => {
  assert.throws(
    () => world('revoke-do-nothing'),
    /^there is no defect "revoke-do-nothing"; did you mean "revoke-does-nothing"\? \(core-conformance mock --defects lists them\)$/,
  )
  assert.throws(() => world('xyz'), /^there is no defect "xyz" \(core-conformance mock --defects lists them\)$/)
  assert.throws(() => world('constructor'), /there is no defect "constructor"/)
})

test.run()
