/** The certificates that a connection accepts, and the messages about failed connections. */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange, WireRequest } from '../dist/core/exchange.js'
import type { Trust } from '../dist/core/target.js'
import { Transport } from '../dist/core/transport.js'
import { type TestCertificate, testCertificate } from './support/certificate.js'
import { type RawServer, rawServer, reply } from './support/raw-server.js'

const REQUEST: WireRequest = {
  method: 'GET',
  path: '/api/v0/cores/self/users',
  headers: [['Authorization', 'Bearer abc']],
  httpVersion: '1.1',
  omitHost: false,
}

const test = suite('trust and connecting')
let certificate: TestCertificate
let stranger: TestCertificate

test.before(async () => {
  certificate = await testCertificate()
  stranger = await testCertificate(['core.example'])
})

/** Far longer than an exchange takes on a machine with ten other tasks: what waits for its deadline takes more than `SOON_MS`. */
const LONG_MS = 60_000
const SOON_MS = 30_000

async function ask(url: URL, trust: Trust, connectMs = LONG_MS) {
  const target = { url, trust }
  const transport = await Transport.create({ target, connectMs, deadlineMs: LONG_MS, now: () => performance.now() })
  const start = performance.now()
  const exchange = await transport.exchange(REQUEST)
  return { exchange, transport, tookMs: performance.now() - start }
}

/** Does one exchange with a TLS server that answers 200. */
async function meet(trust: Trust, options: { certificate?: TestCertificate; host?: string } = {}) {
  const server = await rawServer({
    certificate,
    ...options,
    answer: socket => socket.end(reply('200 OK', 'hello')),
  })
  try {
    return { ...(await ask(server.url, trust)), server }
  } finally {
    await server.idle()
    await server.close()
  }
}

/** Asserts a refusal before HTTP: of kind `tls`, without a byte of the request. */
function assertRefused(exchange: Exchange, server: RawServer): void {
  assert.is(exchange.error?.kind, 'tls')
  assert.is(exchange.response, undefined)
  assert.is(server.received.join(''), '')
  assert.ok(exchange.error?.advice)
}

test('system trust: a self-signed certificate is refused, with what to do', async () => {
  const { exchange, server, transport } = await meet({ kind: 'system' })
  assertRefused(exchange, server)
  assert.match(exchange.error?.message ?? '', /self-signed/)
  const advice = exchange.error?.advice ?? ''
  assert.ok(advice.includes(certificate.fingerprint), advice)
  for (const way of ['--fingerprint', '--ca-file', '--insecure']) assert.ok(advice.includes(way))
  // The result names the certificate anyway.
  assert.is(transport.certificateFingerprint, certificate.fingerprint)
})

test('a certificate that is trusted as a CA is accepted for its own names', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const { exchange, transport } = await meet({ kind: 'ca', pem: certificate.cert }, { host })
    assert.is(exchange.response?.body, 'hello')
    assert.is(transport.certificateFingerprint, certificate.fingerprint)
  }
})

test('each connection is judged by its own certificate', async () => {
  const pair = ({ key, cert }: TestCertificate) => ({ key, cert })
  const server = createTlsServer(pair(certificate), socket => socket.end(reply('200 OK', 'hello')))
  server.on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const trust: Trust = { kind: 'ca', pem: certificate.cert + stranger.cert }
    const transport = await Transport.create({ target: { url, trust }, deadlineMs: 5000, now: () => performance.now() })
    for (const presented of [certificate, certificate, stranger, stranger, certificate]) {
      server.setSecureContext(pair(presented))
      const { response, error } = await transport.exchange(REQUEST)
      assert.is(response?.body, presented === certificate ? 'hello' : undefined)
      if (presented === certificate) continue
      assert.match(error?.message ?? '', /issued for another name/)
      assert.ok(error?.advice?.includes(stranger.fingerprint))
    }
  } finally {
    server.close()
  }
})

test('a key that is too weak for this Node is told in words, and a pin takes it', async () => {
  const weak = await testCertificate(undefined, { keyType: 'rsa', keySize: 1024 })
  const { exchange } = await meet({ kind: 'ca', pem: weak.cert }, { certificate: weak })
  // Node 20 and 22 take it. So does a later one that is told to.
  if (exchange.error) {
    assert.match(exchange.error.message, /: its key or its signature is most likely too weak for this version of Node$/)
    assert.match(
      exchange.error.advice ?? '',
      /^its SHA-256 is [0-9A-F:]+; give the Core a certificate with a longer key/,
    )
  }
  const pinned = await meet({ kind: 'fingerprint', sha256: weak.fingerprint }, { certificate: weak })
  assert.is(pinned.exchange.response?.body, 'hello')
})

test('what is wrong with a certificate beside a CA file is said in words, with what helps', async () => {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000)
  const expired = await testCertificate(undefined, { notBeforeDate: day(-9), notAfterDate: day(-2) })
  const early = await testCertificate(undefined, { notBeforeDate: day(2), notAfterDate: day(9) })
  const trials = [
    [expired, expired.cert, /: it has expired$/, /have it renewed at the Core, or pass --fingerprint with it/],
    [early, early.cert, /: it is not valid yet$/, /set the clocks of the Core and of this machine, or pass/],
    [stranger, stranger.cert, /another name than the one in the URL$/, /a name that it is issued for, or pass/],
    [certificate, stranger.cert, /: it is self-signed$/, /give the file of the CA that issued it, or pass/],
  ] as const
  for (const [presented, pem, message, advice] of trials) {
    const { exchange, server } = await meet({ kind: 'ca', pem }, { certificate: presented })
    assertRefused(exchange, server)
    assert.match(exchange.error?.message ?? '', message)
    assert.match(exchange.error?.advice ?? '', advice)
    assert.match(exchange.error?.advice ?? '', /pass --fingerprint with it instead of --ca-file/)
    assert.ok(exchange.error?.advice?.includes(presented.fingerprint))
    assert.not.match(exchange.error?.advice ?? '', /--insecure/)
    // A pinned certificate is accepted in any condition.
    const pinned = await meet({ kind: 'fingerprint', sha256: presented.fingerprint }, { certificate: presented })
    assert.is(pinned.exchange.response?.body, 'hello')
  }
})

test('any certificate but the pinned one is refused before HTTP', async () => {
  const { exchange, server, transport } = await meet({ kind: 'fingerprint', sha256: stranger.fingerprint })
  assertRefused(exchange, server)
  assert.ok(exchange.error?.message.includes(stranger.fingerprint))
  assert.ok(exchange.error?.message.includes(certificate.fingerprint))
  assert.is(transport.certificateFingerprint, certificate.fingerprint)
})

test('connections come from even and odd ports, as those of many clients do', async () => {
  const ports: number[] = []
  const server = createTlsServer({ key: certificate.key, cert: certificate.cert }, socket => {
    ports.push(socket.remotePort ?? 0)
    socket.end(reply('200 OK', 'hello'))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const url = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const target = { url, trust: { kind: 'insecure' as const } }
    const transport = await Transport.create({ target, deadlineMs: 5000, now: () => performance.now() })
    for (let times = 0; times < 8; times++) assert.is((await transport.exchange(REQUEST)).response?.body, 'hello')
    // Elsewhere than on Linux they are of both kinds anyway, or not: nobody chooses.
    const kinds = process.platform === 'linux' ? new Set(ports.map(port => port % 2)).size : 2
    assert.is(kinds, 2, ports.join(' '))
  } finally {
    server.close()
  }
})

test('insecure takes any certificate', async () => {
  const { exchange, transport } = await meet({ kind: 'insecure' }, { certificate: stranger })
  assert.is(exchange.response?.body, 'hello')
  assert.is(transport.certificateFingerprint, stranger.fingerprint)
})

/** Runs a server without TLS, and counts its connections. */
async function withTcp(
  greet: (socket: Socket) => void,
  use: (url: URL, open: Set<Socket>) => Promise<void>,
): Promise<void> {
  const open = new Set<Socket>()
  const server = createServer(socket => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    // An unread connection never shows its end.
    socket.resume()
    greet(socket)
  })
  const port = await listen(server)
  try {
    await use(new URL(`https://127.0.0.1:${port}`), open)
  } finally {
    for (const socket of open) socket.destroy()
    server.close()
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

test('a port where nobody listens', async () => {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    const { exchange, tookMs } = await ask(new URL(`https://${host}:${port}`), { kind: 'insecure' })
    assert.is(exchange.error?.kind, 'connect')
    assert.is(exchange.error?.message, `nothing is listening at ${host}:${port}`)
    assert.match(exchange.error?.advice ?? '', /the Core is up, and the host and port of its URL/)
    assert.ok(tookMs < SOON_MS)
  }
})

test('a host name that cannot be resolved', async () => {
  const { exchange } = await ask(new URL('https://no-such-core.invalid'), { kind: 'insecure' })
  assert.is(exchange.error?.kind, 'connect')
  assert.match(exchange.error?.message ?? '', /no-such-core\.invalid cannot be resolved/)
})

test('a server that accepts and never speaks TLS', () =>
  withTcp(
    () => {},
    async (url, open) => {
      const { exchange, tookMs } = await ask(url, { kind: 'insecure' }, 300)
      assert.is(exchange.error?.kind, 'tls')
      assert.is(exchange.error?.message, 'the TLS handshake was not finished within 0.3 s')
      assert.match(exchange.error?.advice ?? '', /--deadline/)
      assert.ok(tookMs >= 295 && tookMs < SOON_MS)
      await Promise.all([...open].map(socket => once(socket, 'close')))
    },
  ))

test('a server that drips through the handshake', () =>
  withTcp(
    socket => {
      // The head of a TLS record whose content never ends.
      socket.write(Buffer.from([0x16, 3, 3, 0x10, 0]))
      const timer = setInterval(() => socket.write('\x02'), 30)
      socket.on('close', () => clearInterval(timer))
    },
    async url => {
      const { exchange } = await ask(url, { kind: 'insecure' }, 300)
      assert.is(exchange.error?.kind, 'tls')
    },
  ))

test('garbage instead of TLS, and ends of many kinds', async () => {
  const ways: Record<string, (socket: Socket) => void> = {
    garbage: socket => socket.end('\x00\x01garbage'.repeat(100)),
    'an HTTP answer': socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'an end': socket => socket.end(),
    'an end in the handshake': socket => socket.once('data', () => socket.end()),
    'a reset in the handshake': socket => socket.once('data', () => socket.resetAndDestroy()),
    'an alert': socket => socket.once('data', () => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 40]))),
  }
  for (const [what, greet] of Object.entries(ways)) {
    await withTcp(greet, async url => {
      const { exchange, tookMs } = await ask(url, { kind: 'insecure' })
      assert.is(exchange.error?.kind, 'tls', what)
      assert.match(exchange.error?.advice ?? '', /HTTPS port/, what)
      assert.is(exchange.response, undefined)
      assert.ok(tookMs < SOON_MS, what)
    })
  }
})

test('plain HTTP on the port, and TLS that is too old, are said in words', async () => {
  const plain = createHttpServer((_, response) => response.end('hello'))
  const old = createTlsServer({
    cert: certificate.cert,
    key: certificate.key,
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1.1',
    ciphers: 'ALL:@SECLEVEL=0',
  })
  const trials = [
    [plain, /speaks no TLS, most likely plain HTTP/, /names the HTTPS port/],
    [old, /offers TLS 1\.1 or older only/, /turn on TLS 1\.2 or later at the Core/],
  ] as const
  for (const [server, message, advice] of trials) {
    server.on('tlsClientError', () => {})
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const { exchange } = await ask(new URL(`https://127.0.0.1:${port}`), { kind: 'insecure' })
    assert.is(exchange.error?.kind, 'tls')
    assert.match(exchange.error?.message ?? '', message)
    assert.match(exchange.error?.advice ?? '', advice)
    await new Promise(resolve => server.close(resolve))
  }
})

test.run()
