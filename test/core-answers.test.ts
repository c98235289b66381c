/** Judges accepted and rejected answers, once the survey has seen the answers of this Core. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerBook, Answers, alike, answerOf } from '../dist/core/answers.js'
import type { WireResponse } from '../dist/core/exchange.js'

const test = suite('answers')

function response(status: number, body: unknown = ''): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, statusText: '', httpVersion: '1.1', headers: [], body: text, bodyBytes: 0, complete: true }
}

/** Makes the answers that the survey saw: first to a fresh token, then the refusals. */
function answers(accepted: WireResponse, ...refusals: WireResponse[]): Answers {
  return new Answers(answerOf(accepted), refusals.map(answerOf))
}

const UNAUTHORIZED = response(401, { code: 401, message: 'Unauthorized' })
const USERS = response(200, [{ id: 1, name: 'admin' }])

test('an ordinary Core: success is accepted, a 4xx is rejected, all else is neither', () => {
  const ordinary = answers(USERS, UNAUTHORIZED, UNAUTHORIZED)
  for (const accepted of [USERS, response(200, []), response(204), response(206, 'part'), response(299, 'x')]) {
    assert.is(ordinary.accepts(accepted), true)
    assert.is(ordinary.rejects(accepted), false)
  }
  for (const status of [400, 401, 403, 404, 406, 418, 451, 499]) {
    assert.is(ordinary.accepts(response(status)), false)
    assert.is(ordinary.rejects(response(status)), true, `${status}`)
  }
  for (const status of [100, 101, 199, 300, 302, 307, 429, 500, 502, 503, 599]) {
    assert.is(ordinary.accepts(response(status)), false, `${status}`)
    assert.is(ordinary.rejects(response(status)), false, `${status}`)
  }
})

test('a Core that refuses with success and an error in the body is not taken to accept', () => {
  const error = response(200, { error: 'not logged on', at: '2026-11-21T03:04:05Z' })
  const soft = answers(USERS, error)
  assert.is(soft.accepts(response(200, { error: 'not logged on', at: '2027-01-01T00:00:59Z' })), false)
  assert.is(soft.accepts(USERS), true)
  assert.is(soft.rejects(error), false, 'a success is no rejection either')
})

test('where a made-up token is answered like a fresh one, that does not speak against the fresh one', () => {
  const any = answers(USERS, UNAUTHORIZED, USERS)
  assert.is(any.accepts(USERS), true)
  assert.is(any.rejects(UNAUTHORIZED), true)
  const open = answers(USERS, USERS, USERS)
  assert.is(open.accepts(USERS), true)
  assert.is(open.tells, false)
})

test('a role that may not see the probe: accepted is its very answer, whatever varies in it', () => {
  const forbidden = (id: string) => response(403, { code: 403, message: 'the role may not list users', request: id })
  const role = answers(forbidden('9f1c2d3e-1111-4abc-8def-0123456789ab'), UNAUTHORIZED)
  const others = [
    '00000000-a2b3-4c4d-9e9f-ffffffffffff',
    'abcdefab-cdef-abcd-efab-cdefabcdefab',
    '1234567',
    'deadbeefdeadbeef',
    '2026-11-21T03:04:05.678Z',
    'c2Vzc2lvbiBudW1iZXIgMQ==',
  ]
  const [first = '', ...more] = others
  assert.is(role.accepts(forbidden(first)), true)
  for (const id of more) {
    assert.is(answers(forbidden(id), UNAUTHORIZED).accepts(forbidden(id)), true)
  }
  assert.is(role.accepts(forbidden('abcdefab-cdef-abcd-efab-cdefabcdefab')), true)
  assert.is(role.rejects(forbidden(first)), false)
  assert.is(role.accepts(UNAUTHORIZED), false)
  assert.is(role.rejects(UNAUTHORIZED), true)
  assert.is(role.rejects(response(403, { code: 403, message: 'token revoked' })), true)
  assert.is(role.accepts(USERS), false)
  assert.is(role.succeeds, false)
  assert.is(role.tells, true)
})

test('times, counters, ids and tokens are taken out of a body; words stay', () => {
  const same: [string, string][] = [
    ['request 17 failed', 'request 18444 failed'],
    ['{"id":"9f1c2d3e-1111-4abc-8def-0123456789ab"}', '{"id":"aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"}'],
    ['at 2026-11-21T03:04:05Z', 'at 2027-01-02T13:14:15Z'],
    ['"token":"0011223344556677"', '"token":"ffeeddccbbaa9988"'],
    ['trace ab12cd34ef56ab12cd34', 'trace Zz12cd34ef56xy12cd34'],
    ['trace YWJjZGVmZ2hpamtsbW5vcA9=', 'trace MTIzNDU2Nzg5MDEyMzQ1Ng8='],
  ]
  for (const [a, b] of same) assert.ok(alike(answerOf(response(401, a)), answerOf(response(401, b))), a)
  const different: [string, string][] = [
    ['unauthorized', 'forbidden'],
    ['{"message":"no token"}', '{"message":"token expired"}'],
    ['', '{}'],
  ]
  for (const [a, b] of different) assert.not.ok(alike(answerOf(response(401, a)), answerOf(response(401, b))), a)
  assert.not.ok(alike(answerOf(response(401, 'x')), answerOf(response(403, 'x'))))
})

test('a large body is no burden', () => {
  const start = performance.now()
  for (const body of ['x'.repeat(1 << 20), '1'.repeat(1 << 20), 'a-'.repeat(1 << 19), 'f '.repeat(1 << 19)]) {
    answerOf(response(200, body))
  }
  assert.ok(performance.now() - start < 30_000)
})

test('each request has its own answers; those of the probe stand for what was not tried', () => {
  const probe = answers(USERS, UNAUTHORIZED)
  const book = new AnswerBook(probe)
  const deleted = answers(response(204), UNAUTHORIZED)
  book.note({ method: 'DELETE', path: '/api/v0/logon' }, deleted)
  assert.is(book.of({ method: 'DELETE', path: '/api/v0/logon?x=1' }), deleted)
  assert.is(book.of({ method: 'GET', path: '/api/v0/logon' }), probe)
  assert.is(book.of({ method: 'DELETE', path: '/api/v0/logon/x' }), probe)
})

test.run()
