/** The interactions of a client, from records as the mock Core makes them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ClientResult, ScenarioResult } from '../dist/client/result.js'
import type { RecordedRequest } from '../dist/mock/index.js'
import { type ClientUseOptions, usedInteractions } from '../dist/pact/make/client-use.js'
import { exampleOf } from '../dist/pact/process/model.js'
import { mark, spec } from './contract-support.js'

const test = suite('contracts of clients')

const [USERS, LOGON] = ['/api/v0/cores/self/users', '/api/v0/logon']
const PASSWORD = '0123456789abcdef01234567-"%25+\\&\''
const [FIRST, SECOND] = ['a'.repeat(64), 'b'.repeat(64)]
const CREDENTIALS = { username: 'client', password: PASSWORD }
const JSON_TYPE = { 'content-type': 'application/json' }

type Told = Partial<Omit<RecordedRequest, 'token'>> & {
  bearer?: string
  state?: NonNullable<RecordedRequest['token']>['state']
}

function request({ bearer, state = 'valid', headers = {}, ...more }: Told = {}): RecordedRequest {
  return {
    number: 1,
    atMs: 0,
    durationMs: 1,
    connection: 1,
    method: 'GET',
    path: USERS,
    query: '',
    httpVersion: '1.1',
    headers: { host: 'core', ...headers, ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
    rawHeaders: [],
    body: '',
    token: bearer === undefined ? null : { state, number: 1 },
    issued: null,
    status: 200,
    abandoned: false,
    responseHeaders: [['Content-Type', 'application/json']],
    responseBody: '[{"name":"anna"}]',
    ...more,
  }
}

const logon = (more: Told = {}) =>
  request({
    method: 'POST',
    path: LOGON,
    headers: { accept: 'application/json', ...JSON_TYPE },
    body: JSON.stringify(CREDENTIALS),
    issued: 1,
    status: 201,
    responseBody: JSON.stringify({ kind: 'c'.repeat(80), token: FIRST }),
    ...more,
  })
const refused = (more: Told) => request({ status: 401, responseBody: '{"code":401}', ...more })

function scenario(name: string, requests: RecordedRequest[], more: Partial<ScenarioResult> = {}): ScenarioResult {
  return {
    scenario: name,
    title: name,
    outcome: 'passed',
    judgements: [],
    record: {
      scenario: name,
      credentials: CREDENTIALS,
      requests,
      eventAfter: null,
      met: [],
      elsewhere: [],
      end: { kind: 'exit', code: 0 },
      tokens: { issued: 1, live: 0 },
      unused: { trusted: 0, untrusted: 0 },
      printed: [],
      durationMs: 1,
    },
    ...more,
  }
}

const requirement = (id: string) => [{ id, section: 'S', text: 'It holds.' }]
const SPECS = [
  spec([mark({ description: 'a request for the users', state: 'a valid token' })], {
    requirements: requirement('A-1'),
  }),
  spec([mark({ description: 'a request for the users', state: 'no token' })], { requirements: requirement('A-2') }),
  spec([mark({ description: 'a logon', state: 'right credentials' })], { requirements: requirement('L-1') }),
] as unknown as ClientUseOptions['specs']

function used(scenarios: ScenarioResult[], more: Partial<ClientUseOptions> = {}) {
  const result = { scenarios } as ClientResult
  const { interactions, left } = usedInteractions(result, {
    dialect: undefined,
    specs: SPECS,
    pinStatuses: false,
    strictToken: true,
    fields: ['all'],
    ...more,
  })
  assert.not.match(JSON.stringify({ interactions, left }), /0123456789abcdef01234567-|a{64}|b{64}|anna|"client"/)
  const named = interactions.map(({ description, states }) => `${description}: ${states.join(' + ')}`)
  return { interactions, left, named }
}

test('each request once, with what is stated of its situation, and who sent it and who answered', () => {
  const normal = [logon(), request({ bearer: FIRST }), request({ bearer: FIRST, number: 3 })]
  const { interactions, named, left } = used([scenario('normal', normal), scenario('slow', normal)])
  assert.equal(named, ['a logon: right credentials', 'a request for the users: a valid token'])
  assert.equal(left, [])
  const [first, users] = interactions
  assert.equal(first?.comments, [
    'L-1 (S): It holds.',
    'Observed on the mock Core, since the reference does not show it: status 201 (any 2xx will do); a token of 64 characters, hex (lower case), at /token',
    "Sent by this client's own command, in the scenario normal of core-conformance client",
    'Answered by the mock Core, which proves nothing of a real one: verify it on a Core with core-conformance contracts verify',
  ])
  assert.equal(exampleOf(first?.request.body && 'json' in first.request.body ? first.request.body.json : null), {
    password: 'example-password',
    username: 'example-username',
  })
  const regex = '{"pact:matcher:type":"regex","regex":"^[0-9a-f]{64}$"'
  const answer = JSON.stringify(first?.response.json)
  assert.ok(answer.includes(`"token":{"pact:matcher:type":[{"pact:matcher:type":"type"},${regex}`), answer)
  assert.equal(users?.comments[0], 'A-1 (S): It holds.')
  assert.is(users?.request.headers.map(([name]) => name).join(), 'Authorization')
  assert.is(users?.pending, undefined)
})

test('the state of the token tells requests apart; a forgotten one is as one that was never issued', () => {
  const states = ['expired', 'revoked', 'forgotten', 'unknown'] as const
  const met = states.map(state => refused({ bearer: FIRST, state }))
  const { named, interactions } = used([scenario('restart', [...met, refused({})])])
  assert.equal(named, [
    'a request for the users: an expired token',
    'a request for the users: a revoked token',
    'a request for the users: a token that was never issued',
    'a request for the users: no token',
  ])
  assert.ok(interactions.every(({ response }) => response.anyRefusal && response.json === undefined))
  const stated = interactions.map(({ comments }) => comments.filter(text => /^A-2 /.test(text)).length)
  assert.equal(stated, [0, 0, 1, 1])
  const pinned = used([scenario('restart', met)], { pinStatuses: true }).interactions
  assert.ok(pinned.every(({ response }) => response.status === 401 && !response.anyRefusal))
})

test('a logon by its credentials, and by the old token that some clients send with it', () => {
  const wrong = logon({ issued: null, status: 401, responseBody: '{}' })
  const { named } = used([
    scenario('token-expires', [logon(), request({ bearer: FIRST }), logon({ bearer: FIRST, state: 'expired' })]),
    scenario('wrong-password', [wrong]),
  ])
  assert.equal(named, [
    'a logon: right credentials',
    'a request for the users: a valid token',
    'a logon: right credentials + an expired token',
    'a logon: wrong credentials',
  ])
})

test('scenarios that were not passed give nothing, and that is told', () => {
  const requests = [logon(), request({ bearer: FIRST })]
  const { named, left } = used([
    scenario('normal', requests, { outcome: 'failed' }),
    scenario('slow', requests, { outcome: 'inconclusive' }),
    scenario('restart', [request({ bearer: SECOND })]),
  ])
  assert.equal(named, ['a request for the users: a valid token'])
  assert.equal(left, [
    { name: 'scenario slow', reason: 'the client could not be judged in it' },
    { name: 'scenario normal', reason: 'the client failed in it' },
  ])
  assert.equal(used([scenario('normal', requests, { outcome: 'failed' })]).interactions, [])
})

test("paths are the client's own; what the mock Core does not have is pending", () => {
  const absent = { bearer: FIRST, status: 404, responseBody: '{}' }
  const { interactions, named } = used([
    scenario('normal', [
      request({ bearer: FIRST, query: 'page=2' }),
      request({ bearer: FIRST, method: 'HEAD' }),
      request({ ...absent, path: '/api/v0/x%2Fy' }),
      request({ ...absent, path: '/api/v0/x', method: 'POST', body: '{"n":[7]}', headers: JSON_TYPE }),
      refused({ path: '/api/v0/x%2Fy' }),
    ]),
  ])
  assert.equal(named, [
    `GET ${USERS}?page=2: a valid token`,
    `HEAD ${USERS}: a valid token`,
    'GET /api/v0/x%2Fy: a valid token',
    'POST /api/v0/x with JSON: a valid token',
    'GET /api/v0/x%2Fy: no token',
  ])
  const pending = interactions.map(each => each.pending)
  assert.equal(pending, [undefined, undefined, true, true, undefined])
  const [page, head, path, post, none] = interactions
  assert.equal([page?.request.path, page?.request.query], [USERS, [['page', '2']]])
  assert.is(head?.response.json, undefined)
  assert.equal([path?.request.path, path?.response.status, path?.response.anyRefusal], ['/api/v0/x%2Fy', 404, false])
  assert.match(path?.comments.at(-1) ?? '', /has no such endpoint/)
  assert.equal(exampleOf(post?.request.body && 'json' in post.request.body ? post.request.body.json : null), { n: [1] })
  // Where a valid token is also answered with a refusal status, only the status tells them apart.
  assert.is(none?.response.anyRefusal, false)
})

const post = (path: string, body: string, headers: Told['headers'] = JSON_TYPE) =>
  request({ bearer: FIRST, method: 'POST', path, body, headers })

test('what a contract cannot hold is left out, and told without a secret', () => {
  const { interactions, left } = used([
    scenario('normal', [
      request({ bearer: FIRST, path: `/api/v0/${FIRST}` }),
      request({ bearer: FIRST, query: `user=client` }),
      post('/api/v0/a', 'I am client', { 'content-type': 'text/plain' }),
      post('/api/v0/b', '{}', {}),
      post('/api/v0/c', 'a=b'),
      post('/api/v0/d', `"${'x'.repeat(20_000)}"`.slice(0, 16_384)),
      request({ bearer: FIRST, path: '/other' }),
      request({ bearer: FIRST, path: '/api/../up' }),
      request({ headers: { authorization: 'Basic Y2xpZW50OnB3' } }),
      { ...request({ bearer: FIRST, status: 406, path: '/api/v0/e' }), headers: {} },
      request({ bearer: FIRST, status: null, path: '/api/v0/f' }),
      request({ bearer: FIRST, abandoned: true, path: '/api/v0/g' }),
    ]),
  ])
  assert.equal(interactions, [])
  assert.equal(
    left.map(({ name, reason }) => `${name}: ${reason}`),
    [
      'GET /other: it is not under /api',
      `GET ${USERS}: its header Authorization holds what a contract cannot bring`,
      'GET /api/v0/e: it has no Host header, and a contract cannot say that a header is missing',
      'POST /api/v0/b: it has a body without a Content-Type',
      "POST /api/v0/a: its body holds the user's name",
      'POST /api/v0/c: its body is not what its Content-Type says',
      'POST /api/v0/d: its body is too long',
      'GET /api/v0/[token of the client]: its path holds what a contract cannot bring',
      `GET ${USERS}?user=client: its path holds the user's name`,
      'GET /api/../up: its path is not written as in a URL',
    ].sort((a, b) => (key(a) < key(b) ? -1 : 1)),
  )
})
const key = (text: string) => text.replace(/^(.*?): (.*)$/, '$2\0$1')

test('of several answers to one request the same is taken, in whatever order they came', () => {
  const busy = logon({ issued: null, status: 429, responseBody: '{}' })
  for (const logons of [
    [logon(), busy],
    [busy, logon()],
  ])
    assert.is(used([scenario('normal', logons)]).interactions[0]?.response.status, 201)
  const accepting = (accept: string) => request({ bearer: FIRST, headers: { accept } })
  const [a, b] = [accepting('a/a'), accepting('b/b')]
  assert.equal(used([scenario('normal', [a, b])]), used([scenario('normal', [b, a])]))
  // But the answer of the earlier scenario counts.
  const both = used([scenario('normal', [b]), scenario('slow', [a])])
  assert.equal(both.interactions[0]?.request.headers[0], ['Accept', 'b/b'])
})

test('a status after which the client logs on again is pinned, unless it does so after every refusal', () => {
  const dead = { bearer: FIRST, state: 'expired' as const, status: 401, number: 3, atMs: 20 }
  const expires = scenario('token-expires', [
    logon(),
    request({ bearer: FIRST, number: 2, atMs: 10 }),
    request(dead),
    logon({ number: 4, atMs: 30 }),
  ])
  const refusal = (status: number, ...after: RecordedRequest[]) =>
    scenario('not-acceptable', [logon(), request({ bearer: FIRST, number: 2, atMs: 10, status }), ...after])
  const again = logon({ number: 3, atMs: 20 })
  const statusOf = (...scenarios: ScenarioResult[]) => {
    const { interactions } = used(scenarios)
    const refused = interactions.find(({ states }) => states.includes('an expired token'))
    const said = refused?.comments.some(text => text.startsWith('This client logs on again after 401,'))
    return [refused?.response.anyRefusal ? 'any 4xx' : refused?.response.status, said]
  }
  assert.equal(statusOf(expires), [401, true])
  assert.equal(statusOf(expires, refusal(406)), [401, true])
  assert.equal(statusOf(expires, refusal(406, again)), ['any 4xx', false])
  assert.equal(statusOf(expires, refusal(406, again), refusal(403)), [401, true], 'it goes on after a 403')
  assert.equal(statusOf(expires, refusal(429, again)), [401, true], '429 refuses no token')
  const givesUp = scenario('token-expires', [logon(), request({ bearer: FIRST, number: 2, atMs: 10 }), request(dead)])
  assert.equal(statusOf(givesUp), ['any 4xx', false])
})

test('a field that no answer has pins nothing, so it is a mistake', () => {
  const records = [scenario('normal', [logon(), request({ bearer: FIRST, responseBody: '[{"name":"anna"}]' })])]
  assert.throws(
    () => used(records, { fields: ['nmae'] }),
    /no answer .* has a field 'nmae' with a value; did you mean 'name'\?/,
  )
  assert.is(used(records, { fields: ['name'] }).interactions.length, 2)
})

test('tokens by the format of the dialect, at the place where the client found one', () => {
  const bearer = `p.${'9'.repeat(8)}`
  const body = JSON.stringify({ data: [{ session_token: bearer }], token: 'another-token-that-is-not-used' })
  const dialect = { token: { alphabet: 'abcdef0123456789', length: 8, prefix: 'p.' } }
  const { interactions } = used([scenario('normal', [logon({ responseBody: body }), request({ bearer })])], { dialect })
  const { json } = interactions[0]?.response ?? {}
  assert.match(
    JSON.stringify(json),
    /"data":\[\{"session_token":\{"pact:matcher:type":\[\{"pact:matcher:type":"type"\},\{"pact:matcher:type":"regex"/,
  )
  assert.match(JSON.stringify(json), /"token":\{"pact:matcher:type":"type","value":"text"\}/)
  assert.match(interactions[0]?.comments.join() ?? '', /a token of 10 characters, token68, at \/data\/0\/session_token/)
})

test.run()
