import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type BuildOptions, buildInteraction } from '../dist/pact/make/build.js'
import { checkNames, interactionNames, select } from '../dist/pact/make/select.js'
import { exampleOf, type Interaction } from '../dist/pact/process/model.js'
import { ContractError } from '../dist/pact/read/contract-file.js'
import type { InteractionRecord } from '../dist/result.js'
import { DIALECT, exchange, mark, spec, type Told } from './contract-support.js'

const test = suite('interactions from a result')

const OPTIONS: BuildOptions = {
  dialect: DIALECT,
  observedOn: 'core.example',
  pinStatuses: false,
  strictToken: true,
  fields: ['all'],
}
const LEAST: Partial<BuildOptions> = { strictToken: false, fields: [] }
const requirements = [{ id: 'DOOR-1', section: 'Doors', text: 'A door opens.' }]

function tried(told: Told, more: Partial<InteractionRecord> = {}, options: Partial<BuildOptions> = {}) {
  return buildInteraction({ mark: mark(more), requirements, exchange: exchange(told) }, { ...OPTIONS, ...options })
}

function made(told: Told, more: Partial<InteractionRecord> = {}, options: Partial<BuildOptions> = {}): Interaction {
  const interaction = tried(told, more, options)
  if (typeof interaction === 'string') throw new Error(interaction)
  return interaction
}

const LOGON: Told = {
  method: 'POST',
  path: '/api/v0/logon',
  headers: [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'core-conformance/1'],
  ],
  request: '{"username":"anna","password":"[password]"}',
  status: 201,
  body: '{"token":"[token a]","user":"anna"}',
}

/** The matcher of a token in JSON: a text, since a pattern alone takes a number too. */
const tokenText = (regex: string, value: string) => ({
  'pact:matcher:type': [{ 'pact:matcher:type': 'type' }, { 'pact:matcher:type': 'regex', regex }],
  value,
})

test('without more, a contract holds a Core to what a client may rely on: any 2xx, and a token that can be sent', () => {
  const logon = made(LOGON, { state: 'right credentials' }, LEAST).response
  const token = tokenText('^[!-~]+$', '01234567')
  assert.equal(logon, { status: 201, anyRefusal: false, anySuccess: true, json: { token } })
  const nested = made({ ...LOGON, body: '{"data":[1,{"t":"[token a]","u":2}]}' }, { state: 'right credentials' }, LEAST)
  assert.equal(nested.response.json, { data: [{ 'pact:matcher:type': 'number', value: 1 }, { t: token }] })
  const users: Told = { body: '[{"id":1,"name":"anna","role":{"name":"x","level":2}}]' }
  assert.is(made(users, {}, LEAST).response.json, undefined)
  assert.match(
    made(users, {}, LEAST).comments.at(-1) ?? '',
    /\(any 2xx will do\); a body in JSON, whose fields are left open/,
  )
  const text = { 'pact:matcher:type': 'type', value: 'text' }
  assert.equal(made(users, {}, { ...LEAST, fields: ['name'] }).response.json, {
    'pact:matcher:type': 'type',
    min: 1,
    value: [{ name: text, role: { name: text } }],
  })
  const pinned = made(users, {}, { ...LEAST, pinStatuses: true }).response
  assert.equal(pinned, { status: 200, anyRefusal: false })
})

test('a logon: no name and no password of the run, the token by its pattern where that is asked for', () => {
  const { request, response } = made(LOGON, { state: 'right credentials' })
  assert.equal(request.headers, [['Content-Type', 'application/json']])
  assert.ok(request.body && 'json' in request.body)
  assert.equal(request.body, {
    json: {
      password: {
        'pact:matcher:type': 'type',
        value: 'example-password',
        'pact:generator:type': 'ProviderState',
        expression: `\${password}`,
      },
      username: {
        'pact:matcher:type': 'type',
        value: 'example-username',
        'pact:generator:type': 'ProviderState',
        expression: `\${username}`,
      },
    },
  })
  assert.equal([response.status, response.anyRefusal], [201, false])
  assert.equal(response.json, {
    token: tokenText('^[0-9a-f]{8}$', '01234567'),
    user: { 'pact:matcher:type': 'type', value: 'text' },
  })
})

test('a refused logon has a made-up password, whatever the run tried', () => {
  const body = '{"username":"anna","password":"0e7ae264a2a6"}'
  const interaction = made({ ...LOGON, request: body, status: 401 }, { state: 'wrong credentials' })
  assert.not.match(JSON.stringify(interaction), /anna|0e7ae264a2a6/)
})

test('the token of a request is any, and comes from the provider state', () => {
  const headers: [string, string][] = [['Authorization', 'Bearer [token a]']]
  assert.equal(made({ headers }).request.headers, [
    [
      'Authorization',
      {
        'pact:matcher:type': 'regex',
        regex: '^Bearer [A-Za-z0-9._~+/-]+=*$',
        value: 'Bearer 01234567',
        'pact:generator:type': 'ProviderState',
        expression: `Bearer \${token}`,
      },
    ],
  ])
  const [[, elsewhere] = ['', '']] = made({ headers: [['Cookie', 'a=[token a]; b=[token a]']] }).request.headers
  assert.is(exampleOf(elsewhere), 'a=01234567; b=01234567')
  // A token that the run made up is not hidden in the result, but is still a token.
  const [[, unknown] = ['', '']] = made({ headers: [['Authorization', 'Bearer feedface']] }).request.headers
  assert.is(exampleOf(unknown), 'Bearer 01234567')
})

test('a refusal is any 4xx, unless pinned, or where acceptance is one too; its body is left open', () => {
  const refused = { status: 419, body: '{"code":419}' }
  const state = 'an expired token'
  const { response, comments } = made(refused, { state })
  assert.equal(response, { status: 419, anyRefusal: true })
  assert.is(
    comments.at(-1),
    'Observed on core.example, since the reference does not show it: status 419 (any 4xx will do)',
  )
  assert.equal(made(refused, { state }, { pinStatuses: true }).response, { status: 419, anyRefusal: false })
  const dialect = { ...DIALECT, acceptedStatus: 403 }
  assert.equal(made(refused, { state }, { dialect }).response, { status: 419, anyRefusal: false })
  // An accepted logon gives a token, whatever this user's rights are.
  const logon = made({ ...LOGON, status: 401, body: '{"code":401}' }, { state: 'wrong credentials' }, { dialect })
  assert.equal(logon.response, { status: 401, anyRefusal: true })
  // A Core that refuses with a success status shows the refusal only in the body.
  const odd = made({ status: 200, body: '{"ok":false}' }, { state: 'wrong credentials' }).response
  assert.equal(odd, { status: 200, anyRefusal: false, json: { ok: { 'pact:matcher:type': 'type', value: true } } })
  // Nothing should be refused here: it is the normal answer for this user.
  assert.is(made({ status: 403, body: '{}' }).response.anyRefusal, false)
})

test('a token in a header, or with a scheme before it, is in the contract as it comes', () => {
  const token = { pointer: 'header:x-auth-token', length: 8, alphabet: 'hex (lower case)' }
  const answered: [string, string][] = [['X-Auth-Token', '[token a]']]
  const state = { state: 'right credentials' }
  const header = made({ ...LOGON, answered, body: '{"user":"anna"}' }, state, { dialect: { ...DIALECT, token } })
  const pattern = { 'pact:matcher:type': 'regex', regex: '^[0-9a-f]{8}$', value: '01234567' }
  assert.equal(header.response.headers, [['X-Auth-Token', pattern]])
  assert.match(header.comments.at(-1) ?? '', /a token of 8 characters, hex \(lower case\), at header:x-auth-token$/)
  const ready = made({ ...LOGON, body: '{"token":"Bearer [token a]"}' }, state)
  assert.equal(ready.response.json, {
    token: tokenText('^Bearer [0-9a-f]{8}$', 'Bearer 01234567'),
  })
  assert.is(ready.response.headers, undefined)
})

test('a Core that names a token where no client takes it from is not held to that', () => {
  const told: Told = { method: 'DELETE', path: '/api/v0/logon', status: 200, body: '{"revoked":"[token a]"}' }
  const answered: [string, string][] = [['X-Revoked', '[token a]']]
  const { response, comments } = made({ ...told, answered }, {}, LEAST)
  assert.equal(response, { status: 200, anyRefusal: false, anySuccess: true })
  assert.match(comments.at(-1) ?? '', /a body in JSON, whose fields are left open here$/)
  const revoked = { 'pact:matcher:type': 'type', value: 'text' }
  assert.equal(made(told, {}, { ...LEAST, fields: ['revoked'] }).response.json, { revoked })
})

test('a body that does not say to be JSON is left open, and said to be', () => {
  const { response, comments } = made({ type: 'text/html', body: '<p>' })
  assert.equal(response, { status: 200, anyRefusal: false, anySuccess: true })
  assert.match(comments.at(-1) ?? '', /a body that is not sent as application\/json, which is left open here$/)
  assert.is(made({ type: '', body: '' }).response.json, undefined)
})

test('the path is exact, its query apart; what belongs to the connection is left out', () => {
  const { path, query, method } = made({ path: '/api/v0/x%20y?b=2&a=1&b=3' }).request
  assert.equal([method, path], ['GET', '/api/v0/x%20y'])
  assert.equal(query, [
    ['b', '2'],
    ['a', '1'],
    ['b', '3'],
  ])
})

test('other bodies are taken by shape, and text as it is', () => {
  const json = made({ method: 'POST', path: '/api/v0/other', request: '{"username":"anna","n":[1,2]}' }).request.body
  assert.not.match(JSON.stringify(json), /anna/)
  assert.equal(made({ method: 'POST', request: 'a=b' }).request.body, { text: 'a=b' })
})

test('what no contract can bring is said', () => {
  for (const [told, reason] of [
    [{ path: '/api/v0/x?token=[token a]' }, /path/],
    [{ path: '/api/v0/x?token=%5Btoken%20a%5D' }, /path/],
    [{ headers: [['Authorization', 'Basic [basic-credentials]']] }, /header Authorization/],
    [
      {
        headers: [
          ['X-A', '1'],
          ['x-a', '2'],
        ],
      },
      /header twice/,
    ],
    [{ method: 'POST', request: 'p=[password]' }, /body/],
    [{ method: 'POST', path: '/api/v0/logon', request: 'username=anna&password=x' }, /body/],
  ] as [Told, RegExp][]) {
    assert.match(String(tried(told)), reason)
  }
})

test('only what passed is proved; the rest is left out, with why', () => {
  const result = {
    specs: [
      spec([mark({ name: 'one', state: 'no token' })]),
      spec([mark({ name: 'two', description: 'b' })], { id: 'b', outcome: 'failed', message: 'no' }),
      spec([mark({ name: 'three', description: 'c' })], {
        id: 'c',
        outcome: 'skipped',
        message: 'quick',
        exchanges: [],
      }),
      spec([mark({ name: 'four', description: 'd' })], { id: 'd', outcome: 'blocked', message: 'gone' }),
      spec([mark({ name: 'five', description: 'e', step: 3 })], { id: 'e' }),
    ],
  }
  const { proved, left } = select(result, [])
  assert.equal(
    proved.map(each => each.mark.name),
    ['one'],
  )
  assert.equal(left, [
    { name: 'two', reason: 'b failed' },
    { name: 'three', reason: 'quick' },
    { name: 'four', reason: 'd was blocked: gone' },
    { name: 'five', reason: 'e recorded no whole response for it' },
  ])
  const some = select(result, ['five', 'one'])
  assert.equal([some.proved.length, some.left.map(({ name }) => name)], [1, ['five']])
})

test('names that are not there, and interactions that cannot be told apart', () => {
  const specs = [spec([mark(), mark({ name: 'other', state: 'no token' })])]
  assert.equal(interactionNames(specs), ['users', 'other'])
  checkNames(specs, ['other'], '--interactions')
  const refused = (use: () => void, message: RegExp) =>
    assert.throws(use, (error: Error) => error instanceof ContractError && message.test(error.message))
  refused(
    () => checkNames(specs, ['usres'], '--interactions'),
    /^--interactions: there is no interaction 'usres'; did you mean 'users'\? \(known: users, other\)$/,
  )
  refused(
    () => interactionNames([...specs, spec([mark({ name: 'third' })], { id: 'b' })]),
    /cannot be told apart: users of a-spec and third of b \('a request' given 'a valid token'\)/,
  )
  refused(() => select({ specs: [...specs, ...specs] }, []), /cannot be told apart/)
})

test.run()
