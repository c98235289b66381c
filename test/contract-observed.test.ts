import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { parseJson } from '../dist/ground/json.js'
import { referenceDocument, toJson, toYaml } from '../dist/openapi/document.js'
import { observedDocument } from '../dist/openapi/fill.js'
import type { ExchangeRecord, RunResult, SpecRecord } from '../dist/result.js'
import { HOSTILE } from './fixtures/results/hostile.js'
import { exchange, result, spec, step } from './fixtures/results/results.js'
import * as samples from './fixtures/results/samples.js'
import { assertInert } from './support/inert.js'
import { long } from './support/long.js'
import { assertExamplesValid, assertLintsClean, type Loose } from './support/openapi.js'

const test = suite('observed OpenAPI')

/**
 * Every document of these tests as YAML, linted together at the end: the linter takes half a second to start. As JSON it is
 * the same document.
 */
const texts: Record<string, string> = {}

/** Returns the document of a run, the same in both formats, with valid examples. */
function documentOf(run: RunResult): Loose {
  const document = observedDocument(run)
  const [yaml, json] = [toYaml(document, 'A test.'), toJson(document)]
  // Compared as text, since uvu looks at a key called constructor.
  assert.is(JSON.stringify(parse(yaml)), JSON.stringify(JSON.parse(json)))
  assert.is(toYaml(observedDocument(run), 'A test.'), yaml, 'deterministic')
  texts[`${Object.keys(texts).length}.yaml`] = yaml
  assertExamplesValid(JSON.parse(json))
  return JSON.parse(json)
}

interface Seen {
  body?: string
  type?: string
  status: number
  request?: Partial<ExchangeRecord['request']>
}

const LOGON = { method: 'POST', path: '/api/v0/logon' }
const DELETE = { method: 'DELETE', path: '/api/v0/logon' }

function seen({ body = '', type = 'application/json', status, request }: Seen): ExchangeRecord {
  const base = exchange()
  return {
    ...base,
    request: { ...base.request, ...request },
    response: {
      status,
      statusText: '',
      httpVersion: '1.1',
      headers: type ? [['Content-Type', type]] : [],
      body,
      bodyBytes: Buffer.byteLength(body),
      complete: true,
    },
  }
}

/** Makes a spec whose last step had this answer. */
const observed = (id: string, ...answers: Seen[]): SpecRecord =>
  spec({
    id,
    outcome: 'observed',
    steps: [step({ exchanges: [] }), step({ exchanges: answers.map((_, at) => at) })],
    exchanges: answers.map(seen),
  })

/** Makes a run with these specs, whose survey is not kept. */
const runWith = (specs: SpecRecord[], change: Partial<RunResult> = {}) => result(specs, { survey: [], ...change })

/** Makes a run with just these observations. */
function runOf(specs: SpecRecord[], facts: RunResult['facts'], change: Partial<RunResult> = {}): RunResult {
  const { dialect } = result([])
  const nothing = {
    ...dialect,
    logonStatus: null,
    acceptedStatus: null,
    rejectedStatus: null,
    unknownTokenStatus: null,
  }
  return runWith(specs, { facts, dialect: nothing, ...change })
}

const dialectOf = (change: Partial<RunResult['dialect']>): RunResult['dialect'] => ({
  ...result([]).dialect,
  ...change,
})
const users = (document: Loose) => document.paths['/api/v0/cores/self/users'].get
const logon = (document: Loose) => document.paths['/api/v0/logon'].post
const revoke = (document: Loose) => document.paths['/api/v0/logon'].delete

test('runs of every verdict', () => {
  for (const run of Object.values(samples)) documentOf(run)
})

test('of an untestable run, everything is as the reference leaves it', () => {
  const document = documentOf({ ...samples.untestable, facts: {} })
  const { paths, components } = JSON.parse(JSON.stringify(referenceDocument()))
  assert.equal(document.paths, paths)
  assert.equal(document.components, components)
  assert.is(document.info['x-observed'].verdict, 'untestable')
})

test('a logon whose answer was lost tells nothing of what a token looks like', () => {
  const dialect = dialectOf({ token: null, logonStatus: 201, acceptedStatus: null, rejectedStatus: null })
  const document = documentOf(runWith([], { dialect, facts: {} }))
  assert.is(logon(document).responses['201'], undefined)
  assert.is(document.components.schemas.BearerToken, undefined)
})

test('the logon: status, field, length and alphabet of the token, and no secret beside it', () => {
  const body = '{"user":{"role":"admin","id":7},"data":[{"bearer":"[token a]"}],"refresh":"kanari-1","at":"2026-01-01"}'
  const dialect = dialectOf({
    logonStatus: 201,
    token: { pointer: '/data/0/bearer', length: 10, alphabet: 'digits' },
    sessions: 'newest',
  })
  const specs = [observed('observe-logon', { status: 201, body, request: LOGON })]
  const document = documentOf(runWith(specs, { facts: { 'logon.status': 201 }, dialect }))
  const { content, ...response } = logon(document).responses['201']
  assert.equal(response['x-observed'], ['logon'])
  const { schema, examples } = content['application/json']
  assert.equal(schema, { $ref: '#/components/schemas/LogonResponse' })
  assert.equal(examples.logon.value, {
    user: { role: 'admin', id: 7 },
    data: [{ bearer: '0123456789' }],
    refresh: '[text]',
    at: '[text]',
  })
  const { LogonResponse, BearerToken } = document.components.schemas
  assert.equal(LogonResponse.required, ['at', 'data', 'refresh', 'user'])
  assert.equal(LogonResponse.properties.data.items.properties.bearer, { $ref: '#/components/schemas/BearerToken' })
  assert.is(LogonResponse.properties.user.properties.id.type, 'integer')
  const { minLength, maxLength, pattern } = BearerToken
  assert.equal([minLength, maxLength, pattern], [10, 10, '^[0-9]+$'])
  assert.equal(document.components.securitySchemes.bearer['x-observed'], {
    field: '/data/0/bearer',
    length: 10,
    alphabet: 'digits',
    sessions: 'newest',
  })
  assert.not('content' in logon(document).responses.default)
})

test('tokens whose lengths differ get no length', () => {
  const one = { status: 200, body: '{"token":"[token a]"}', request: LOGON }
  const run = runWith([observed('observe-logon', one, one)])
  assert.is(documentOf(run).components.schemas.BearerToken.maxLength, 64)
  const answer = run.specs[0]?.exchanges[1]?.response
  if (answer) answer.bodyBytes += 3
  const { minLength, maxLength } = documentOf(run).components.schemas.BearerToken
  assert.equal([minLength, maxLength], [1, undefined])
})

test('an example token of any alphabet and of any length', () => {
  for (const alphabet of ['hex (upper case)', 'token68', 'of a later version']) {
    for (const length of [1, 2048]) {
      const dialect = dialectOf({ token: { pointer: '/token', length, alphabet } })
      const exchanges = { status: 200, body: '{"token":"[token a]"}', request: LOGON }
      const document = documentOf(runWith([observed('observe-logon', exchanges)], { dialect }))
      const { examples } = document.components.schemas.BearerToken
      assert.is(examples[0].length, length)
      assert.is(logon(document).responses['200'].content['application/json'].examples.logon.value.token, examples[0])
    }
  }
})

test('a field may be missing, or null, in some of the answers', () => {
  const bodies = ['[{"id":1,"mail":null},{"id":2.5,"mail":"a"},{"id":3}]', '[]']
  const specs = [observed('observe-access', ...bodies.map(body => ({ status: 200, body })))]
  const document = documentOf(runWith(specs, { facts: { 'access.status': 200 } }))
  assert.equal(document.components.schemas.Users.items, {
    type: 'object',
    required: ['id'],
    properties: { id: { type: 'number' }, mail: { type: ['null', 'string'] } },
  })
  assert.equal(Object.keys(users(document).responses), ['200', '401', '406', '4XX', 'default'])
})

test('what refusals look like, with one name where they look alike', () => {
  const body = '{"code":401,"message":"Unauthorized"}'
  const specs = [
    observed('observe-no-token', { status: 401, body }),
    observed('observe-revoked-token', { status: 403, body: '{"code":403,"message":"Revoked"}' }),
    observed('observe-expired-token', { status: 419, body: '<p>gone</p>', type: 'Text/HTML; charset=utf-8' }),
    observed('observe-revocation-repeated', { status: 401, body, request: DELETE }),
  ]
  const facts = {
    'no-token.status': 401,
    'unknown-token.status': 401,
    'revoked-token.status': 403,
    'expired-token.status': 419,
    'revocation-repeated.status': 401,
  }
  const document = documentOf(runOf(specs, facts, { dialect: dialectOf({ acceptedStatus: 200, rejectedStatus: 401 }) }))
  const { responses } = users(document)
  assert.equal(responses['401']['x-observed'], ['no-token', 'unknown-token'])
  assert.match(
    responses['401'].description,
    /^Seen as the refusal of a request without a token or a token that was never/,
  )
  const ref = { $ref: '#/components/schemas/Refusal' }
  for (const response of [responses['401'], responses['403'], revoke(document).responses['401']]) {
    assert.equal(response.content['application/json'].schema, ref)
  }
  assert.equal(document.components.schemas.Refusal.required, ['code', 'message'])
  assert.is(responses['403'].content['application/json'].examples['revoked-token'].value.message, 'Revoked')
  const { schema, examples } = responses['419'].content['text/html']
  assert.equal([schema, examples['expired-token'].value], [{ type: 'string' }, '<p>gone</p>'])
})

test('one status for acceptance and refusal: either body', () => {
  const specs = [
    observed('observe-logon', { status: 200, body: '{"token":"[token a]"}', request: LOGON }),
    observed('logon-wrong-password', { status: 200, body: '{"token":null}', request: LOGON }),
  ]
  const document = documentOf(runWith(specs, { facts: { 'logon-wrong-password.status': 200 } }))
  const { schema } = logon(document).responses['200'].content['application/json']
  assert.is(schema.anyOf.length, 2)
  assert.equal(document.components.schemas.LogonResponse.required, ['token'])
})

test('faults of a Core are in the record, and no part of its API', () => {
  const withoutHost: Partial<ExchangeRecord['request']> = { headers: [['Accept', 'application/json']] }
  const specs = [
    observed('observe-revoked-token', { status: 200, body: '[]' }),
    observed('observe-expired-token', { status: 500, body: '' }),
    observed('logon-wrong-password', { status: 200, body: '{"token":"[token issued unasked]"}', request: LOGON }),
    observed(
      'host-missing-access-http11',
      { status: 406, request: withoutHost },
      { status: 400, request: withoutHost },
    ),
    spec({ id: 'revocation-rejects', outcome: 'failed' }),
  ]
  const facts = { 'revoked-token.status': 200, 'expired-token.status': 500, 'logon-wrong-password.status': 200 }
  const document = documentOf(runWith(specs, { facts }))
  const { responses, 'x-observed': all } = users(document)
  assert.equal(Object.keys(responses), ['200', '401', '406', '4XX', 'default'])
  assert.equal(responses['200']['x-observed'], ['access'])
  assert.equal(responses['406'], { $ref: '#/components/responses/HostMissing' })
  assert.equal([all['revoked-token'], all['expired-token'], all['missing-host']], [200, 500, 400])
  assert.equal(logon(document).responses['200']['x-observed'], ['logon'])
  assert.equal(document.info['x-observed'].failed, ['revocation-rejects'])
})

test('the body of the 406 is filled in; the reference states the rest', () => {
  const request: Partial<ExchangeRecord['request']> = { ...DELETE, headers: [] }
  const run = runOf([observed('host-missing-revoke-http11', { status: 406, body: '{"code":406}', request })], {})
  const document = documentOf(run)
  const response = revoke(document).responses['406']
  assert.match(response.description, /^Not Acceptable: the request had no `Host` header/)
  assert.equal(response.content['application/json'].examples['missing-host'].value, { code: 406 })
  assert.equal(users(document).responses['406'], { $ref: '#/components/responses/HostMissing' })
})

test('a role that may not list users: its 403 is what a valid token gets', () => {
  const facts = { 'access.status': 403, 'no-token.status': 403 }
  const specs = [observed('observe-access', { status: 403, body: '{"code":403}' })]
  const document = documentOf(runWith(specs, { facts, dialect: dialectOf({ acceptedStatus: 403 }) }))
  const { description, 'x-observed': situations } = users(document).responses['403']
  assert.match(
    description,
    /^Seen as the answer to a valid token\.\n\nSeen as the refusal of a request without a token\.\n$/,
  )
  assert.equal(situations, ['access', 'no-token'])
  assert.equal(
    users(document).responses.default,
    JSON.parse(JSON.stringify(users(referenceDocument()).responses.default)),
  )
})

test('access control off: no token is needed', () => {
  const { configuration } = result([])
  const document = documentOf(
    runOf(
      [],
      { 'access.accepted.status': 200 },
      {
        configuration: { ...configuration, accessControl: 'off' },
        dialect: dialectOf({
          token: null,
          logonStatus: null,
          acceptedStatus: 200,
          rejectedStatus: null,
          unknownTokenStatus: null,
        }),
        survey: [seen({ status: 200, body: '[{"id":1}]', request: { headers: [['Host', 'a']] } })],
      },
    ),
  )
  assert.equal(users(document).security, [{}, { bearer: [] }])
  assert.match(users(document).responses['200'].description, /^Seen as the answer to a request without a token/)
  assert.is(document.components.schemas.Users.type, 'array')
})

test('an own probe path gets an operation; that of the reference stays as it is', () => {
  const { configuration } = result([])
  const probePath = '/api/v0/things/{x}?kind=a%20b&n=1'
  const specs = [observed('observe-access', { status: 200, body: '{"a":1}', request: { path: probePath } })]
  const change = { configuration: { ...configuration, probePath }, facts: { 'access.status': 200 } }
  const document = documentOf(runWith(specs, change))
  const { get } = document.paths['/api/v0/things/%7Bx%7D']
  assert.is(get.operationId, 'getProbe')
  assert.equal(
    get.parameters.map(({ name, example }: Loose) => [name, example]),
    [
      ['kind', 'a b'],
      ['n', '1'],
    ],
  )
  assert.equal(get.responses['200'].content['application/json'].schema.properties, { a: { type: 'integer' } })
  assert.equal(users(document), JSON.parse(JSON.stringify(users(referenceDocument()))))
  documentOf(runWith([], { configuration: { ...configuration, probePath: '/api/v0/logon' } }))
})

long(test)('hostile bodies and types: inert text, valid examples, bounded depth', () => {
  const bodies = [
    ...Object.values(HOSTILE).flatMap(text => [text, JSON.stringify({ [text.slice(0, 300)]: text, b: [text] })]),
    '{"a":"\\ud800","\\udfff\\u202e":"\\\\ud800\\\\\\ud800x"}',
    '{"__proto__":{"a":1},"constructor":2,"a/b~c":[]}',
    '{"n":[1e400,-1e400,-0,1.5,1e21]}',
    `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
    `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
    `{${Array.from({ length: 500 }, (_, at) => `"k${at}":${at}`).join()}}`,
    '{"$ref":"#/nowhere","type":"x"}',
    '[1,"a",null,{"a":1},[2],true,{"b":[]}]',
    '{"cut',
    'null',
  ]
  const types = ['application/json', 'text/plain', '', 'application/problem+json', '../x', 'a/b\u202e', 'TEXT/Html;x']
  for (const [at, body] of bodies.entries()) {
    const type = types[at % types.length] ?? ''
    const specs = ['application/json', type].map((each, index) =>
      observed(index ? 'observe-access' : 'observe-no-token', { status: index ? 200 : 401, body, type: each }),
    )
    const issued = `{"token":"[token a]","more":${type === 'application/json' && parseJson(body) !== undefined ? body : '0'}}`
    specs.push(observed('observe-logon', { status: 200, body: issued, request: LOGON }))
    const run = runWith(specs)
    documentOf(run)
    const document = observedDocument(run)
    for (const text of [toYaml(document, 'A test.'), toJson(document)]) assertInert(text)
  }
})

test('an answer without a body has no content, whatever type it names', () => {
  const run = runOf([observed('observe-revocation', { status: 200, request: DELETE })], { 'revocation.status': 200 })
  const { description, 'x-observed': situations, content } = revoke(documentOf(run)).responses['200']
  assert.equal(
    [description, situations, content],
    ['Seen as the answer to a valid token.\n', ['revocation'], undefined],
  )
})

test('statuses that OpenAPI does not know stand in the record only', () => {
  const run = runOf([observed('observe-revocation', { status: 999, request: DELETE })], { 'revocation.status': 999 })
  const document = documentOf(run)
  assert.equal(revoke(document)['x-observed'], { revocation: 999 })
  assert.equal(Object.keys(revoke(document).responses), ['406', 'default'])
})

long(test)('all of these documents lint clean', () => {
  assert.ok(Object.keys(texts).length > 40)
  assertLintsClean(texts)
})

test.run()
