/** The mutations of a hostile Core's answers, layer by layer. Each gets the correct answer and writes another one. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { reset } from '../raw-server.js'
import type { Random } from './random.js'

/** A correct answer that is about to be spoilt. */
export interface Spoilt {
  socket: TLSSocket
  request: string
  status: number
  headers: [name: string, value: string][]
  body: string
  random: Random
  /** A URL that no client may ever request. */
  trapUrl: string
  /** Makes a useless token that must not show. */
  canary(): string
}

type Mutation = (spoilt: Spoilt) => void | Promise<void>

/** Writes a whole answer from these parts. */
export function whole(
  status: number | string,
  headers: [string, string][],
  body: string | Buffer,
  reason = 'X',
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status} ${reason}\r\n${lines}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`, 'latin1'),
    Buffer.from(body),
  ])
}

const EVIL = [
  '\u001b[2J\u001b]0;owned\u0007',
  '<script>alert(1)</script>',
  '"><img src=https://evil.example/x onerror=alert(1)>',
  ']]><x/>&#0;',
  '::error::pwned\n::stop-commands::x',
  '\u202eevil\u2066\u0000\u0001\u007f\u009b31m',
  'Bail out!\nnot ok 999 - x',
  '$'.concat('{{ github.token }} {{7*7}} $(id)'),
  '\ud800\ufeff\u200b\u2028',
]

const status =
  (...statuses: (number | string)[]): Mutation =>
  ({ socket, headers, body, random }) =>
    void socket.end(whole(random.pick(statuses), headers, body))

const raw =
  (...texts: string[]): Mutation =>
  ({ socket, random }) =>
    void socket.end(Buffer.from(random.pick(texts), 'latin1'))

const withHeaders =
  (make: (spoilt: Spoilt) => [string, string][]): Mutation =>
  spoilt =>
    void spoilt.socket.end(whole(spoilt.status, [...spoilt.headers, ...make(spoilt)], spoilt.body))

const withBody =
  (make: (spoilt: Spoilt) => string | Buffer, headers: [string, string][] = []): Mutation =>
  spoilt =>
    void spoilt.socket.end(whole(spoilt.status, [...headers, ['Content-Type', 'application/json']], make(spoilt)))

const withToken = (make: (spoilt: Spoilt) => unknown): Mutation =>
  withBody(spoilt => JSON.stringify({ bearer: make(spoilt), user: 'admin' }))

const PASSWORD = (request: string) => /"password":"((?:[^"\\]|\\.)*)"/.exec(request)?.[1] ?? 'none'

/** The encodings in which a Core may repeat a text. */
const ENCODINGS: ((text: string) => string)[] = [
  text => text,
  text => encodeURIComponent(text),
  text => encodeURIComponent(text).toLowerCase(),
  text => encodeURIComponent(text).replaceAll('%20', '+'),
  text => JSON.stringify(text),
  text => JSON.stringify(JSON.stringify(text)),
  text => Buffer.from(text).toString('base64'),
  text => Buffer.from(text).toString('base64url'),
  text => Buffer.from(`x${text}`).toString('base64'),
  text => Buffer.from(`xy${text}y`).toString('base64'),
  text => Buffer.from(text).toString('hex'),
  text => Buffer.from(text).toString('hex').toUpperCase(),
  text => text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`),
  text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  text => text.replace(/[^A-Za-z0-9]/gu, character => `&#x${character.codePointAt(0)?.toString(16)};`),
  text => Buffer.from(text).toString('latin1'),
]

function secretOf({ request, canary }: Spoilt): string {
  try {
    return JSON.parse(`"${PASSWORD(request)}"`) as string
  } catch {
    return canary()
  }
}

/** Bodies that grow a thousandfold when decoded. Made once, since making them takes longer than all the rest of an answer. */
const BOMBS = {
  gzip: once(() => gzipSync(Buffer.alloc(8 << 20))),
  deflate: once(() => deflateSync(Buffer.alloc(8 << 20))),
  br: once(() => brotliCompressSync(Buffer.alloc(2 << 20))),
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The mutations by layer and name. */
export const MUTATIONS: Record<string, Mutation> = {
  'tls:reset': ({ socket }) => reset(socket),
  'tls:close': ({ socket }) => void socket.end(),
  'tls:garbage': ({ socket }) => void socket.end(Buffer.from([0, 1, 2, 255, 22, 3, 3, 0])),
  'status:none': status('000', '001', '099', '99', '1000', 'abc', '-20'),
  'status:other': status(200, 201, 204, 206, 301, 304, 400, 401, 403, 404, 406, 418, 500, 599, 799, 999),
  'status:informational': raw('HTTP/1.1 100 Continue\r\n\r\n'.repeat(40), 'HTTP/1.1 101 X\r\nUpgrade: x\r\n\r\n'),
  'status:line': raw(
    'HTTP/2.0 200 OK\r\n\r\n',
    'HTTP/1.0 200\r\n\r\n',
    'HTTP/1.1 200 \u0001\u009b31m\r\nContent-Length: 0\r\n\r\n',
    `HTTP/1.1 200 ${'r'.repeat(9000)}\r\nContent-Length: 0\r\n\r\n`,
    'SSH-2.0-OpenSSH_9.9\r\n',
    '<html>',
  ),
  // Rarely used in full: the run would only wait.
  'status:slow down': ({ socket, status, headers, body, random }) =>
    void socket.end(whole(random.next() < 0.1 ? 429 : status, [...headers, ['Retry-After', '0']], body)),
  'headers:many': withHeaders(() => Array.from({ length: 900 }, (_, index) => [`X-${index}`, 'y'])),
  'headers:long': withHeaders(() => [['X-Long', 'x'.repeat(15_000)]]),
  'headers:evil': withHeaders(({ random }) => [['X-Evil', random.pick(EVIL).replace(/[^ -~]/g, '~')]]),
  'headers:elsewhere': ({ socket, body, trapUrl, random }) =>
    void socket.end(
      whole(
        random.pick([301, 302, 307, 308, 200]),
        [
          ['Location', trapUrl],
          ['Refresh', `0; url=${trapUrl}`],
          ['Link', `<${trapUrl}>; rel=preload`],
        ],
        body,
      ),
    ),
  'headers:secrets': withHeaders(({ canary, request }) => [
    ['Set-Cookie', `sid=${canary()}; Path=/`],
    ['X-Auth-Token', canary()],
    ['Authorization', `Bearer ${canary()}`],
    ['X-Echo', (/^authorization: (.*)$/im.exec(request)?.[1] ?? 'none').replace(/[^ -~]/g, '')],
  ]),
  'headers:broken': raw(
    'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc',
    'HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nX\u0000: a\r\n\r\n',
    'HTTP/1.1 200 OK\r\n: empty\r\n\r\n',
  ),
  'framing:chunks': raw(
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffff\r\nabc',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\nX-Trailer: y\r\n\r\n',
  ),
  'framing:cut': ({ socket, status, headers, body, random }) => {
    const bytes = whole(status, headers, body)
    socket.end(bytes.subarray(0, random.below(bytes.length + 1)))
  },
  'framing:more': ({ socket, status, headers, body }) =>
    void socket.end(Buffer.concat([whole(status, headers, body), Buffer.from('HTTP/1.1 200 OK\r\n\r\nunasked')])),
  'framing:until the end': ({ socket, status, headers, body }) => {
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.end(`HTTP/1.1 ${status} X\r\n${lines}\r\n${body}`)
  },
  'body:empty': withBody(() => ''),
  'body:large': withBody(({ random }) => random.pick(['a', 'ab', '<', '"', '\u0000', 'ä', '{']).repeat(200_000)),
  'body:bomb': ({ socket, status, random }) => {
    const [name, bytes] = random.pick([
      ['gzip', BOMBS.gzip()],
      ['deflate', BOMBS.deflate()],
      ['br', BOMBS.br()],
    ] as const)
    socket.end(whole(status, [['Content-Encoding', name]], bytes))
  },
  'body:not what it says': withBody(({ body }) => `\u001f\u008b${body}`, [['Content-Encoding', 'gzip']]),
  'body:other text': withBody(({ body, random }) => Buffer.from(body, random.pick(['utf16le', 'latin1'] as const))),
  'body:broken text': withBody(({ body }) =>
    Buffer.concat([Buffer.from(body.slice(0, 9)), Buffer.from([0x80, 0xed, 0xa0, 0x80, 0xff])]),
  ),
  'body:evil': withBody(({ random }) => JSON.stringify({ message: random.pick(EVIL), [random.pick(EVIL)]: 1 })),
  'body:tells the password': withBody(spoilt => spoilt.random.pick(ENCODINGS)(secretOf(spoilt))),
  'body:tells secrets': withBody(({ canary }) => JSON.stringify({ refreshToken: canary(), session_id: canary() })),
  'json:deep': withBody(({ random }) => random.pick(['[', '{"a":']).repeat(20_000)),
  'json:wide': withBody(() => JSON.stringify(Array.from({ length: 5_000 }, (_, index) => ({ index })))),
  'json:odd': withBody(({ random }) =>
    random.pick([
      '{"__proto__":{"bearer":"x"}}',
      '{"bearer":1e999}',
      'null',
      '"x"',
      '[[]]',
      '{"a":1,"a":2}',
      '{"constructor":{"prototype":1}}',
      '\ufeff{}',
    ]),
  ),
  'token:odd': withToken(({ random }) =>
    random.pick([null, 1, true, '', ' ', 'a b', 'ä', '\r\nX-Injected: 1', [], {}, 'x']),
  ),
  'token:long': withToken(({ random, canary }) => canary().padEnd(random.pick([4000, 70_000, 900_000]), 'x')),
  'token:the same': withToken(() => 'kanariT00000000000000000000000000'),
  'token:the password': withToken(spoilt => spoilt.random.pick(ENCODINGS)(secretOf(spoilt))),
  'token:many': withBody(({ canary }) => JSON.stringify({ tokens: Array.from({ length: 50 }, () => canary()) })),
  'token:nobody takes it': withToken(({ canary }) => canary()),
  'timing:late': async ({ socket, status, headers, body, random }) => {
    await sleep(random.below(150))
    socket.end(whole(status, headers, body))
  },
  'timing:drip': async ({ socket, status, headers, body }) => {
    for (const byte of whole(status, headers, body).subarray(0, 40)) {
      socket.write(Buffer.from([byte]))
      await sleep(2)
    }
    socket.end()
  },
  'timing:never': () => {},
}
