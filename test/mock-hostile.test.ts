import { randomBytes } from 'node:crypto'
import { connect as connectTcp, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type MockCore, startMockCore } from '../dist/mock/index.js'
import { raw } from './support/mock-client.js'

interface Context {
  core: MockCore
  lines: string[]
}

const PROBE = 'GET /api/v0/cores/self/access_mode HTTP/1.1\r\nHost: core\r\n'
const LOGON = 'POST /api/v0/logon HTTP/1.1\r\nHost: core\r\nContent-Type: application/json\r\n'
const JSON_BODY = '{"username":"admin","password":"geheim"}'

const test = suite<Context>('hostile and odd clients', { core: {} as MockCore, lines: [] })

test.before.each(async context => {
  context.lines = []
  context.core = await startMockCore({ username: 'admin', password: 'geheim', log: line => context.lines.push(line) })
})

test.after.each(async ({ core }) => {
  await core.close()
})

function tcp(core: MockCore): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(Number(new URL(core.url).port), '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

function tls(core: MockCore): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ port: Number(new URL(core.url).port), host: '127.0.0.1', ca: core.certificatePem })
    socket.on('secureConnect', () => resolve(socket)).on('error', reject)
  })
}

/** Returns all bytes until the connection ends in any way. */
function rest(socket: Socket): Promise<string> {
  return new Promise(resolve => {
    let text = ''
    socket.setEncoding('latin1').on('data', chunk => {
      text += chunk
    })
    socket.on('error', () => {}).on('close', () => resolve(text))
  })
}

async function assertAlive(core: MockCore) {
  assert.match(await raw(core, `${PROBE}Connection: close\r\n\r\n`), /^HTTP\/1\.1 200 OK\r\n/)
}

async function until(holds: () => boolean) {
  for (let i = 0; i < 500 && !holds(); i += 1) await sleep(10)
  assert.ok(holds())
}

test('what is not TLS is dropped', async ({ core, lines }) => {
  for (const bytes of [Buffer.from(`${PROBE}\r\n`), randomBytes(5_000), Buffer.from([0x16, 3, 1, 0xff, 0xff, 1])]) {
    const socket = await tcp(core)
    const answer = rest(socket)
    socket.end(bytes)
    assert.not.match(await answer, /HTTP/)
  }
  await until(() => lines.some(line => /Z not TLS: ERR_SSL_HTTP_REQUEST$/.test(line)))
  await assertAlive(core)
})

test('a client that does not trust the certificate, or leaves in the handshake, costs nothing', async ({
  core,
  lines,
}) => {
  await raw({ ...core, certificatePem: '' }, '').catch(() => {})
  const socket = await tcp(core)
  socket.resetAndDestroy()
  await until(() => lines.some(line => line.includes('not TLS')))
  await assertAlive(core)
})

test('what is not HTTP is answered 400 and dropped', async ({ core, lines }) => {
  const pieces = [
    'garbage\r\n\r\n',
    '\0\0\0\0',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `${PROBE}No colon\r\n\r\n`,
    `${PROBE}Content-Length: -1\r\n\r\n`,
    `${PROBE}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    `${PROBE}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `${LOGON}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
    'GET /\x1b[31m HTTP/1.1\r\nHost: core\r\n\r\n',
    'GET / HTTP/9.9\r\nHost: core\r\n\r\n',
  ]
  for (const piece of pieces) {
    assert.match(await raw(core, piece), /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Connection: close\r\n\r\n$/, piece)
  }
  assert.is(lines.filter(line => /Z not HTTP: HPE_\w+$/.test(line)).length, pieces.length)
  await assertAlive(core)
})

test('the answers to good requests go out before the one to garbage behind them', async ({ core }) => {
  const statuses = (text: string) => text.match(/HTTP\/1\.1 \d+/g)?.map(line => line.slice(-3))
  assert.equal(statuses(await raw(core, `${PROBE}\r\n${PROBE}\r\n\0garbage\r\n\r\n`)), ['200', '200', '400'])
  const socket = await tls(core)
  const answer = rest(socket)
  socket.write(`${PROBE}\r\n`)
  await sleep(100)
  socket.write('garbage\r\n\r\n')
  assert.equal(statuses(await answer), ['200', '400'])
})

test('huge headers are answered 431', async ({ core }) => {
  assert.match(await raw(core, `${PROBE}X: ${'a'.repeat(100_000)}\r\n\r\n`), /^HTTP\/1\.1 431 /)
  assert.match(await raw(core, `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`), /^HTTP\/1\.1 431 /)
  await assertAlive(core)
})

test('a body over the limit is answered 413, announced or not, and the client gets to see it', async ({ core }) => {
  const big = 'a'.repeat(500_000)
  const tooLarge = /^HTTP\/1\.1 413 [\s\S]*Connection: close\r\n\r\n\{"code":413,/
  assert.match(await raw(core, `${LOGON}Content-Length: ${big.length}\r\n\r\n${big}`), tooLarge)
  assert.match(await raw(core, `${LOGON}Content-Length: 99999999999\r\n\r\nabc`), tooLarge)
  const chunk = `${big.length.toString(16)}\r\n${big}\r\n`
  assert.match(await raw(core, `${LOGON}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`), tooLarge)
  const unsent = await raw(core, `${LOGON}Expect: 100-continue\r\nContent-Length: 500000\r\n\r\n`)
  assert.match(unsent, tooLarge)
})

test('a body at the limit is read, one byte more is not', async ({ core }) => {
  const send = (length: number) =>
    raw(core, `${LOGON}Connection: close\r\nContent-Length: ${length}\r\n\r\n${JSON_BODY.padEnd(length)}`)
  assert.match(await send(65_536), /^HTTP\/1\.1 201 /)
  assert.match(await send(65_537), /^HTTP\/1\.1 413 /)
})

test('a body that never ends is cut off', async ({ core }) => {
  const socket = await tls(core)
  const answer = rest(socket)
  let open = true
  socket.on('close', () => {
    open = false
  })
  socket.write(`${LOGON}Transfer-Encoding: chunked\r\n\r\n`)
  const chunk = `10000\r\n${'a'.repeat(65_536)}\r\n`
  let sent = 0
  for (; open && sent < 5_000; sent += 1) {
    socket.write(chunk)
    await sleep(1)
  }
  assert.match(await answer, /^(?:HTTP\/1\.1 413 |$)/)
  assert.ok(sent < 5_000)
  await assertAlive(core)
})

test('a request that is cut short has no effect', async ({ core, lines }) => {
  for (const [i, cut] of [5, JSON_BODY.length - 1].entries()) {
    const socket = await tls(core)
    socket.write(`${LOGON}Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY.slice(0, cut)}`)
    await until(() => core.state().requests === i + 1)
    socket.destroy()
  }
  await until(() => lines.filter(line => /POST \/api\/v0\/logon aborted /.test(line)).length === 2)
  assert.is(core.state().tokens.issued, 0)
  await assertAlive(core)
})

test('a client that floods with pipelined requests and reads nothing does not starve the others', async ({ core }) => {
  const socket = await tls(core)
  socket.on('error', () => {}).pause()
  const flood = `${PROBE}\r\n`.repeat(20_000)
  socket.write(flood)
  await assertAlive(core)
  const answered = core.state().requests
  await sleep(200)
  assert.ok(answered <= 20_002)
  await assertAlive(core)
  socket.destroy()
})

test('CONNECT and Upgrade get ordinary answers', async ({ core, lines }) => {
  assert.match(await raw(core, 'CONNECT core:443 HTTP/1.1\r\nHost: core\r\n\r\n'), /^HTTP\/1\.1 404 /)
  assert.match(await raw(core, 'CONNECT core:443 HTTP/1.1\r\n\r\n'), /^HTTP\/1\.1 406 /)
  const upgrade = `${PROBE}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`
  assert.match(await raw(core, upgrade), /^HTTP\/1\.1 200 /)
  assert.is(lines.length, 3)
})

test('close() ends every kind of open connection at once, and may be called again', async ({ core, lines }) => {
  const bare = await tcp(core) // no handshake begun
  const quiet = await tls(core) // no request
  const kept = await tls(core) // an answered request
  kept.write(`${PROBE}\r\n`)
  const halfway = await tls(core) // a request whose body does not come
  halfway.write(`${LOGON}Content-Length: 10\r\n\r\nabc`)
  const lingering = await tls(core) // an answered request whose body does not come
  lingering.write('POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nabc')
  const control = connectTcp(Number(new URL(core.control.url).port), '127.0.0.1')
  control.on('error', () => {})
  await sleep(100)
  const ends = [bare, quiet, kept, halfway, lingering, control].map(rest)
  const before = lines.length
  const startedMs = performance.now()
  const closing = core.close()
  assert.is(core.close(), closing)
  await Promise.all([closing, ...ends])
  assert.ok(performance.now() - startedMs < 4_500) // an idle connection would end by itself after 5 s
  assert.is(await tcp(core).catch(error => error.code), 'ECONNREFUSED')
  await sleep(50)
  assert.is(lines.length, before)
})

test.run()
