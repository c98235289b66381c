/** The transport against TLS servers that answer with raw bytes, correct and broken. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import pactum from 'pactum'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Exchange, header, type WireRequest } from '../dist/core/exchange.js'
import { KeptConnection } from '../dist/core/kept-connection.js'
import { toBytes } from '../dist/core/request-bytes.js'
import { Transport } from '../dist/core/transport.js'
import { type TestCertificate, testCertificate } from './support/certificate.js'
import { long } from './support/long.js'
import { type Answer, type RawServer, type RawServerOptions, rawServer, reply, reset } from './support/raw-server.js'

const MIB = 1024 * 1024
const GET: WireRequest = {
  method: 'GET',
  path: '/api/v0/cores/self/users?a=1&b=%20',
  headers: [['Accept', 'application/json']],
  httpVersion: '1.1',
  omitHost: false,
}
const POST: WireRequest = { ...GET, method: 'POST', path: '/api/v0/logon', body: '{"password":"pässwort"}' }

const test = suite('transport')
let certificate: TestCertificate

test.before(async () => {
  certificate = await testCertificate()
})

interface Asked {
  request?: WireRequest
  deadlineMs?: number
}

/** Deadline of exchanges that have to end long before it, and the time that they may take on a machine with ten other tasks. */
const LONG = { deadlineMs: 60_000 }
const SOON_MS = 30_000

/** Does one exchange with a new server, and asserts that no connection stays open. */
async function exchangeWith(
  server: Answer | Omit<RawServerOptions, 'certificate'>,
  { request = GET, deadlineMs = 5000 }: Asked = {},
): Promise<{ exchange: Exchange; server: RawServer; tookMs: number }> {
  const options = typeof server === 'function' ? { answer: server } : server
  const raw = await rawServer({ certificate, ...options })
  try {
    const transport = await Transport.create({
      target: { url: raw.url, trust: { kind: 'insecure' } },
      deadlineMs,
      now: () => performance.now(),
    })
    const start = performance.now()
    const exchange = await transport.exchange(request)
    const tookMs = performance.now() - start
    // A generous limit: the test only checks that the exchange ends, also on a machine with ten other tasks.
    assert.ok(tookMs < deadlineMs + 30_000, `took ${tookMs} ms with a deadline of ${deadlineMs} ms`)
    await Promise.race([raw.idle(), sleep(20_000).then(() => Promise.reject(new Error('a connection was left open')))])
    return { exchange, server: raw, tookMs }
  } finally {
    await raw.close()
  }
}

/** Returns the response to such an answer, and asserts that the exchange is fine. */
async function responseTo(answer: string | Buffer, asked?: Asked) {
  const { exchange } = await exchangeWith(socket => socket.end(answer), asked)
  assert.is(exchange.error, undefined)
  assert.ok(exchange.response)
  return exchange.response
}

function names(request: string): string[] {
  const [head = ''] = request.split('\r\n\r\n')
  return head
    .split('\r\n')
    .slice(1)
    .map(line => (line.split(':')[0] ?? '').toLowerCase())
}

test('a response comes through as it was sent', async () => {
  const { exchange, server } = await exchangeWith(socket =>
    socket.end(reply('201 Made Up', '{"token":"ä"}', ['X-Two: 1', 'x-TWO: 2', 'Set-Cookie: a=b'])),
  )
  const { response } = exchange
  assert.is(exchange.error, undefined)
  assert.is(response?.status, 201)
  assert.is(response?.statusText, 'Made Up')
  assert.is(response?.httpVersion, '1.1')
  assert.is(response?.body, '{"token":"ä"}')
  assert.is(response?.bodyBytes, 14)
  assert.is(response?.complete, true)
  assert.equal(response?.headers, [
    ['Content-Length', '14'],
    ['X-Two', '1'],
    ['x-TWO', '2'],
    ['Set-Cookie', 'a=b'],
  ])
  assert.is(response && header(response, 'x-two'), '1')
  assert.is(server.connections, 1)
  assert.ok(exchange.sentAt <= exchange.receivedAt)
})

test('a request goes out as it was asked for', async () => {
  const { server, exchange } = await exchangeWith(socket => socket.end(reply('204 No Content')), { request: POST })
  const [request = ''] = server.received
  assert.match(request, /^POST \/api\/v0\/logon HTTP\/1\.1\r\n/)
  assert.is(request.split('\r\n\r\n')[1], Buffer.from('{"password":"pässwort"}').toString('latin1'))
  // Headers as recorded, in their order and case, then the headers that the transport adds.
  assert.equal(exchange.request.headers, [
    ['Host', server.url.host],
    ['Accept', 'application/json'],
    ['Connection', 'close'],
  ])
  assert.equal(request.split('\r\n\r\n')[0]?.split('\r\n').slice(1), [
    `Host: ${server.url.host}`,
    'Accept: application/json',
    'Connection: close',
    'Content-Length: 24',
  ])
  assert.equal(exchange.request.body, POST.body)
})

test('a request without the header fields that a client adds goes out so', async () => {
  const request: WireRequest = { ...GET, headers: [], omitConnection: true }
  const { server, exchange } = await exchangeWith(socket => socket.end(reply('204 No Content')), { request })
  assert.is(exchange.response?.status, 204)
  assert.equal(server.received[0]?.split('\r\n').slice(1), [`Host: ${server.url.host}`, '', ''])
})

for (const [breaksOff, part] of [
  ['head', /^POST \/api\/v0\/logon HTTP\/1\.1\r\nHost: (?!.*\r\n\r\n)/s],
  ['body', /\r\n\r\n\{[^}]*$/],
  ['answer', /\r\n\r\n\{.*\}$/],
] as const)
  test(`a request that its client breaks off within its ${breaksOff}: that much is sent, and no answer is waited for`, async () => {
    const request: WireRequest = { ...POST, body: '{"password":"secret"}', breaksOff }
    const { exchange, server } = await exchangeWith(socket => socket.write(reply('200 OK')), { request })
    assert.is(exchange.response, undefined)
    assert.is(exchange.error?.kind, 'closed')
    assert.match(exchange.error?.message ?? '', /^broken off by its client .*, on purpose$/)
    assert.match(server.received[0] ?? '', part)
  })

test('a head with a pause in it', async () => {
  const cameMs: number[] = []
  const { exchange } = await exchangeWith(
    {
      greet: socket => socket.on('data', () => cameMs.push(performance.now())),
      answer: socket => socket.write(reply('200 OK')),
    },
    { request: { ...GET, inPieces: 'pause' } },
  )
  assert.is(exchange.response?.status, 200)
  const [first = 0, last = 0] = [cameMs[0], cameMs.at(-1)]
  assert.ok(last - first >= 300, `${last - first} ms`)
})

test('a head in pieces comes in as many, four at a time', async () => {
  let came = 0
  const server = await rawServer({
    certificate,
    greet: socket => socket.on('data', () => came++),
    answer: socket => socket.write(reply('200 OK')),
  })
  const target = { url: server.url, trust: { kind: 'insecure' as const } }
  let pauses = 0
  const pause = async () => void pauses++
  const transport = await Transport.create({ target, deadlineMs: 5000, now: () => performance.now(), pause })
  const request: WireRequest = { ...GET, inPieces: 'moments' }
  const { response } = await transport.exchange(request)
  assert.is(response?.status, 200)
  assert.ok(came >= 10, `${came} pieces`)
  assert.is(pauses, Math.floor((toBytes(transport.whole(request, false)).length - 1) / 4))
  await server.close()
})

test('a body comes later than its head; a Core that answers at the head gets no body, and its connection serves nobody else', async () => {
  const request: WireRequest = { ...POST, body: '{"password":"secret"}', inPieces: 'body' }
  const cameMs: number[] = []
  const { exchange, server } = await exchangeWith(
    {
      greet: socket => socket.on('data', () => cameMs.push(performance.now())),
      answer: (socket, text) => void (text.endsWith('}') && socket.write(reply('200 OK'))),
    },
    { request },
  )
  assert.is(exchange.response?.status, 200)
  assert.ok((cameMs.at(-1) ?? 0) - (cameMs[0] ?? 0) >= 300)
  assert.match(server.received.at(-1) ?? '', /"secret"\}$/)
  const early = await rawServer({
    certificate,
    greet: socket => void socket.once('data', () => socket.write(reply('401 Unauthorized'))),
  })
  const target = { url: early.url, trust: { kind: 'insecure' as const } }
  const transport = await Transport.create({ target, deadlineMs: 5000, now: () => performance.now() })
  const kept = new KeptConnection()
  for (let times = 0; times < 2; times++) assert.is((await transport.exchange(request, kept)).response?.status, 401)
  await sleep(500)
  assert.is(early.connections, 2)
  assert.not(early.received.some(text => text.includes('secret')))
  kept.close()
  await early.close()
})

test('a request in pieces is cut within its method, its Host, its last line end and its body; a body in chunks, within the name of a member', () => {
  const headers: [string, string][] = [['Host', 'core.example'], ...GET.headers]
  const pieces = toBytes({ ...GET, headers, inPieces: 'moments' }).map(String)
  assert.is(pieces.join(''), String(Buffer.concat(toBytes({ ...GET, headers }))))
  const isCut = (cut: RegExp) => pieces.some((_, index) => cut.test(pieces.slice(0, index).join('')))
  for (const cut of [/^GET$/, /Host: c$/, /\r\n\r$/]) assert.ok(isCut(cut), String(cut))
  const ends = toBytes({ ...POST, body: '{"a":1}', inPieces: 'moments' })
    .slice(-2)
    .map(String)
  assert.equal(ends, ['{"a', '":1}'])
  const [, body] = String(Buffer.concat(toBytes({ ...POST, body: '{"password":"secret"}', chunks: 'several' }))).split(
    '\r\n\r\n',
    2,
  )
  assert.equal(
    body?.split('\r\n').filter((_, index) => index % 2),
    ['{', '"p', 'assword":"secret"', '}'],
  )
  const extended = String(Buffer.concat(toBytes({ ...POST, body: '[1]', chunks: 'extended' })))
  assert.match(extended, /\r\n\r\n001;part=1\r\n\[\r\n001;part=1\r\n1\r\n001;part=1\r\n\]\r\n0\r\n\r\n$/)
  const trailing = toBytes({ ...GET, chunks: 'one', trailer: [['Host', 'core.example']] })
  assert.match(String(Buffer.concat(trailing)), /\r\n\r\n0\r\nHost: core\.example\r\n\r\n$/)
  const chunksOf = (text: string) =>
    Buffer.concat(toBytes({ ...POST, body: text, chunks: 'several' })).includes('\r\n0\r\n\r\n')
  assert.ok(['', '[]', 'x', '{}'].every(chunksOf))
})

test('the lines of a head come without a blank behind the colons, with a tab, or behind an empty line; Host can be last of all', () => {
  const headers: [string, string][] = [['Host', 'core.example']]
  const written = (more: Partial<WireRequest>) =>
    String(Buffer.concat(toBytes({ ...POST, headers, body: '{}', ...more })))
  const line = `POST ${POST.path} HTTP/1.1\r\n`
  assert.is(written({ lines: 'bare' }), `${line}Host:core.example\r\nContent-Length:2\r\n\r\n{}`)
  assert.is(written({ lines: 'tabbed' }), `${line}Host:\tcore.example\r\nContent-Length:\t2\r\n\r\n{}`)
  assert.is(written({ lines: 'led' }), `\r\n${line}Host: core.example\r\nContent-Length: 2\r\n\r\n{}`)
  assert.is(written({ isHostLate: true }), `${line}Content-Length: 2\r\nHost: core.example\r\n\r\n{}`)
})

test('path and query are not tampered with', async () => {
  for (const path of ['/api/v0/cores/self/users?a=1&b=%20', '/api//x/../y/%2e%2E/{a}?$E{HOME}', '/api/a"|b']) {
    const { server } = await exchangeWith(socket => socket.end(reply('200 OK')), { request: { ...GET, path } })
    assert.is(server.received[0]?.split('\r\n')[0], `GET ${path} HTTP/1.1`)
  }
})

test('what pactum would take for a template goes out literally', async () => {
  const { env } = process
  env.CORE_TEST_VALUE = 'expanded'
  const text = '$E{CORE_TEST_VALUE} $S{x} $M{x} $F{x} @DATA:TEMPLATE@'
  const request: WireRequest = { ...POST, headers: [['X-Text', text]], body: JSON.stringify({ password: text }) }
  const { server } = await exchangeWith(socket => socket.end(reply('200 OK')), { request })
  delete env.CORE_TEST_VALUE
  assert.is(server.received[0]?.split(text).length, 3)
})

for (const httpVersion of ['1.1', '1.0'] as const) {
  test(`HTTP/${httpVersion}: exactly one Host when it is wanted, and none when not`, async () => {
    for (const base of [GET, POST, { ...GET, method: 'DELETE' }]) {
      for (const omitHost of [false, true]) {
        const request: WireRequest = { ...base, httpVersion, omitHost }
        const { server, exchange } = await exchangeWith(socket => socket.end(reply('200 OK', 'fine')), { request })
        const [received = ''] = server.received
        assert.is(received.split('\r\n')[0], `${base.method} ${base.path} HTTP/${httpVersion}`)
        assert.is(names(received).filter(name => name === 'host').length, omitHost ? 0 : 1)
        assert.is(received.toLowerCase().includes('host'), !omitHost, 'no trace of a Host')
        if (!omitHost) assert.match(received, new RegExp(`\\r\\nhost: ${server.url.host}\\r\\n`, 'i'))
        assert.is(
          exchange.request.headers.some(([name]) => name === 'Host'),
          !omitHost,
        )
        assert.is(received.split('\r\n\r\n')[1], base.body ? Buffer.from(base.body).toString('latin1') : '')
        assert.is(exchange.response?.body, 'fine')
      }
    }
  })
}

test('HTTP/1.0 is sent once and whole, with its body', async () => {
  const request: WireRequest = { ...POST, httpVersion: '1.0' }
  const { server, exchange } = await exchangeWith(socket => socket.end('HTTP/1.0 201 Created\r\n\r\n{"token":"x"}'), {
    request,
  })
  assert.is(
    server.received[0],
    `POST /api/v0/logon HTTP/1.0\r\nHost: ${server.url.host}\r\nAccept: application/json\r\nConnection: close\r\nContent-Length: 24\r\n\r\n${Buffer.from(POST.body ?? '').toString('latin1')}`,
  )
  assert.is(exchange.response?.httpVersion, '1.0')
  assert.is(exchange.response?.body, '{"token":"x"}')
  assert.is(exchange.response?.complete, true)
})

test('an empty body is a body of no bytes', async () => {
  const { server, exchange } = await exchangeWith(socket => socket.end(reply('200 OK')), {
    request: { ...POST, body: '' },
  })
  assert.match(server.received[0] ?? '', /\r\ncontent-length: 0\r\n/i)
  assert.is(exchange.response?.status, 200)
})

test('a request that cannot be sent is no answer of the Core', async () => {
  const bad: WireRequest[] = [
    { ...GET, headers: [['X-Bad', 'a\r\nb: c']] },
    { ...GET, headers: [['X Bad', 'a']] },
    { ...GET, path: '/api/ä ö' },
    { ...GET, headers: [['X-Bad', 'a\r\nb: c']], httpVersion: '1.0' },
  ]
  for (const request of bad) {
    const raw = await rawServer({ certificate, answer: socket => socket.end(reply('200 OK')) })
    const transport = await Transport.create({
      target: { url: raw.url, trust: { kind: 'insecure' } },
      deadlineMs: 3000,
      now: () => performance.now(),
    })
    let thrown: unknown
    await transport.exchange(request).catch(error => {
      thrown = error
    })
    assert.instance(thrown, Error)
    assert.match((thrown as Error).message, /cannot be sent/)
    assert.is(raw.received.join(''), '')
    await raw.idle()
    await raw.close()
  }
})

/** What came, as far as a row names it. */
interface Came {
  error?: NonNullable<Exchange['error']>['kind']
  message?: RegExp
  status?: number
  httpVersion?: string
  body?: string | RegExp
  bodyBytes?: number
}

const bytes =
  (text: string | Buffer) =>
  (socket: Parameters<Answer>[0]): void =>
    void socket.end(text)
/** Sends what is whole or not, and ends the connection so, a moment later. */
const then =
  (text: string, end: 'end' | 'destroy' | 'reset'): Answer =>
  socket => {
    socket.write(text)
    setTimeout(() => (end === 'reset' ? reset(socket) : socket[end]()), 50)
  }
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`
const PLAIN = JSON.stringify({ token: 'x'.repeat(5000) })
const coded = (encoding: string, body: Buffer, length = body.length) =>
  Buffer.concat([Buffer.from(`${OK}Content-Encoding: ${encoding}\r\nContent-Length: ${length}\r\n\r\n`), body])
const WHOLE = gzipSync(JSON.stringify(Array.from({ length: 5000 }, (_, index) => index)))
const MIDDLE = /in the middle of the response/
const FIRST = reply('401 Unauthorized', 'first')
const CUT = `${OK}Content-Length: 100\r\n\r\n{"token":"abc`

/** Answers, with what comes of them: whole, cut with what came before, or none. */
const ANSWERS: [what: string, answer: Answer | Pick<RawServerOptions, 'greet'>, came: Came, asked?: Asked][] = [
  [
    'chunks',
    bytes(`${CHUNKED}3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nX-Trailer: 1\r\n\r\n`),
    { status: 200, body: 'abcdefg', bodyBytes: 7 },
  ],
  [
    'until the end',
    bytes(`${OK}Content-Type: text/plain\r\n\r\nuntil the end`),
    { status: 200, body: 'until the end' },
  ],
  ['HTTP/1.0', bytes('HTTP/1.0 401 No\r\n\r\n{}'), { status: 401, httpVersion: '1.0', body: '{}' }],
  ['a connection that stays open', socket => void socket.write(reply('200 OK', 'x')), { status: 200, body: 'x' }, LONG],
  [
    'a reset after the end',
    socket => void socket.write(reply('200 OK', 'whole'), () => reset(socket)),
    { body: 'whole' },
  ],
  ['before it is asked', { greet: bytes(reply('400 Bad Request', 'early')) }, { status: 400, body: 'early' }],
  [
    'invalid UTF-8',
    bytes(
      Buffer.concat([Buffer.from(`${OK}Content-Length: 6\r\n\r\n`), Buffer.from([0x7b, 0xff, 0xfe, 0xc3, 0x28, 0x7d])]),
    ),
    { status: 200, body: '{\uFFFD\uFFFD\uFFFD(}' },
  ],
  // Decompressed; bytes are counted as they came.
  ...Object.entries({ gzip: gzipSync, 'X-GZIP': gzipSync, deflate: deflateSync, br: brotliCompressSync }).map(
    ([encoding, compress]): (typeof ANSWERS)[number] => {
      const body = compress(PLAIN)
      return [encoding, bytes(coded(encoding, body)), { body: PLAIN, bodyBytes: body.length }]
    },
  ),
  ...['gzip', 'br', 'deflate', 'zstd', 'identity'].map((encoding): (typeof ANSWERS)[number] => [
    `plain text as ${encoding}`,
    bytes(reply('200 OK', 'plain text', [`Content-Encoding: ${encoding}`])),
    { body: 'plain text' },
  ]),
  ['gzip, cut', bytes(coded('gzip', WHOLE.subarray(0, -200), WHOLE.length)), { error: 'closed', body: /^\[0,1,2,/ }],
  // No body, whatever length they announce.
  ['HEAD', bytes(`${OK}Content-Length: 500\r\n\r\n`), { body: '' }, { request: { ...GET, method: 'HEAD' } }],
  ['204', bytes('HTTP/1.1 204 No Content\r\nContent-Length: 500\r\n\r\n'), { status: 204, bodyBytes: 0 }],
  ['304', bytes('HTTP/1.1 304 Not Modified\r\nContent-Length: 500\r\n\r\n'), { status: 304, bodyBytes: 0 }],
  // Of two responses the first counts, and what trails is passed over.
  ...[reply('200 OK', 'second'), 'garbage', '\r\n\r\n', 'HTTP/1.1 nonsense'].map((more): (typeof ANSWERS)[number] => [
    `${JSON.stringify(more)} behind it`,
    bytes(FIRST + more),
    { status: 401, body: 'first' },
  ]),
  // What is cut is kept as far as it came.
  ...(['end', 'destroy', 'reset'] as const).map((end): (typeof ANSWERS)[number] => [
    `cut by ${end}`,
    then(CUT, end),
    { error: 'closed', message: MIDDLE, status: 200, body: '{"token":"abc', bodyBytes: 13 },
  ]),
  [
    'chunks beside a length',
    bytes(`${CHUNKED.slice(0, -2)}Content-Length: 9\r\n\r\n3\r\nabc\r\n0\r\n\r\n`),
    { status: 200, body: 'abc' },
  ],
  ['lines that end with a line feed alone', bytes('HTTP/1.1 200\nX-A: b\n\nhello'), { status: 200, body: 'hello' }],
  ['without a length, cut', then(`${OK}\r\n{"token":"abc`, 'reset'), { error: 'closed', body: '{"token":"abc' }],
  ['without its last chunk', bytes(`${CHUNKED}3\r\nabc\r\n`), { error: 'closed', body: 'abc' }],
  ['a wrong size of a chunk', bytes(`${CHUNKED}3\r\nabc\r\nzzz\r\n`), { error: 'malformed', status: 200, body: 'abc' }],
  [
    'another protocol',
    socket =>
      void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nabc'),
    { error: 'malformed', message: /101/, status: 101 },
    LONG,
  ],
  // No HTTP.
  ...[
    'NONSENSE\r\n\r\n',
    'HTTP/1.1 abc OK\r\n\r\n',
    'HTTP/1.1 000 OK\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nok',
    'HTTP/1.1\r\n\r\n',
    'HTTP/9.9 200 OK\r\n\r\n',
    `${OK}No colon here\r\n\r\n`,
    `${OK}Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc`,
    `${OK}Content-Length: x\r\n\r\nabc`,
    `${OK}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`,
    '\x00\x01\x02\x03',
    '<html>hello</html>\n',
  ].map((text): (typeof ANSWERS)[number] => [
    JSON.stringify(text.slice(0, 60)),
    bytes(text),
    { error: 'malformed', message: /not HTTP/ },
  ]),
  // No answer.
  ...(
    [
      ['an end', { answer: bytes('') }],
      ['destroyed', { answer: socket => void socket.destroy() }],
      ['a reset', { answer: socket => void reset(socket) }],
      ['an end in the head', { answer: bytes(`${OK}X-`) }],
      ['an end after the handshake', { greet: bytes('') }],
    ] as [string, { answer: Answer } | Pick<RawServerOptions, 'greet'>][]
  ).map(([what, server]): (typeof ANSWERS)[number] => [
    what,
    'answer' in server ? server.answer : server,
    { error: 'closed', message: /^the connection ended without a response$/ },
  ]),
]

test('each answer ends where it ends; what is cut, malformed or missing is told, with what came', async () => {
  for (const [what, answer, came, asked] of ANSWERS) {
    const { exchange, tookMs } = await exchangeWith(answer, asked)
    const { response, error } = exchange
    assert.is(error?.kind, came.error, what)
    if (came.message) assert.match(error?.message ?? '', came.message, what)
    const isThere = came.status !== undefined || came.body !== undefined
    assert.is(response !== undefined, isThere, what)
    if (asked === LONG) assert.ok(tookMs < SOON_MS, what)
    if (!response) continue
    assert.is(response.complete, came.error === undefined, what)
    const { body, ...others } = came
    for (const key of ['status', 'httpVersion', 'bodyBytes'] as const)
      if (others[key] !== undefined) assert.is(response[key], others[key], what)
    if (typeof body === 'string') assert.is(response.body, body, what)
    else if (body) assert.match(response.body, body, what)
  }
})

test('a 101 that names no protocol comes to an end too', async () => {
  const { exchange } = await exchangeWith(bytes('HTTP/1.1 101 Switching Protocols\r\n\r\n'))
  assert.is(exchange.response?.status, 101)
})

test('a compressed bomb stays small', async () => {
  const zeros = Buffer.alloc(100 * MIB)
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  const bombs = {
    gzip: gzipSync(zeros, { level: 1 }),
    deflate: deflateSync(zeros, { level: 1 }),
    br: brotliCompressSync(zeros, quick),
  }
  for (const [encoding, bomb] of Object.entries(bombs)) {
    const before = process.memoryUsage().rss
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const response = await responseTo(Buffer.concat([Buffer.from(head), bomb]))
    assert.ok(response.body.length <= MIB, `${response.body.length} characters`)
    assert.ok(process.memoryUsage().rss - before < 60 * MIB)
    assert.is(response.bodyBytes, bomb.length)
  }
})

test('a Core that never answers is a deadline', async () => {
  const { exchange, tookMs } = await exchangeWith(() => {}, { deadlineMs: 300 })
  assert.is(exchange.error?.kind, 'deadline')
  assert.is(exchange.error?.message, 'no response within 0.3 s')
  assert.is(exchange.response, undefined)
  assert.ok(tookMs >= 295)
  assert.ok(exchange.receivedAt - exchange.sentAt > 200)
})

test('a Core that takes its time within the deadline is waited for', async () => {
  // Pactum's own timeout is 3 s; shorter here, to keep the test short.
  pactum.request.setDefaultTimeout(50)
  const { exchange } = await exchangeWith(socket => void sleep(400).then(() => socket.end(reply('200 OK', 'at last'))))
  pactum.request.setDefaultTimeout(3000)
  assert.is(exchange.error, undefined)
  assert.is(exchange.response?.body, 'at last')
})

test('one deadline for the whole exchange: dripping does not extend it', async () => {
  const drip = (start: string, drop: string): Answer => {
    return socket => {
      socket.write(start)
      const timer = setInterval(() => socket.write(drop), 40)
      socket.on('close', () => clearInterval(timer))
    }
  }
  const inHead = await exchangeWith(drip('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'), { deadlineMs: 400 })
  assert.is(inHead.exchange.error?.kind, 'deadline')
  assert.is(inHead.exchange.response, undefined)
  for (const [start, drop] of [
    ['HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n', 'a'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'],
    ['HTTP/1.1 200 OK\r\n\r\n', 'a'],
  ] as const) {
    const { exchange } = await exchangeWith(drip(start, drop), { deadlineMs: 400 })
    assert.is(exchange.error?.kind, 'deadline')
    assert.is(exchange.error?.message, 'the response was not finished within 0.4 s')
    assert.is(exchange.response?.status, 200)
    assert.is(exchange.response?.complete, false)
    assert.match(exchange.response?.body ?? '', /^a+$/)
  }
})

test('of a large body 1 MiB is kept, all is counted, and it is quick', async () => {
  const size = 50 * MIB
  const block = Buffer.alloc(MIB, 'x')
  const cpu = process.cpuUsage()
  const { exchange } = await exchangeWith(
    socket => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
      send(50)
      function send(blocks: number): void {
        if (blocks === 0) socket.end()
        else socket.write(block, () => send(blocks - 1))
      }
    },
    { deadlineMs: 30_000 },
  )
  const { user } = process.cpuUsage(cpu)
  assert.is(exchange.error, undefined)
  assert.is(exchange.response?.complete, true)
  assert.is(exchange.response?.bodyBytes, size)
  assert.is(exchange.response?.body.length, MIB)
  // Includes server and client; reading into a single buffer would take many times as long.
  assert.ok(user < 5_000_000, `${user / 1000} ms of CPU`)
})

long(test)('a body beyond all bounds is given up', async () => {
  const block = Buffer.alloc(MIB, 'x')
  let peak = 0
  let sent = 0
  for (const framing of ['Content-Length: 104857600', 'Connection: close', 'X-Endless: 1']) {
    const before = process.memoryUsage().rss
    const { exchange } = await exchangeWith(
      socket => {
        sent = 0
        socket.write(`HTTP/1.1 200 OK\r\n${framing}\r\n\r\n`)
        send()
        function send(): void {
          sent++
          peak = Math.max(peak, process.memoryUsage().rss - before)
          if (!socket.destroyed) socket.write(block, error => error || send())
        }
      },
      { deadlineMs: 30_000 },
    )
    assert.is(exchange.error?.kind, 'oversized')
    assert.is(exchange.response?.status, 200)
    assert.is(exchange.response?.complete, false)
    assert.is(exchange.response?.body.length, MIB)
    assert.ok((exchange.response?.bodyBytes ?? 0) > 64 * MIB)
    assert.ok(sent < 90, `read on to ${sent} MiB`)
  }
  assert.ok(peak < 150 * MIB, `${peak / MIB} MiB`)
})

test('a Core that does not read the request may answer all the same', async () => {
  const { exchange } = await exchangeWith(
    {
      greet: socket => {
        socket.pause().write(reply('413 Too Large', 'no'))
        // Unread bytes would hide the end of the client from the server.
        const timer = setInterval(() => socket.resume(), 300)
        socket.on('close', () => clearInterval(timer))
      },
    },
    { request: { ...POST, body: 'x'.repeat(4 * MIB) } },
  )
  assert.is(exchange.response?.status, 413)
  assert.is(exchange.response?.body, 'no')
})

test('informational responses are passed over, but not without end', async () => {
  const some = await responseTo(
    `HTTP/1.1 100 Continue\r\n\r\n${'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(5)}${reply('200 OK', 'final')}`,
  )
  assert.is(some.status, 200)
  assert.is(some.body, 'final')
  const { exchange, tookMs } = await exchangeWith(socket => {
    const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 5)
    socket.on('close', () => clearInterval(timer))
  }, LONG)
  assert.is(exchange.error?.kind, 'malformed')
  assert.match(exchange.error?.message ?? '', /1xx/)
  assert.is(exchange.response, undefined)
  assert.ok(tookMs < SOON_MS)
})

test('a redirect is recorded and not followed', async () => {
  const elsewhere = await rawServer({ certificate, answer: socket => socket.end(reply('200 OK', 'here')) })
  for (const status of ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '308 Permanent']) {
    const response = await responseTo(reply(status, '', [`Location: ${elsewhere.url.href}`]))
    assert.is(response.status, Number(status.slice(0, 3)))
    assert.is(header(response, 'location'), elsewhere.url.href)
  }
  assert.is(elsewhere.connections, 0)
  await elsewhere.close()
})

/** Does exchanges one after another on a kept connection. Returns their statuses, or the kinds of their errors. */
async function onKept(answers: Answer[], request: WireRequest = GET) {
  const left = [...answers]
  const raw = await rawServer({ certificate, answer: (socket, text) => left.shift()?.(socket, text) })
  const target = { url: raw.url, trust: { kind: 'insecure' as const } }
  const transport = await Transport.create({ target, deadlineMs: 400, now: () => performance.now() })
  const kept = new KeptConnection()
  const ends: (number | string)[] = []
  for (const _ of answers) {
    const { response, error } = await transport.exchange(request, kept)
    ends.push(error?.kind ?? response?.status ?? 'nothing')
    // The late bytes must be there before the next exchange. Three short waits: in one long wait on a busy machine, the timer of the
    // server and this one may fire in the same turn of the loop.
    for (let turn = 0; turn < 3; turn++) await sleep(30)
  }
  kept.close()
  await raw.idle()
  await raw.close()
  return { ends, connections: raw.connections, received: raw.received }
}

const send =
  (text: string): Answer =>
  socket =>
    void socket.write(text)

test('a connection is kept for as long as all is well on it', async () => {
  const fine = Array(15).fill(send(reply('200 OK', 'x')))
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  const { ends, connections, received } = await onKept(fine)
  assert.equal(ends, Array(15).fill(200))
  assert.is(connections, 1)
  assert.is(received[0]?.split('Connection: keep-alive').length, 16)
  await new Promise(setImmediate)
  process.off('warning', onWarning)
  assert.equal(warnings, [])
})

test('what came unasked on a kept connection is never taken for the next response', async () => {
  const first = reply('401 Unauthorized', 'no')
  const late = (text: string): Answer => {
    return socket => {
      socket.write(first)
      setTimeout(() => socket.write(text), 20)
    }
  }
  const stray = [
    send(first + reply('200 OK', 'stray')),
    send(`${first}garbage`),
    late(reply('200 OK', 'stray')),
    late('garbage'),
    send(`HTTP/1.1 401 No\r\nContent-Length: 1\r\n\r\nno more`),
  ]
  for (const answer of stray) {
    const { ends, connections } = await onKept([answer, send(reply('403 Forbidden', 'x'))])
    assert.equal(ends, [401, 403])
    assert.is(connections, 2)
  }
})

test('a connection is not kept when the response ends it, or was not finished', async () => {
  const ends: [Answer, number | string][] = [
    [send(reply('200 OK', 'x', ['Connection: close'])), 200],
    [socket => void socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'), 200],
    [send('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'), 'deadline'],
    [send('NONSENSE\r\n\r\n'), 'malformed'],
    [() => {}, 'deadline'],
    [socket => void socket.end(reply('200 OK', 'x')), 200],
  ]
  for (const [answer, end] of ends) {
    const kept = await onKept([answer, send(reply('200 OK', 'x'))])
    assert.equal(kept.ends, [end, 200])
    assert.is(kept.connections, 2)
  }
})

test('a connection is not kept behind a request for another protocol', async () => {
  const asking: WireRequest = {
    ...GET,
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
    ],
  }
  const { ends, connections } = await onKept(Array(2).fill(send(reply('200 OK'))), asking)
  assert.equal(ends, [200, 200])
  assert.is(connections, 2)
})

test('HTTP/1.0 and a doubled header go out as they are on a kept connection too', async () => {
  const odd: WireRequest = {
    ...GET,
    headers: [
      ['X-Two', '1'],
      ['X-Two', '2'],
    ],
  }
  const { received, ends } = await onKept(Array(2).fill(send(reply('200 OK'))), odd)
  assert.equal(ends, [200, 200])
  assert.is(received[0]?.split('X-Two: 1\r\nX-Two: 2\r\n').length, 3)
  const old = await onKept(Array(2).fill(send(reply('200 OK'))), { ...GET, httpVersion: '1.0' })
  assert.is(old.received.join('').split(`GET ${GET.path} HTTP/1.0\r\n`).length, 3)
})

long(test)('nothing is printed, whatever goes wrong, and nothing keeps the process alive', async () => {
  const env = { ...process.env, PACTUM_LOG_LEVEL: 'TRACE', PACTUM_RESPONSE_STATUS: '299', PACTUM_RESPONSE_TIME: '1' }
  const file = fileURLToPath(new URL('support/silence.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', file], { env })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', chunk => {
      printed += chunk
    })
  }
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  assert.is(printed, 'exchanges: 9\n')
  assert.is(code, 0)
})

test.run()
