/** The parts of judging that need no Core: windows, single responses, the verdict, requests, records and sentences. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Answers } from '../dist/core/answers.js'
import type { Exchange, WireResponse } from '../dist/core/exchange.js'
import { Redactor } from '../dist/core/redact.js'
import { Token } from '../dist/core/token.js'
import { credentialIn, credentialVariables } from '../dist/engine/credentials.js'
import { factsOf } from '../dist/engine/facts.js'
import { presentable, toExchangeRecord } from '../dist/engine/record.js'
import { type Departure, makeRequest } from '../dist/engine/requests.js'
import { sentence } from '../dist/engine/sentence.js'
import { judge } from '../dist/engine/steps/expectations.js'
import { countOutcomes, verdictOf } from '../dist/engine/verdict.js'
import { gapSince, type Lifetime, missedAlive, missedExpired, spanMs } from '../dist/engine/window.js'
import { OUTCOMES, type Outcome, type SpecRecord } from '../dist/result.js'
import type { RequestTemplate } from '../dist/suite/spec.js'
import { SEND } from './support/suite-run.js'

const window = suite('windows')
const LIFETIME: Lifetime = { lifetimeMs: 1000, tolerance: 0.1 }
const gap = (shortestMs: number, longestMs: number) => ({ shortestMs, longestMs })

window('"still valid" holds only where even the longest reading is safely under', () => {
  assert.is(missedAlive(gap(0, 899.9), LIFETIME), undefined)
  for (const longest of [900, 900.1, 1000, 5000]) assert.type(missedAlive(gap(0, longest), LIFETIME), 'string')
  assert.match(missedAlive(gap(850, 950), LIFETIME) ?? '', /850 ms to 950 ms.*only be judged under 900 ms/)
})

window('"expired" holds only where even the shortest reading is safely over', () => {
  assert.is(missedExpired(gap(1100.1, 1200), LIFETIME), undefined)
  for (const shortest of [0, 999, 1000, 1100]) assert.type(missedExpired(gap(shortest, 9000), LIFETIME), 'string')
  assert.match(missedExpired(gap(1050, 1200), LIFETIME) ?? '', /1\.05 s to 1\.2 s.*only be judged over 1\.1 s/)
})

window('a gap is read from send and receive on both sides, so that no delay can be taken for idleness', () => {
  const token = new Token('a', 'x', { sentAt: 100, receivedAt: 150 })
  const check = { sentAt: 1000, receivedAt: 1080 }
  assert.equal(gapSince(token.certainUse, check), gap(850, 980))
  token.used({ sentAt: 200, receivedAt: 260 }, false)
  // The Core may or may not have counted a refused request as a use.
  assert.equal(gapSince(token.certainUse, check), gap(850, 980))
  assert.equal(gapSince(token.possibleUse, check), gap(740, 880))
  token.used({ sentAt: 300, receivedAt: 310 }, true)
  assert.equal(gapSince(token.certainUse, check), gap(690, 780))
  assert.equal(gapSince(token.possibleUse, check), gap(690, 780))
})

window('a wait for "past lifetime" ends where "expired" can be judged, however the numbers fall', () => {
  for (const lifetimeMs of [1, 333, 1000, 1234.5, 3_600_000, 604_800_000]) {
    for (const tolerance of [0.01, 0.05, 0.1, 0.25]) {
      const lifetime = { lifetimeMs, tolerance }
      const waited = spanMs('past lifetime', lifetime)
      assert.is(missedExpired(gap(waited, waited), lifetime), undefined)
      assert.ok(waited <= lifetimeMs * (1 + tolerance) + 1)
    }
  }
})

window('a wait for a fraction is that fraction of the lifetime', () => {
  assert.is(spanMs({ fraction: 0.6 }, LIFETIME), 600)
  assert.is(missedAlive(gap(600, 600), LIFETIME), undefined)
})

window.run()

const judging = suite('judging')

function response(status: number, body = '', complete = true): WireResponse {
  return { status, statusText: 'Text', httpVersion: '1.1', headers: [], body, bodyBytes: body.length, complete }
}

function exchange(response?: WireResponse, error?: Exchange['error']): Exchange {
  const request = { method: 'GET', path: '/', headers: [], httpVersion: '1.1' as const, omitHost: false }
  return { request, sentAt: 0, receivedAt: 1, ...(response && { response }), ...(error && { error }) }
}

const ANSWERS = Answers.learn([exchange(response(200, '[]'))], [[exchange(response(401, 'no'))]])

judging('each expectation holds for what it says, and for nothing else', () => {
  const holds = (expectation: Parameters<typeof judge>[0], status: number, body = '') =>
    judge(expectation, exchange(response(status, body)), ANSWERS).holds
  assert.equal(
    [200, 204, 401, 406, 429, 500].map(status => holds('accepted', status)),
    [true, true, false, false, false, false],
  )
  for (const refusal of ['rejected', 'expired'] as const) {
    assert.equal(
      [200, 302, 400, 401, 403, 429, 500].map(status => holds(refusal, status)),
      [false, false, true, true, true, false, false],
    )
  }
  assert.equal(
    [406, 400, 200].map(status => holds(406, status)),
    [true, false, false],
  )
})

judging('where there is no answer, or not a whole one, nothing holds but that it was not accepted', () => {
  const error = { kind: 'closed' as const, message: 'the connection ended' }
  for (const expectation of ['accepted', 'rejected', 'expired', 406, 200] as const) {
    for (const status of [200, 401, 406]) {
      const { holds, got } = judge(expectation, exchange(response(status, '', false), error), ANSWERS)
      assert.is(holds, false)
      assert.match(got, /^\d{3} \w+, but the connection ended$/)
    }
    assert.is(judge(expectation, exchange(undefined, error), ANSWERS).holds, false)
  }
  // To hang up accepts nothing.
  assert.is(judge('not accepted', exchange(undefined, error), ANSWERS).holds, true)
})

judging('what was expected and what came is said', () => {
  const missed = judge('rejected', exchange(response(200, '[]')), ANSWERS)
  assert.is(missed.expected, 'rejected, as a request without a token is (401 Unauthorized)')
  assert.is(missed.got, '200 Text, as a fresh token gets')
  assert.match(judge('expired', exchange(response(200)), ANSWERS).expected, /^rejected as expired/)
  assert.is(judge('accepted', exchange(response(401)), ANSWERS).expected, 'accepted, as a fresh token is (200 OK)')
  assert.is(judge(406, exchange(response(400)), ANSWERS).expected, '406 Not Acceptable')
  assert.is(judge(499, exchange(response(400)), ANSWERS).expected, '499')
})

judging.run()

const verdict = suite('verdict')

function counted(outcomes: Partial<Record<Outcome, number>>) {
  const specs = OUTCOMES.flatMap(outcome =>
    Array<Pick<SpecRecord, 'outcome'>>(outcomes[outcome] ?? 0).fill({ outcome }),
  )
  return countOutcomes(specs as SpecRecord[])
}

verdict('a failure always counts', () => {
  const all = { passed: 1, failed: 1, observed: 1, skipped: 1, blocked: 1, inconclusive: 1 }
  for (const hindrance of [undefined, { verdict: 'incomplete' as const, reason: 'the run was interrupted' }]) {
    assert.is(verdictOf(counted(all), hindrance).verdict, 'nonconformant')
    assert.is(verdictOf(counted({ failed: 1 }), hindrance).verdict, 'nonconformant')
  }
  assert.is(verdictOf(counted({ failed: 1, passed: 2 }), undefined).reason, '1 of 3 specs that ran failed')
  const { reason } = verdictOf(counted({ failed: 1 }), { verdict: 'incomplete', reason: 'the Core was gone' })
  assert.is(reason, '1 of 1 spec that ran failed; then the Core was gone')
})

verdict('without a failure, every combination: conformant only if something passed and nothing is open', () => {
  for (const passed of [0, 2]) {
    for (const observed of [0, 2]) {
      for (const skipped of [0, 2]) {
        for (const open of [{}, { blocked: 1 }, { inconclusive: 1 }, { blocked: 1, inconclusive: 1 }]) {
          const counts = counted({ passed, observed, skipped, ...open })
          const isOpen = Object.keys(open).length > 0
          const expected = isOpen ? 'incomplete' : passed > 0 ? 'conformant' : 'untestable'
          assert.is(verdictOf(counts, undefined).verdict, expected, JSON.stringify(counts))
          for (const hindered of ['incomplete', 'untestable'] as const) {
            const hindrance = { verdict: hindered, reason: 'why', advice: 'what' }
            assert.equal(verdictOf(counts, hindrance), hindrance)
          }
        }
      }
    }
  }
})

verdict('a run that judged nothing says what to do', () => {
  const advice = { patience: '--patience', toJudgeMore: 'widen --only' }
  assert.is(verdictOf(counted({ skipped: 3 }), undefined, undefined, advice).advice, 'widen --only')
  assert.is(verdictOf(counted({ skipped: 3 }), undefined).advice, undefined, 'a library has no flags')
  assert.is(verdictOf(counted({ passed: 1 }), undefined, undefined, advice).advice, undefined)
})

verdict.run()

const requests = suite('requests')

const TEMPLATES = new Map<string, RequestTemplate>([
  [
    'logon',
    {
      method: 'POST',
      path: '/api/v0/logon',
      headers: { Accept: 'application/json', 'X-User': '{username}' },
      body: { username: '{username}', password: '{password}' },
    },
  ],
  ['access', { method: 'GET', path: '{probe-path}' }],
  ['elsewhere', { method: 'GET', path: ['/api/one', '/api/two'] }],
])
// Texts that would break a careless replacement: JSON, its own syntax, and the patterns of String.replace.
const VARIABLES = { username: 'a"b{password}', password: "p\\w$& $1 $' {username}", 'probe-path': '/api/$&/{x}' }
const make = (name: string, departure?: Departure) =>
  makeRequest({ requests: TEMPLATES, variables: VARIABLES }, name, departure, token => `value of ${token}`)

requests('variables are filled in once, and nothing in them is taken for more', () => {
  const { method, path, headers, body, omitHost, httpVersion } = make('logon')
  assert.equal([method, path, omitHost, httpVersion], ['POST', '/api/v0/logon', false, '1.1'])
  assert.equal(headers, [
    ['Accept', 'application/json'],
    ['X-User', VARIABLES.username],
  ])
  assert.equal(JSON.parse(body ?? ''), { username: VARIABLES.username, password: VARIABLES.password })
  assert.is(make('access').path, '/api/$&/{x}')
  assert.is(make('access').body, undefined)
})

requests('a step departs from its request', () => {
  assert.is(make('logon', { without: ['HOST'] }).omitHost, true)
  assert.equal(make('logon', { without: ['accept'] }).headers, [['X-User', VARIABLES.username]])
  assert.is(make('logon', { http: '1.0' }).httpVersion, '1.0')
  assert.is(make('logon', { body: '' }).body, '')
  assert.is(make('logon', { body: 'text {password}' }).body, `text ${VARIABLES.password}`)
  assert.is(make('logon', { body: ['{username}'] }).body, JSON.stringify([VARIABLES.username]))
  assert.is(make('access', { method: 'HEAD' }).method, 'HEAD')
  assert.is(make('access', { path: '/api/x?t={token a}' }).path, '/api/x?t=value%20of%20a')
  assert.equal(make('access', { headers: { 'X-T': ['{token a}', '{token b}'] } }).headers, [
    ['X-T', 'value of a'],
    ['X-T', 'value of b'],
  ])
  assert.equal(make('logon', { headers: { ACCEPT: 'text/plain' } }).headers, [
    ['X-User', VARIABLES.username],
    ['ACCEPT', 'text/plain'],
  ])
})

requests('of several paths the one that the survey found is taken', () => {
  assert.is(make('elsewhere').path, '/api/one')
  const paths = new Map([['elsewhere', '/api/two']])
  assert.is(makeRequest({ requests: TEMPLATES, variables: VARIABLES, paths }, 'elsewhere').path, '/api/two')
})

requests('a request that is not there is a fault of the suite', () => {
  assert.throws(() => make('nothing'), /has no request 'nothing'/)
})

requests.run()

const words = suite('sentences')
const said = (step: Parameters<typeof sentence>[0], probePath = '/api/users') =>
  sentence(step, { requests: TEMPLATES }, probePath)

words('each step is a sentence', () => {
  assert.is(said({ action: 'logon', token: 'a', http: '1.0', tests: [] }), 'log on and get token a over HTTP/1.0')
  assert.is(said({ ...SEND, token: { name: 'a' } }), 'GET /api/users with token a')
  assert.is(said({ ...SEND, token: { name: 'unknown' } }), 'GET /api/users with a token that was never issued')
  assert.is(said({ ...SEND, without: ['Host'], http: '1.0' }), 'GET /api/users without Host over HTTP/1.0')
  assert.is(said({ action: 'distinct', tokens: ['a', 'b'], tests: [] }), 'tokens a and b differ')
  assert.is(said({ action: 'later', tests: [] }), 'a moment later')
  const wait = { action: 'wait' as const, token: 'a', tests: [] }
  assert.is(
    said({ ...wait, since: 'used', span: 'past lifetime' }),
    'wait until token a has been unused for more than its lifetime',
  )
  assert.is(
    said({ ...wait, since: 'issued', span: { fraction: 0.6 } }),
    'wait until token a is as old as 60 % of its lifetime',
  )
})

words('secrets stay in braces', () => {
  const text = said({ ...SEND, request: 'logon', body: { password: '{password}' }, path: '/api?t={token a}' })
  assert.is(text, 'POST /api?t={token a} with the body {"password":"{password}"}')
})

words('any path can be told, also one that cannot be decoded', () => {
  for (const path of ['/api/%zz', '/api/100%', '/api/%E0%A4', '/api/$&$1']) {
    assert.is(said(SEND, path), `GET ${path}`)
  }
})

words.run()

const records = suite('records')

records('an exchange is recorded with what came and what went wrong', () => {
  const full = toExchangeRecord({
    ...exchange(response(200, 'x'), { kind: 'closed', message: 'cut', advice: 'not in the record' }),
    sentAt: 10,
    receivedAt: 35,
  })
  assert.equal([full.atMs, full.durationMs], [10, 25])
  assert.equal(full.error, { kind: 'closed', message: 'cut' })
  assert.is(full.response?.status, 200)
  assert.not.ok('omitHost' in full.request)
  assert.not.ok('response' in toExchangeRecord(exchange()))
})

records('redacted first and shortened then, so that no secret is cut in two', () => {
  const redactor = new Redactor()
  const secret = 'Geheim-1234-Geheim-1234'
  redactor.hide(secret, 'password')
  const redact = (text: string) => redactor.text(text)
  for (let before = 4060; before <= 4100; before++) {
    const shown = presentable(`${'x'.repeat(before)}${secret} and more ${'y'.repeat(100)}`, redact)
    assert.not.ok(shown.includes('Geheim'), `${before}`)
    assert.ok(shown.length <= 4097)
  }
})

records('every string is redacted, wherever it stands; other values stay', () => {
  const redact = (text: string) => text.replaceAll('secret', '[x]')
  const value = { a: 'secret', b: ['secret', 1, null, true, { c: [['h', 'secret']] }], verdict: 'secret', d: undefined }
  assert.equal(presentable(value, redact), {
    a: '[x]',
    b: ['[x]', 1, null, true, { c: [['h', '[x]']] }],
    verdict: 'secret',
    d: undefined,
  })
})

records.run()

const credentials = suite('credentials and facts')

credentials('wrong credentials differ from the right ones, or are left out', () => {
  for (const password of ['Geheim-1234', 'a', '1234', 'ß', 'ABC', '😀😀', 'İ']) {
    const { password: right, ...others } = credentialVariables({ username: 'admin', password })
    assert.is(right, password)
    for (const name of [
      'wrong-password',
      'swapped-case-password',
      'shortened-password',
      'prolonged-password',
    ] as const) {
      assert.is.not(others[name], password, name)
      if (name in others) assert.ok(others[name], name)
    }
    assert.is.not(others['wrong-username'], 'admin')
  }
  assert.not.ok('swapped-case-password' in credentialVariables({ username: 'admin', password: '1234' }))
  assert.not.ok('shortened-password' in credentialVariables({ username: 'admin', password: 'a' }))
})

credentials('a token that is made of the credentials is known for it', () => {
  const variables = { username: 'admin', password: 'Geheim-1234' }
  const both = Buffer.from('admin:Geheim-1234')
  for (const token of ['xGeheim-1234x', both.toString('base64'), both.toString('hex'), both.toString('base64url')]) {
    assert.type(credentialIn(token, variables), 'string', token)
  }
  assert.is(credentialIn('admin', variables), 'the user name')
  assert.is(credentialIn('0123456789abcdef', variables), undefined)
  // A short text occurs by chance.
  assert.is(credentialIn('0123456789abcdef', { username: 'a', password: '12' }), undefined)
})

credentials('facts hold shapes, never values', () => {
  const body = JSON.stringify({ token: 'secret-value', list: [{ a: 1 }, { a: 2 }, 'x'], n: null })
  const facts = factsOf(
    'logon',
    exchange({ ...response(201, body), headers: [['Content-Type', 'application/json; x=y']] }),
  )
  assert.equal(facts, {
    'logon.status': 201,
    'logon.content-type': 'application/json',
    'logon.body': '{list: [string | {a: number}], n: null, token: string}',
    'logon.headers': 'content-type',
  })
  assert.equal(factsOf('x', exchange(undefined, { kind: 'closed', message: 'm' })), { 'x.answer': 'closed' })
  for (const [text, shape] of [
    ['', 'empty'],
    ['<html>', 'markup'],
    ['plain', 'text'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, '[[[[array]]]]'],
  ] as const) {
    assert.is(factsOf('x', exchange(response(200, text)))['x.body'], shape)
  }
})

credentials.run()
