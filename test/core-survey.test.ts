/** The survey against small Cores that differ in everything that the reference leaves open. */
import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { SessionOptions } from '../dist/core/session-options.js'
import { type Survey, type SurveyOptions, survey } from '../dist/core/survey.js'
import { long } from './support/long.js'
import {
  ChoosyCore,
  type CoreReply,
  LOGON,
  OddCore,
  type Reaction,
  ScriptedCore,
  ShyCore,
  USERS,
  WireCore,
  withCore,
} from './support/scripted-core.js'
import { logonRequest, openSession, PROBE, REVOKE, type ScriptedSession } from './support/scripted-session.js'

const test = suite('survey')

type Given = Partial<SurveyOptions> & {
  session?: never
  deadlineMs?: number
  with?: Partial<SessionOptions>
  /** Whether some of its tokens may be left. */
  mayLeave?: boolean
}

const surveyOf = (core: ScriptedCore, { session }: ScriptedSession): SurveyOptions => ({
  session,
  probe: PROBE,
  logon: logonRequest(core),
  endpoints: [],
  accessControl: 'on',
  tokenField: undefined,
  needsHttp10: false,
})

interface Surveyed extends Survey {
  core: ScriptedCore
  scripted: ScriptedSession
}

/** Surveys a Core, and asserts that all its tokens were asked back. */
async function surveyed(
  core: ScriptedCore,
  { deadlineMs, with: options, mayLeave, ...given }: Given = {},
): Promise<Surveyed> {
  let result: Surveyed | undefined
  await withCore(core, async () => {
    const scripted = await openSession(core, { ...options, ...(deadlineMs !== undefined && { deadlineMs }) })
    const found = await survey({ ...surveyOf(core, scripted), ...given })
    if (!mayLeave) assert.equal([core.left, scripted.session.left], [[], 0])
    result = { ...found, core, scripted }
  })
  if (!result) throw new Error('no survey')
  return result
}

function replying(logon: (token: string) => Reaction): ScriptedCore {
  const core = new ScriptedCore()
  core.issued = logon
  return core
}

test('a Core as the reference has it', async () => {
  const { dialect, answers, untestable, core, scripted } = await surveyed(new ScriptedCore(), { needsHttp10: true })
  const { latency, ...others } = dialect
  assert.equal(others, {
    token: { pointer: '/token', length: 64, alphabet: 'hex (lower case)' },
    logonStatus: 201,
    acceptedStatus: 200,
    rejectedStatus: 401,
    unknownTokenStatus: 401,
    refused: ['status=401'],
    http10: true,
    sessions: 'many',
    lifetime: null,
    warmUp: null,
    backEnds: null,
  })
  assert.ok(latency && latency.freshMs > 0 && latency.keptMs > 0 && latency.slowestMs >= latency.logonMs)
  assert.is(untestable, undefined)
  assert.is(answers?.probe.tells, true)
  assert.is(scripted.session.tokenPointer, '/token')
  assert.is(core.wrongLogons, 0)
})

test('the token is found wherever it stands, by what it does', async () => {
  const jwt = 'eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW5pc3RyYXRvciIsImV4cCI6MTkwMDAwMDAwMH0.c2lnbmF0dXJlLXNpZ25hdHVyZQ'
  const other = 'f'.repeat(64)
  const bodies: [pointer: string, body: (token: string) => unknown][] = [
    ['/bearer', token => ({ bearer: token })],
    ['/access_token', token => ({ access_token: token, token_type: 'Bearer', expires_in: 3600 })],
    ['/data/session/0/value', token => ({ data: { session: [{ value: token }] } })],
    ['', token => JSON.stringify(token)],
    ['/k', token => ({ role: 'Administrator', expires: '2030-01-01T00:00:00Z', k: token })],
    ['/key', token => ({ refresh_token: other, idToken: jwt, key: token, id: other })],
    ['/session', token => ({ token: other, session: token })],
    ['/auth~1a~0b', token => ({ 'auth/a~b': token })],
    [`${'/a'.repeat(14)}/0/token`, token => nested(14, [{ token }])],
  ]
  for (const [pointer, body] of bodies) {
    const { dialect, scripted } = await surveyed(replying(token => ({ status: 200, body: body(token) })))
    assert.is(dialect.token?.pointer, pointer)
    // Other values in the answer may be secrets too.
    for (const secret of [other, jwt]) {
      if (JSON.stringify(body('')).includes(secret)) assert.is(scripted.redactor.text(secret), '[withheld]')
    }
  }
})

test('a token that expires before its revocation arrives is replaced, and the revocation tried again', async () => {
  const core = new OddCore(({ method, token }) => {
    const leads = core.requests.filter(request => core.isRevocation(request))
    if (method === 'DELETE' && token === undefined && leads.length === 1) core.leaptMs += core.idleMs
    return undefined
  })
  const endpoints = [{ name: 'revoke', requests: [REVOKE] }]
  const { answers } = await surveyed(core, { endpoints, mayLeave: true })
  assert.is(answers?.of(REVOKE).tells, true)
  assert.equal([...core.sessions.values()].map(({ revoked }) => revoked).at(-1), true)
})

test('a token in a header, as plain text, ready for the header, or in a redirect', async () => {
  const replies: [pointer: string, reply: (token: string) => Reaction][] = [
    ['header:x-auth-token', token => ({ status: 204, headers: { 'X-Auth-Token': token } })],
    ['header:authorization', token => ({ status: 200, body: {}, headers: { Authorization: `Bearer ${token}` } })],
    ['', token => ({ status: 201, body: `${token}\n`, headers: { 'Content-Type': 'text/plain' } })],
    ['/token', token => ({ status: 201, body: { token: `Bearer ${token}` } })],
    [
      '/s',
      token => ({ status: 303, headers: { Location: '/ui' }, body: { next: '/ui/of/the/administrator', s: token } }),
    ],
  ]
  for (const [pointer, reply] of replies) {
    const { dialect } = await surveyed(replying(reply))
    assert.equal([dialect.token?.pointer, dialect.token?.length], [pointer, 64])
  }
})

function nested(depth: number, value: unknown): unknown {
  return depth === 0 ? value : { a: nested(depth - 1, value) }
}

test('a token in a cookie is its value, without encoding, quotes or scheme', async () => {
  const cookies: ((token: string) => string)[] = [
    token => `core_token=${token}; Path=/; HttpOnly`,
    token => `core_token="${encodeURIComponent(token)}"`,
    token => `core_token=${encodeURIComponent(`Bearer ${token}`)}; Secure`,
  ]
  for (const cookie of cookies) {
    const core = new ScriptedCore()
    core.newToken = () => `${randomBytes(30).toString('base64')}+/==`
    core.issued = token => ({ status: 204, headers: { 'Set-Cookie': ['lang=en; Path=/', cookie(token)] } })
    const { dialect, scripted } = await surveyed(core)
    assert.equal([dialect.token?.pointer, dialect.sessions], ['cookie:core_token', 'many'])
    const [token = ''] = [...core.sessions.keys()]
    assert.is(scripted.redactor.text(cookie(token)).includes(token), false)
    assert.is(scripted.redactor.text(cookie(token)).includes(encodeURIComponent(token)), false)
  }
})

test('a token that is a JSON number keeps all its digits', async () => {
  for (const length of [5, 16, 22]) {
    const core = new ScriptedCore()
    core.newToken = () => Array.from({ length }, () => String(1 + randomInt(9))).join('')
    core.issued = token => ({ status: 201, body: `{"id":7,"expires_in":3600,"x":-1.5e3,"token":${token}}` })
    const { dialect } = await surveyed(core)
    assert.equal(dialect.token, { pointer: '/token', length, alphabet: 'digits' })
  }
})

test('a short number is taken for the token where nothing else may be one', async () => {
  const core = new ScriptedCore()
  core.newToken = () => String(10_000_000 + randomInt(90_000_000))
  core.issued = token => ({ status: 201, body: `{"TOK":${token},"OK":1}` })
  assert.equal((await surveyed(core)).dialect.token, { pointer: '/TOK', length: 8, alphabet: 'digits' })
})

test('a token whose first use is refused is found, and what that took is told', async () => {
  const { dialect, untestable } = await surveyed(new ShyCore())
  assert.is(untestable, undefined)
  assert.is(dialect.warmUp?.refused, 1)
  assert.equal([dialect.backEnds, dialect.sessions, dialect.rejectedStatus], [null, 'many', 401])
})

test('where some tokens never work, one that does is found', async () => {
  const choosy = new ChoosyCore((token, _request, { sessions }) => [...sessions.keys()].indexOf(token) > 1)
  const { untestable, dialect, core } = await surveyed(choosy, { mayLeave: true })
  assert.equal([untestable, dialect.acceptedStatus, dialect.warmUp], [undefined, 200, null])
  assert.equal(core.left, [])
})

test('a first use that is refused in words of its own is not taken for acceptance', async () => {
  const met = new Set<string>()
  const core: ScriptedCore = new OddCore(({ token, method }) => {
    const isNew = method === 'GET' && token !== undefined && core.sessions.has(token) && !met.has(token)
    if (isNew) met.add(token)
    return isNew ? { status: 403, body: { code: 403, message: 'not active yet' } } : undefined
  })
  const { dialect } = await surveyed(core)
  assert.equal([dialect.acceptedStatus, dialect.warmUp?.refused], [200, 1])
})

test('the answer of a limit to an unknown token is not learned as a refusal', async () => {
  let unknown = 0
  const core: ScriptedCore = new OddCore(({ token, method }) => {
    const isUnknown = method === 'GET' && token !== undefined && !core.sessions.has(token)
    return isUnknown && ++unknown === 1 ? { status: 400, body: { message: 'Rate exceeded' } } : undefined
  })
  const { dialect, answers } = await surveyed(core)
  assert.is(dialect.unknownTokenStatus, 401)
  assert.equal(
    answers?.probe.refusals.map(({ status }) => status),
    [401, 401],
  )
})

test('a token that works only after a while is waited for', async () => {
  const issuedMs = new Map<string, number>()
  const core = new ChoosyCore((token, { atMs }) => atMs - (issuedMs.get(token) ?? 0) >= 400)
  core.issued = (token, { atMs }) => {
    issuedMs.set(token, atMs)
    return { status: 201, body: { token } }
  }
  const { dialect } = await surveyed(core, { with: { pause: ms => sleep(ms) } })
  assert.ok((dialect.warmUp?.refused ?? 0) >= 1)
  assert.ok((dialect.warmUp?.afterMs ?? 0) >= 300)
  // Even the second token, which was never used, was revoked.
  for (const session of core.sessions.values()) assert.is(session.revoked, true)
})

/** Back ends that share no tokens; the balancer picks one for each connection. */
function backEnds(pick: (connection: number) => number): ScriptedCore {
  const homes = new Map<string, number>()
  const core = new ChoosyCore((token, { connection }) => homes.get(token) === pick(connection))
  core.issued = (token, { connection }) => {
    homes.set(token, pick(connection))
    return { status: 201, body: { token } }
  }
  return core
}

long(test)('back ends that share no tokens are known by mixed answers, whatever their order', async () => {
  const picks: [string, (connection: number) => number][] = [
    ['in turn', connection => connection % 2],
    ['in pairs', connection => Math.floor(connection / 2) % 2],
    ['in fours', connection => Math.floor(connection / 4) % 2],
  ]
  for (const [how, pick] of picks) {
    const { dialect, answers, core } = await surveyed(backEnds(pick))
    assert.ok(answers, how)
    assert.is(dialect.backEnds?.by, 'connection', how)
    assert.is(dialect.backEnds?.of, 20, how)
    assert.ok((dialect.backEnds?.accepted ?? 0) > 2, how)
    assert.equal([dialect.warmUp, dialect.sessions], [null, null], how)
    // Each token is revoked where it was issued.
    for (const session of core.sessions.values()) assert.is(session.revoked, true, how)
  }
})

test('a Core that refuses now and then is not taken for several', async () => {
  const moody = (isAccepted: (count: number) => boolean) => {
    let count = 0
    return surveyed(new ChoosyCore(() => isAccepted(++count)))
  }
  const often = await moody(count => count % 2 === 0)
  assert.is(often.dialect.backEnds?.by, 'request')
  // Six uses on one connection show nothing of a refusal that is so rare.
  const seldom = await moody(count => count % 7 !== 4)
  assert.is.not(seldom.dialect.backEnds?.by, 'connection')
})

test('a field that the user names is taken, by name or by pointer', async () => {
  const headers = (token: string) => ({ 'X-Auth-Token': token })
  const two = (token: string): Reaction => ({
    status: 200,
    body: { token, data: { token, spare: token } },
    headers: headers(token),
  })
  for (const [tokenField, pointer] of [
    ['spare', '/data/spare'],
    ['/data/token', '/data/token'],
    ['/token', '/token'],
    ['data/token', '/data/token'],
    ['x-AUTH-token', 'header:x-auth-token'],
  ] as const) {
    const { dialect } = await surveyed(replying(two), { tokenField })
    assert.is(dialect.token?.pointer, pointer)
  }
  const { untestable } = await surveyed(replying(two), { tokenField: 'bearer', mayLeave: true })
  assert.is(untestable?.reason, 'the logon was answered 200 OK, but it holds no token at bearer')
  assert.match(untestable?.advice ?? '', /--token-field/)
})

test('a role that may not see the probe is no obstacle, where tokens make a difference', async () => {
  for (const status of [403, 404]) {
    const core = new ScriptedCore()
    core.answer = () => ({ status, body: { code: status, message: 'not for this role' } })
    const { dialect, answers } = await surveyed(core)
    assert.is(dialect.acceptedStatus, status)
    assert.is(dialect.rejectedStatus, 401)
    assert.is(answers?.probe.succeeds, false)
    assert.is(answers?.probe.tells, true)
  }
})

test('where a token makes no difference, the advice is another path', async () => {
  // Ids of several lengths and parts.
  const numbers = ['0.5', '0.c4f21aa03b7d28', '10.0.5']
  const core = new OddCore(({ path }) => {
    const [next = ''] = numbers
    numbers.push(...numbers.splice(0, 1))
    return path === USERS ? { status: 404, body: { request: next } } : undefined
  })
  const { untestable, answers } = await surveyed(core)
  assert.is(answers, undefined)
  assert.is(untestable?.reason, `with the token of the logon, ${USERS} answers as without one (404 Not Found)`)
  assert.match(untestable?.advice ?? '', /--probe-path/)
})

test('a Core that takes any token can be surveyed all the same', async () => {
  const core = new ScriptedCore()
  core.accepts = () => true
  const { dialect, untestable, answers } = await surveyed(core)
  assert.is(untestable, undefined)
  assert.is(dialect.token?.pointer, '/token')
  assert.equal([dialect.acceptedStatus, dialect.rejectedStatus, dialect.unknownTokenStatus], [200, 401, 200])
  assert.is(answers?.probe.tells, true)
})

test('an open Core on a run with access control can be surveyed all the same', async () => {
  const open: ScriptedCore = new OddCore(request => {
    if (request.method === 'POST') return undefined
    return open.isRevocation(request) ? { status: 204 } : open.answer(request)
  })
  const { dialect, untestable, answers } = await surveyed(open)
  assert.is(untestable, undefined)
  assert.is(dialect.token?.pointer, '/token')
  assert.equal([dialect.acceptedStatus, dialect.rejectedStatus, dialect.unknownTokenStatus], [200, 200, 200])
  assert.is(answers?.probe.tells, false)
})

test('where a Core answers everything with 200, the string counts that is answered in another way, whatever its name', async () => {
  class Envelope extends ScriptedCore {
    override issued(sid: string): Reaction {
      return { status: 200, body: { data: { synotoken: sid.slice(0, 12), sid }, success: true } }
    }
    override refusal(): Reaction {
      return { status: 200, body: { success: false, error: { code: 119 } } }
    }
    override answer(): Reaction {
      return { status: 200, body: { data: { items: [], total: 0 }, success: true } }
    }
  }
  const { dialect, untestable } = await surveyed(new Envelope())
  assert.is(untestable, undefined)
  assert.is(dialect.token?.pointer, '/data/sid')
  assert.equal(dialect.refused, ['body.success=false'])
})

test('with access control off nothing is logged on', async () => {
  const { answers, untestable, core } = await surveyed(new ScriptedCore(), { accessControl: 'off' })
  assert.is(untestable, undefined)
  assert.is(core.requests.length, 1)
  assert.is(core.sessions.size, 0)
  // The meaning of a 401 there is a question for the spec: it is not the way this Core accepts.
  const response = { status: 401, statusText: '', httpVersion: '1.1', headers: [], bodyBytes: 0, complete: true }
  const accepts = (given: typeof response & { body: string }) =>
    answers?.probe.accepts({ request: PROBE, response: given })
  assert.is(accepts({ ...response, body: '{"code":401,"message":"Unauthorized"}' }), false)
  assert.is(accepts({ ...response, status: 200, body: 'x' }), true)
})

test('how many sessions a user has is found out', async () => {
  const newest = new ScriptedCore()
  newest.newToken = () => {
    for (const session of newest.sessions.values()) session.revoked = true
    return randomBytes(32).toString('hex')
  }
  const same = new ScriptedCore()
  same.newToken = () => 'ab'.repeat(32)
  for (const [core, sessions] of [
    [newest, 'newest'],
    [same, 'same'],
    [new ScriptedCore(), 'many'],
  ] as const) {
    const found = await surveyed(core)
    assert.is(found.dialect.sessions, sessions)
  }
})

test('tokens that end by being used are taken for no more than one at a time', async () => {
  for (const most of [2, 3, 4]) {
    const uses = new Map<string, number>()
    const core = new ChoosyCore(token => {
      uses.set(token, (uses.get(token) ?? 0) + 1)
      return (uses.get(token) ?? 0) <= most
    })
    const { dialect, untestable } = await surveyed(core)
    assert.is(untestable, undefined, `${most}`)
    assert.is(dialect.sessions, 'newest', `after ${most} uses`)
  }
})

test('tokens that are lost once, in the survey, say nothing of the sessions', async () => {
  const core = new ScriptedCore()
  core.newToken = () => {
    if (core.sessions.size === 1) for (const session of core.sessions.values()) session.revoked = true
    return randomBytes(32).toString('hex')
  }
  const { dialect } = await surveyed(core)
  assert.is(dialect.sessions, 'many')
})

test('a redirect to a login page is a refusal where a request without Accept gets it, and a good token is served without', async () => {
  const toPage = { status: 302, headers: { Location: '/login' }, body: '' }
  const redirecting = new ScriptedCore()
  const plain = redirecting.refusal.bind(redirecting)
  redirecting.refusal = request => (request.headers.accept === undefined ? toPage : plain(request))
  assert.equal((await surveyed(redirecting)).dialect.refused, ['status=401', 'header.location=/login'])
  // This one redirects a good token, too.
  const choosy = new ScriptedCore()
  const react = choosy.react.bind(choosy)
  choosy.react = request => (request.method === 'GET' && request.headers.accept === undefined ? toPage : react(request))
  assert.equal((await surveyed(choosy)).dialect.refused, ['status=401'])
})

test('one answer that is turned away is asked for again', async () => {
  let probes = 0
  const core = new ScriptedCore()
  const answer = core.answer.bind(core)
  core.answer = request => (++probes === 6 ? { status: 500 } : answer(request))
  const { dialect } = await surveyed(core)
  assert.is(dialect.sessions, 'many')
})

test('a Core that does not speak HTTP/1.0 is known for it', async () => {
  const core = new OddCore(({ httpVersion }) => (httpVersion === '1.0' ? { status: 505 } : undefined))
  const { dialect } = await surveyed(core, { needsHttp10: true })
  assert.is(dialect.http10, false)
})

test('each endpoint is known by its own answers', async () => {
  const other = { ...PROBE, path: '/api/v0/cores/self' }
  const nowhere = { ...PROBE, path: '/api/v0/nowhere' }
  const loose = new OddCore(({ path }) => (path === nowhere.path ? { status: 404 } : undefined))
  const endpoints = [
    { name: 'elsewhere', requests: [nowhere, other] },
    { name: 'revoke', requests: [REVOKE] },
  ]
  const { answers, paths } = await surveyed(loose, { endpoints })
  assert.is(paths.get('elsewhere'), other.path)
  assert.is(answers?.of(other).accepted.status, 200)
  assert.is(answers?.of(REVOKE).accepted.status, 204)
  assert.is(answers?.of(REVOKE).tells, true)
})

const failures: [what: string, reaction: Reaction, reason: RegExp, advice: RegExp][] = [
  ['refused', { status: 401 }, /^the credentials were refused: 401 Unauthorized$/, /CORE_USERNAME and CORE_PASSWORD/],
  ['forbidden', { status: 403 }, /^the credentials were refused: 403 Forbidden$/, /CORE_PASSWORD/],
  ['not there', { status: 404 }, /^the logon was refused: 404 Not Found$/, /a Core is there/],
  ['not acceptable', { status: 406 }, /^the logon was refused: 406 Not Acceptable$/, /a Core is there/],
  [
    'redirect',
    { status: 302, headers: { Location: '/login' } },
    /was redirected: 302 Found$/,
    /give the URL of the Core itself/,
  ],
  ['5xx', { status: 500 }, /^the logon failed: 500/, /working order/],
  ['5xx with a token', { status: 502, body: { token: 'f'.repeat(64) } }, /^the logon failed: 502/, /working order/],
  ['no JSON', { status: 200, body: '<html>hello</html>' }, /it holds no token$/, /a Core is there/],
  ['no content', { status: 204 }, /it holds no token$/, /a Core is there/],
  ['JSON without a string', { status: 200, body: { ok: true, id: 7 } }, /it holds no token$/, /a Core is there/],
  ['cut', 'drop', /^the logon failed: the connection ended without a response$/, /working order/],
  ['hang', 'hang', /^the logon failed: no response within 0\.3 s$/, /working order/],
  ['limit', { status: 429 }, /limits logons \(429\)/, /wait a while/],
]
for (const [what, reaction, reason, advice] of failures) {
  test(`a logon that comes to nothing: ${what}`, async () => {
    const core = new ScriptedCore()
    core.logon = () => reaction
    const { untestable, answers, scripted } = await surveyed(core, { deadlineMs: 300, mayLeave: true })
    assert.is(answers, undefined)
    assert.match(untestable?.reason ?? '', reason)
    assert.match(untestable?.advice ?? '', advice)
    assert.is(scripted.session.tokens.length, 0)
    if (what === '5xx with a token') assert.is(scripted.redactor.text('f'.repeat(64)), '[withheld]')
  })
}

test('a Core that cannot be reached is said to be so, with advice', async () => {
  const core = new WireCore()
  await core.start()
  const scripted = await openSession(core)
  await core.stop()
  const { untestable, exchanges } = await survey(surveyOf(core, scripted))
  assert.match(untestable?.reason ?? '', /^nothing is listening/)
  assert.match(untestable?.advice ?? '', /the host and port of its URL/)
  assert.is(exchanges.length, 1)
})

test('a Core that leaves a request without a token unanswered can be surveyed all the same', async () => {
  const core = new ScriptedCore()
  core.refusal = () => 'drop'
  const { untestable, answers } = await surveyed(core)
  assert.is(untestable, undefined)
  assert.is(answers?.probe.refusals.length, 0)
})

test('a survey that is interrupted gives its token back', async () => {
  for (const at of [2, 3, 4]) {
    let probes = 0
    const limited: CoreReply = { status: 429, headers: { 'Retry-After': '5' } }
    const core = new OddCore(({ path }) => (path === USERS && ++probes === at ? limited : undefined))
    const pause = () => Promise.reject(new Error('interrupted'))
    const error = await surveyed(core, { with: { pause } }).catch(thrown => thrown)
    assert.is(error.message, 'interrupted')
    assert.ok(core.sessions.size > 0)
  }
})

test('a logon response with a great many strings is not tried for ever', async () => {
  const strings = Array.from({ length: 500 }, (_, index) => `string-${index}-0123456789`)
  const core = replying(() => ({ status: 200, body: { strings } }))
  const { untestable } = await surveyed(core, { mayLeave: true })
  assert.match(untestable?.reason ?? '', /answers as without one/)
  assert.ok(core.requests.length < 30, `${core.requests.length} requests`)
  assert.is(core.requests.filter(({ method, path }) => method === 'POST' && path === LOGON).length, 1)
})

test.run()
