/** Judges accepted and rejected answers, once the survey has seen the answers of this Core. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerBook, Answers, alike, answerOf, UNKNOWN_ANSWERS } from '../dist/core/answers.js'
import type { Exchange, WireResponse } from '../dist/core/exchange.js'
import { pauseAsked } from '../dist/core/pause.js'

const test = suite('answers')

function response(status: number, body: unknown = ''): WireResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status, statusText: '', httpVersion: '1.1', headers: [], body: text, bodyBytes: 0, complete: true }
}

/** Makes an exchange of a response; without one, of a connection that was closed so many times in a row. */
function seen(response: WireResponse | undefined, { method = 'GET', closed = 2 } = {}): Exchange {
  const error = { kind: 'closed' as const, message: 'the connection ended' }
  const request = { method, path: '/', headers: [], httpVersion: '1.1' as const, omitHost: false }
  const earlier = Array.from({ length: closed - 1 }, () => ({ sentAt: 0, receivedAt: 1, error }))
  return { request, sentAt: 0, receivedAt: 1, ...(response ? { response } : { error, earlier }) }
}

/** Learns from what the survey saw: first the answer to a fresh token, then the refusals of several requests, each seen twice. */
function answers(accepted: WireResponse, ...refusals: (WireResponse | undefined)[]): Answers {
  const twice = (response: WireResponse | undefined) => [seen(response), seen(response)]
  return Answers.learn([seen(accepted)], refusals.map(twice))
}

const UNAUTHORIZED = response(401, { code: 401, message: 'Unauthorized' })
const USERS = response(200, [{ id: 1, name: 'admin' }])

test('an ordinary Core: success is accepted, a 4xx is rejected, all else is neither', () => {
  const ordinary = answers(USERS, UNAUTHORIZED, UNAUTHORIZED)
  for (const accepted of [USERS, response(200, []), response(204), response(206, 'part'), response(299, 'x')]) {
    assert.is(ordinary.accepts(seen(accepted)), true)
    assert.is(ordinary.rejects(seen(accepted)), false)
  }
  for (const status of [400, 401, 403, 404, 406, 418, 451, 499, 501, 505]) {
    assert.is(ordinary.accepts(seen(response(status))), false)
    assert.is(ordinary.rejects(seen(response(status))), true, `${status}`)
  }
  for (const status of [100, 101, 199, 300, 302, 307, 429, 500, 502, 503, 599]) {
    assert.is(ordinary.accepts(seen(response(status))), false, `${status}`)
    assert.is(ordinary.rejects(seen(response(status))), false, `${status}`)
  }
})

test('that nothing has changed is said to whoever would be served, and only where that was asked', () => {
  const ordinary = answers(USERS, UNAUTHORIZED, UNAUTHORIZED)
  const asked = (method: string, ...names: string[]) => {
    const exchange = seen(response(304), { method })
    return {
      ...exchange,
      request: { ...exchange.request, headers: names.map((name): [string, string] => [name, '*']) },
    }
  }
  for (const name of ['If-None-Match', 'if-modified-since']) assert.is(ordinary.kindOf(asked('GET', name)), 'accepted')
  for (const not of [asked('GET'), asked('GET', 'If-Match'), asked('DELETE', 'If-None-Match')])
    assert.is(ordinary.kindOf(not), 'turned away')
  const odd = answers(USERS, response(304), response(304))
  assert.is(odd.kindOf(asked('GET', 'If-None-Match')), 'refused')
})

test('a logon without a token succeeded where refusals are told by a status that is no success', () => {
  const empty = seen(response(201, {}), { method: 'POST' })
  const isEmpty = (...learned: Parameters<typeof answers>) => new AnswerBook(answers(...learned)).isEmptySuccess(empty)
  assert.is(isEmpty(USERS, UNAUTHORIZED), true)
  assert.is(isEmpty(USERS, response(200, { error: 'no token' }), response(200, { error: 'no token' })), false)
  assert.is(isEmpty(USERS, undefined), false)
  assert.is(UNKNOWN_ANSWERS.isEmptySuccess(empty), false)
})

test('a page in place of data, another value where refusals are told, and a refusal for now say nothing of a token', () => {
  const withHeaders = (answer: WireResponse, headers: [string, string][]) => ({ ...answer, headers })
  const ordinary = answers(USERS, UNAUTHORIZED, UNAUTHORIZED)
  const page = response(200, '<html>Checking your browser</html>')
  const later = withHeaders(response(401, { code: 401, message: 'throttled' }), [['retry-after', '1']])
  for (const away of [page, later]) assert.is(ordinary.kindOf(seen(away)), 'turned away', `${away.status}`)
  assert.is(ordinary.kindOf(seen(response(200, '<?xml version="1.0"?><SessionInfo/>'))), 'accepted', 'XML is data')
  const xhtml = '<?xml version="1.0"?>\n<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"/>'
  assert.is(ordinary.kindOf(seen(response(200, xhtml))), 'turned away')
  assert.is(ordinary.kindOf(seen(response(200, 'text'))), 'accepted')
  // What a limit turned away while the survey looked is no refusal.
  const limited = answers(USERS, UNAUTHORIZED, withHeaders(response(429), [['retry-after', '1']]))
  assert.is(limited.kindOf(seen(later)), 'turned away')
  // A Core whose refusals always ask to come back later means them.
  const asking = withHeaders(UNAUTHORIZED, [['retry-after', '1']])
  assert.is(answers(USERS, asking).kindOf(seen(later)), 'refused')
  assert.is(answers(response(200, '<users/>'), UNAUTHORIZED).kindOf(seen(page)), 'accepted')
  const envelope = answers(response(200, { code: 0, data: [1] }), response(200, { code: 401, data: null }))
  const kinds = [{ code: 0, data: [] }, { code: 401 }, { code: 429, data: null }, [1]].map(body =>
    envelope.kindOf(seen(response(200, body))),
  )
  assert.equal(kinds, ['accepted', 'refused', 'turned away', 'accepted'])
  const typed = (type: string, body: unknown = '') => withHeaders(response(200, body), [['content-type', type]])
  // What is no JSON, where refusals are told by what stands in it, is damaged: an interim answer got into it, say.
  const told = answers(typed('application/json', { ok: true }), typed('application/json', { ok: false }))
  const damaged = ['HTTP/1.1 100 Continue\r\n\r\n{"ok":false', { ok: true }, { ok: false }].map(body =>
    told.kindOf(seen(typed('application/json', body))),
  )
  assert.equal(damaged, ['turned away', 'accepted', 'refused'])
  // The answer to HEAD has no page, but names its type.
  const json = answers(typed('application/json', [{ id: 1, name: 'admin' }]), UNAUTHORIZED)
  const heads = ['text/html; charset=utf-8', 'application/json', 'text/plain'].map(type =>
    json.kindOf(seen(typed(type), { method: 'HEAD' })),
  )
  assert.equal(heads, ['turned away', 'accepted', 'accepted'])
  const mislabelled = answers(typed('text/html', [{ id: 1, name: 'admin' }]), UNAUTHORIZED)
  assert.is(mislabelled.kindOf(seen(typed('text/html'), { method: 'HEAD' })), 'accepted')
  const kept = new Answers(JSON.parse(JSON.stringify(envelope.state())))
  assert.is(kept.kindOf(seen(response(200, { code: 429 }))), 'turned away')
})

test('a Core that refuses with success and an error in the body refuses', () => {
  const error = response(200, { error: 'not logged on', at: '2026-11-21T03:04:05Z' })
  const soft = answers(USERS, error)
  assert.is(soft.accepts(seen(response(200, { error: 'not logged on', at: '2027-01-01T00:00:59Z' }))), false)
  assert.is(soft.accepts(seen(USERS)), true)
  assert.is(soft.rejects(seen(error)), true)
  assert.is(soft.rejects(seen(response(200, { error: 'the token has expired' }))), true)
})

test('the smallest thing that tells a refusal from acceptance is learned', () => {
  const envelope = (success: boolean, others: object) => response(200, { success, ...others })
  const withHeader = (status: number, name: string, value: string, body: unknown = ''): WireResponse => ({
    ...response(status, body),
    headers: [[name, value]],
  })
  const learned: [signs: string[], accepted: WireResponse, ...refusals: (WireResponse | undefined)[]][] = [
    [['status=401'], USERS, UNAUTHORIZED, response(401)],
    [['status=401', 'status=403'], USERS, UNAUTHORIZED, response(403)],
    [['header.location=/login'], USERS, withHeader(302, 'Location', 'https://core/login?next=%2Fapi')],
    [['status=302'], USERS, response(302)],
    [['status=500'], USERS, response(500)],
    [['body.success=false'], envelope(true, { data: [] }), envelope(false, { error: 'no token' }), envelope(false, {})],
    [['body.error'], response(200, { error: null, data: [] }), response(200, { error: { code: 7 }, data: null })],
    [['body.code=401'], response(200, { code: 0 }), response(200, { code: 401 })],
    [
      ['header.content-type=text/html'],
      withHeader(200, 'Content-Type', 'application/json', '[]'),
      withHeader(200, 'Content-Type', 'text/html; charset=utf-8', '<p>'),
    ],
    [['header.www-authenticate'], response(200, 'a'), withHeader(200, 'WWW-Authenticate', 'Bearer', 'a, b')],
    [['body=empty'], USERS, response(200)],
    [['body=page'], USERS, response(200, '<html>log on')],
    [['body=access denied'], response(200, 'come in'), response(200, 'access denied')],
    [['closed'], USERS, undefined],
    [[], response(403), response(403)],
    [[], USERS, response(429)],
  ]
  for (const [signs, accepted, ...refusals] of learned) {
    const core = answers(accepted, ...refusals)
    assert.equal(core.signs, signs)
    assert.is(core.accepts(seen(accepted)), true)
    assert.is(core.tells, signs.length > 0)
    for (const refusal of signs.length > 0 ? refusals : []) assert.is(core.rejects(seen(refusal)), true, String(signs))
  }
})

test('what varies, or was turned away only once, is no sign', () => {
  const counting = [1, 2].map(count => seen(response(200, { count })))
  assert.equal(Answers.learn([seen(response(200, { count: 3 }))], [counting]).signs, [])
  for (const away of [response(503), response(429), undefined]) {
    const limited = Answers.learn([seen(USERS)], [[seen(away), seen(UNAUTHORIZED)]])
    assert.is(limited.kindOf(seen(away)), 'turned away')
    assert.is(limited.kindOf(seen(UNAUTHORIZED)), 'refused')
  }
  // A single closed connection may be chance.
  assert.is(answers(USERS, undefined).kindOf(seen(undefined, { closed: 1 })), 'turned away')
})

test('what users state counts in place of what is learned', () => {
  const stated = Answers.learn([seen(USERS)], [[seen(response(302))]], { stated: ['body.ok=false', 'status=503'] })
  assert.is(stated.kindOf(seen(response(302))), 'turned away')
  assert.is(stated.kindOf(seen(response(200, { ok: false }))), 'refused')
  assert.is(stated.kindOf(seen(response(503))), 'refused')
  assert.is(stated.kindOf(seen(UNAUTHORIZED)), 'refused', 'any 4xx still counts')
})

test('what only an accepted request is served is accepted, whatever the status says', () => {
  const users = (...names: string[]) => names.map((name, id) => ({ id, name }))
  const core = answers(response(200, users('admin')), UNAUTHORIZED)
  for (const status of [302, 401, 403, 406, 500]) {
    assert.is(core.accepts(seen(response(status, users('admin')))), true, `${status}`)
    assert.is(core.accepts(seen(response(status, { users: users('admin', 'guest'), at: 17 }))), true, `${status}`)
    assert.is(core.accepts(seen(response(status, { errors: [{ code: status, message: 'no' }] }))), false, `${status}`)
  }
  assert.is(core.shown(seen(response(401, users('admin')))), '{"id":0,"name":"admin"}')
  // Also where each refusal in the survey came with it.
  const leaking = answers(response(200, users('admin')), response(401, users('admin')))
  assert.is(leaking.accepts(seen(response(401, users('admin')))), true)
  assert.is(leaking.tells, false)
  // Data of any other form is recognised where it is the same; links and flags are no data.
  assert.is(answers(response(200, { name: 'core' }), UNAUTHORIZED).accepts(seen(response(401, { name: 'core' }))), true)
  const links = { links: [{ href: '/login', rel: 'logon' }] }
  assert.is(answers(response(200, links), UNAUTHORIZED).accepts(seen(response(401, { ...links, code: 1 }))), false)
  assert.is(answers(response(200, { ok: true }), UNAUTHORIZED).accepts(seen(response(401, { ok: true }))), false)
})

test('what every answer has is nothing that is served: the lines before and behind', () => {
  const lines = (kind: string, item: object) =>
    response(
      kind === 'error' ? 401 : 200,
      `{"type":"begin","trace":"x"}\n${JSON.stringify({ type: kind, [kind]: item })}\n`,
    )
  const core = answers(lines('data', { id: 1 }), lines('error', { code: 401 }))
  assert.is(core.rejects(seen(lines('error', { code: 403 }))), true)
  assert.is(core.shown(seen(lines('error', { code: 403 }))), undefined)
  assert.is(core.shown(seen({ ...lines('data', { id: 2 }), status: 401 })), '{"type":"data","data":{"id":2}}')
})

test('refusals are told by a field of a list that has no names', () => {
  const tuple = (code: number, result: unknown) => response(200, [code, code ? 'unauthorized' : 'ok', result])
  const core = answers(tuple(0, [{ id: 1, name: 'admin' }]), tuple(40101, null))
  assert.equal(core.signs, ['body.0=40101'])
  assert.is(core.rejects(seen(tuple(40101, null))), true)
  assert.is(core.accepts(seen(tuple(0, []))), true)
  // Another error is neither.
  assert.is(core.accepts(seen(tuple(50301, null))), false)
  assert.is(core.rejects(seen(tuple(50301, null))), false)
})

test('the answer to HEAD shows no sign that stands in the body', () => {
  const soft = answers(response(200, { ok: true }), response(200, { ok: false }))
  assert.is(soft.kindOf(seen(response(200), { method: 'HEAD' })), 'turned away')
  assert.is(soft.kindOf(seen(response(401), { method: 'HEAD' })), 'refused')
  assert.is(answers(USERS, UNAUTHORIZED).kindOf(seen(response(200), { method: 'HEAD' })), 'accepted')
})

test('where a made-up token is answered like a fresh one, that does not speak against the fresh one', () => {
  const any = answers(USERS, UNAUTHORIZED, USERS)
  assert.is(any.accepts(seen(USERS)), true)
  assert.is(any.rejects(seen(UNAUTHORIZED)), true)
  const open = answers(USERS, USERS, USERS)
  assert.is(open.accepts(seen(USERS)), true)
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
  assert.is(role.accepts(seen(forbidden(first))), true)
  for (const id of more) {
    assert.is(answers(forbidden(id), UNAUTHORIZED).accepts(seen(forbidden(id))), true)
  }
  assert.is(role.accepts(seen(forbidden('abcdefab-cdef-abcd-efab-cdefabcdefab'))), true)
  assert.is(role.rejects(seen(forbidden(first))), false)
  assert.is(role.accepts(seen(UNAUTHORIZED)), false)
  assert.is(role.rejects(seen(UNAUTHORIZED)), true)
  assert.is(role.rejects(seen(response(403, { code: 403, message: 'token revoked' }))), true)
  assert.is(role.accepts(seen(USERS)), false)
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

test('each request has its own answers; those of the probe stand for what was not tried', () => {
  const probe = answers(USERS, UNAUTHORIZED)
  const book = new AnswerBook(probe)
  const deleted = answers(response(204), UNAUTHORIZED)
  book.note({ method: 'DELETE', path: '/api/v0/logon' }, deleted)
  assert.is(book.of({ method: 'DELETE', path: '/api/v0/logon?x=1' }), deleted)
  assert.is(book.of({ method: 'GET', path: '/api/v0/logon' }), probe)
  assert.is(book.of({ method: 'DELETE', path: '/api/v0/logon/x' }), probe)
})

test('a revocation succeeds by any success, and fails by the signs of the probe that are not about its content', () => {
  const effect = (probe: Answers, answer: WireResponse | undefined) =>
    new AnswerBook(probe).effectOf(seen(answer, { method: 'DELETE' }))
  const plain = answers(USERS, UNAUTHORIZED)
  assert.equal(
    [200, 204, 401, 404, 429, 302, 503].map(status => effect(plain, response(status))),
    ['accepted', 'accepted', 'refused', 'refused', 'turned away', 'turned away', 'turned away'],
  )
  const envelope = answers(response(200, { success: true, data: [] }), response(200, { success: false }))
  assert.is(effect(envelope, response(200, { success: true })), 'accepted')
  assert.is(effect(envelope, response(200, { success: false })), 'refused')
  assert.is(effect(answers(USERS, response(200)), response(204)), 'accepted', 'an empty body is usual there')
  assert.is(effect(answers(USERS, undefined), undefined), 'refused')
})

test('a pause is asked for in seconds, or parts of them, or until a time', () => {
  const asked = (value: string) => pauseAsked({ ...response(429), headers: [['retry-after', value]] })?.ms
  assert.is(asked('2'), 2000)
  assert.is(asked('1.5'), 1500)
  assert.is(asked('Thu, 01 Jan 1970 00:00:00 GMT'), 0)
  assert.is(asked('soon'), undefined)
})

test.run()
