import { request } from 'node:http'
import { connect } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type MockCore, startMockCore } from '../dist/mock/index.js'
import { type Ask, ask, logOn, USER } from './support/mock-client.js'

const USERS = '/api/v0/cores/self/users'

const test = suite('control endpoint', { core: {} as MockCore })

test.before.each(async context => {
  const answers = { tokenExpired: { status: 419 }, tokenRevoked: { status: 403 } }
  context.core = await startMockCore({ ...USER, dialect: { answers } })
})

test.after.each(async ({ core }) => {
  await core.close()
})

interface Asked {
  body?: string
  headers?: Record<string, string>
}

/** Sends one request to the control endpoint, with its key unless the headers say otherwise. */
function control(core: MockCore, method: string, path: string, { body, headers }: Asked = {}) {
  return new Promise<{ status: number; body: Record<string, unknown>; allow: string | undefined }>(
    (resolve, reject) => {
      const url = core.control.url + path
      const all = { Authorization: `Bearer ${core.control.key}`, ...headers }
      const req = request(url, { method, headers: all, agent: false }, res => {
        let text = ''
        res.setEncoding('utf8').on('data', chunk => {
          text += chunk
        })
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body: JSON.parse(text), allow: res.headers.allow }))
      })
      req.on('error', reject).end(body)
    },
  )
}

async function nowMs(core: MockCore): Promise<number> {
  return Number((await control(core, 'GET', '/state')).body.nowMs)
}

test('advance tells the new time, which goes on by itself as well', async ({ core }) => {
  const before = await nowMs(core)
  const { body } = await control(core, 'POST', '/advance', { body: '{"ms":1000000.5}' })
  const after = Number(body.nowMs)
  assert.ok(after >= before + 1_000_000.5 && after < before + 1_005_000)
  assert.ok((await nowMs(core)) > after)
  assert.is((await control(core, 'POST', '/advance', { body: '{"ms":0}' })).status, 200)
})

test('whatever a test can do to the mock, it can do here', async ({ core }) => {
  const post = async (path: string, body?: object) =>
    (await control(core, 'POST', path, body && { body: JSON.stringify(body) })).status
  const users = async (token: Ask) => (await ask(core, 'GET', USERS, token)).status
  const [first, second, third] = [await logOn(core), await logOn(core), {}]
  assert.equal(
    [await post('/refuse', { count: 1, status: 500 }), await users(first), await users(first)],
    [200, 500, 200],
  )
  assert.is(await post('/expire'), 200)
  assert.equal([await users(first), await users(second)], [419, 419])
  const fresh = await logOn(core)
  assert.equal([await post('/revoke', {}), await users(fresh), await users(first)], [200, 403, 419])
  assert.equal(core.state().tokens, { issued: 3, live: 0, revoked: 1, expired: 2 })
  const other = await logOn(core)
  assert.equal([await post('/restart'), await users(other)], [200, 401])
  assert.equal([await post('/delay', { count: 1, time: '30 ms' }), await users(third)], [200, 401])
  const { requests } = (await control(core, 'GET', '/requests')).body as { requests: Record<string, unknown>[] }
  assert.equal([requests.length, requests[0]?.method, requests[0]?.status], [12, 'POST', 201])
  assert.ok(Number(requests.at(-1)?.durationMs) >= 25)
  assert.is(await post('/reset'), 200)
  assert.equal(((await control(core, 'GET', '/requests')).body as { requests: [] }).requests, [])
  for (const [path, body, message] of [
    ['/refuse', {}, /"count" must be a number/],
    ['/refuse', { count: 1, status: '500' }, /"status" must be a number/],
    ['/refuse', { count: 1.5 }, /"count" must be a whole number/],
    ['/delay', { count: 1 }, /"ms" must be a number/],
    ['/delay', { count: 1, time: '1d' }, /a delay must be/],
    ['/refuse', { count: -1 }, /"count" must be a whole number/],
    ['/refuse', { count: 1, status: 200 }, /"status" must be/],
    ['/refuse', { count: 1, retryAfter: -1 }, /"retryAfter" must be/],
    ['/refuse', { count: 1, path: 'users' }, /"path" must begin with/],
    ['/route', { method: 'GET', path: '/streams', body: [1] }, /^a path must begin with \/api/],
  ] as const) {
    const answer = await control(core, 'POST', path, { body: JSON.stringify(body) })
    assert.is(answer.status, 400, path)
    assert.match(String(answer.body.message), message)
  }
  const token = await logOn(core)
  await post('/route', { method: 'GET', path: '/api/v0/streams/{id}', body: [1] })
  assert.is((await ask(core, 'GET', '/api/v0/streams/1', token)).body, '[1]')
  await post('/refuse', { count: 1, status: 429, path: USERS, retryAfter: 3 })
  assert.is((await ask(core, 'GET', USERS, token)).headers['retry-after'], '3')
})

test('state tells what the mock has seen', async ({ core }) => {
  const fresh = (await control(core, 'GET', '/state')).body
  assert.type(fresh.nowMs, 'number')
  assert.equal(
    { ...fresh, nowMs: 0 },
    { nowMs: 0, tokens: { issued: 0, live: 0, revoked: 0, expired: 0 }, requests: 0, refusedLogons: 0 },
  )
  await logOn(core)
  await control(core, 'POST', '/advance', { body: '{"ms":3600000}' })
  await ask(core, 'DELETE', '/api/v0/logon', await logOn(core))
  await logOn(core)
  await logOn(core, { ...USER, password: 'wrong' })
  assert.equal(
    { ...(await control(core, 'GET', '/state')).body, nowMs: 0 },
    { nowMs: 0, tokens: { issued: 3, live: 1, revoked: 1, expired: 1 }, requests: 5, refusedLogons: 1 },
  )
})

test('without the key, or with a wrong one, it is closed, and nothing happens', async ({ core }) => {
  const { key } = core.control
  for (const value of [
    '',
    'Bearer',
    key,
    `Basic ${key}`,
    `Bearer ${key}0`,
    `Bearer ${key.slice(1)}`,
    'Bearer x',
    `Bearer ${key} ${key}`,
  ]) {
    for (const [method, path] of [
      ['POST', '/advance'],
      ['GET', '/state'],
      ['GET', '/nothing'],
    ] as const) {
      const body = method === 'POST' ? { body: '{"ms":9e9}' } : {}
      const { status } = await control(core, method, path, { ...body, headers: { Authorization: value } })
      assert.is(status, 401, `${value} ${path}`)
    }
  }
  assert.is((await control(core, 'GET', `/state?key=${key}`, { headers: { Authorization: '' } })).status, 401)
  assert.is((await control(core, 'GET', '/state', await logOn(core))).status, 401)
  assert.ok((await nowMs(core)) < 1e9)
})

test('browsers are kept out, even with the key', async ({ core }) => {
  for (const origin of ['https://example.org', 'null', core.control.url]) {
    const { status, body } = await control(core, 'POST', '/advance', {
      body: '{"ms":9e9}',
      headers: { Origin: origin },
    })
    assert.is(status, 403)
    assert.match(String(body.message), /Origin/)
  }
  for (const host of [
    'example.org',
    '127.0.0.1.example.org',
    'localhost.example.org:80',
    '[::2]',
    '0.0.0.0',
    '127.0.0.1@evil',
  ]) {
    const { status, body } = await control(core, 'POST', '/advance', { body: '{"ms":9e9}', headers: { Host: host } })
    assert.is(status, 403, host)
    assert.match(String(body.message), /Host/)
  }
  assert.ok((await nowMs(core)) < 1e9)
  for (const host of ['localhost', 'LOCALHOST:1', '[::1]:80', '127.0.0.1']) {
    assert.is((await control(core, 'GET', '/state', { headers: { Host: host } })).status, 200, host)
  }
})

test('a bad body is answered 400 with a sentence, and the clock stays', async ({ core }) => {
  const bodies = [
    '',
    '{',
    '[]',
    '7',
    'null',
    '{}',
    '{"ms":"1"}',
    '{"ms":null}',
    '{"ms":-1}',
    '{"ms":1e999}',
    '{"ms":9e15}',
    '{"Ms":1}',
  ]
  for (const body of [...bodies, `{"ms":1,"x":"${'a'.repeat(5_000)}"}`]) {
    const answer = await control(core, 'POST', '/advance', { body })
    assert.is(answer.status, 400, body)
    assert.match(String(answer.body.message), /"ms"/)
  }
  assert.ok((await nowMs(core)) < 60_000)
})

test('unknown paths are answered 404, other methods 405', async ({ core }) => {
  for (const path of ['/', '/State', '/state/', '/api/v0/logon'])
    assert.is((await control(core, 'GET', path)).status, 404)
  const get = await control(core, 'GET', '/advance')
  assert.equal([get.status, get.allow], [405, 'POST'])
  const post = await control(core, 'POST', '/state', { body: '{}' })
  assert.equal([post.status, post.allow], [405, 'GET'])
})

test('garbage, a missing Host, and a client that leaves cost nothing', async ({ core }) => {
  const port = Number(new URL(core.control.url).port)
  const raw = (bytes: string) =>
    new Promise<string>(resolve => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
      socket.setEncoding('utf8').on('data', chunk => {
        text += chunk
      })
      socket.on('error', () => {}).on('close', () => resolve(text))
    })
  const key = `Authorization: Bearer ${core.control.key}\r\n`
  const stray = await raw(`GET /state HTTP/1.1\r\nHost: localhost\r\n${key}\r\n{"a body":"without a length"}`)
  assert.equal(stray.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400'])
  assert.match(await raw('garbage\r\n\r\n'), /^HTTP\/1\.1 400 /)
  assert.match(await raw(`GET /state HTTP/1.1\r\n${key}\r\n`), /^HTTP\/1\.1 400 /)
  assert.match(await raw(`GET /state HTTP/1.0\r\n${key}\r\n`), /^HTTP\/1\.1 403 /)
  assert.match(await raw(`GET /state HTTP/1.1\r\nHost:\r\nConnection: close\r\n${key}\r\n`), /^HTTP\/1\.1 403 /)
  assert.match(await raw(`GET /state HTTP/1.0\r\nHost: localhost\r\nHost: evil\r\n${key}\r\n`), /^HTTP\/1\.1 403 /)
  const leaver = connect(port, '127.0.0.1', () => {
    leaver.write(`POST /advance HTTP/1.1\r\nHost: localhost\r\n${key}Content-Length: 10\r\n\r\n{"ms"`)
    setTimeout(() => leaver.resetAndDestroy(), 30)
  })
  await new Promise(resolve => leaver.on('close', resolve))
  assert.is((await control(core, 'GET', '/state')).status, 200)
})

test.run()
