/** Prepares connections for requests that no HTTP client can send in this way. Over 250 lines, since all of them take the place of a kept one. */

import { Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls, TLSSocket } from 'node:tls'
import type { ConnectionLease } from '../core/connections.js'
import type { WireRequest } from '../core/exchange.js'
import { NotSent } from '../core/not-sent.js'
import { TRIES } from '../core/sender.js'
import type { TlsWay } from '../suite/step-words.js'

/** Most time to connect: as for any other connection (`CONNECT_MS`). */
const CONNECT_MS = 10_000
/** Pause before another try: a limit on new connections counts those of a second, and those that it closed too. */
const PAUSE_MS = 1500

/** A kept connection that is ready for one special request. */
export interface Special {
  /** Whether the request was sent on it. */
  wasUsed(): boolean
  /** The answer to the request in front; undefined as long as it is not whole. Absent where nothing is sent in front. */
  first?(): FirstResponse | undefined
}

/** The version of TLS that a client of some years ago speaks, with the ciphers that it asks for first. */
const OLDER = { maxVersion: 'TLSv1.2', ciphers: 'ECDHE+AES128:DEFAULT' } as const
/** What phones without AES in their hardware ask for first, and the protocol that they say they speak (RFC 7301); they name the server, too. */
const OF_PHONES = { ciphers: 'TLS_CHACHA20_POLY1305_SHA256:ECDHE+CHACHA20:DEFAULT', ALPNProtocols: ['http/1.1'] }

/** How TLS is spoken on a connection that takes the place of another one. */
interface TlsForm {
  options: ConnectionOptions
  /** Whether the handshake went as it was meant, and with the server whose certificate was checked before. */
  isRight(socket: TLSSocket): boolean
}

/** A way to speak TLS with the server of another connection, by the name that it has there. */
function withSame(before: TLSSocket, options: ConnectionOptions): TlsForm {
  const { fingerprint256 } = before.getPeerCertificate()
  return {
    options: { ...(before.servername && { servername: before.servername }), ...options },
    isRight: socket => socket.getPeerCertificate().fingerprint256 === fingerprint256,
  }
}

/** Returns the name that TLS gives a server, or could: one that it calls itself. Most devices have none of their own in their certificate. */
function nameOf(before: TLSSocket): string {
  const { subjectaltname = '' } = before.getPeerCertificate()
  const [, name = 'localhost'] = /\bDNS:([a-z\d][a-z\d.-]*)/i.exec(subjectaltname) ?? []
  return before.servername || name
}

/** The ways to speak TLS, each with why it is not possible. */
const FORMS = {
  alpn: {
    formOf: (before: TLSSocket) => withSame(before, { ...OF_PHONES, servername: nameOf(before) }),
    without: 'needs TLS',
    wrong: 'this Core has another certificate where TLS names the protocol',
    closed: 'this Core closes each connection whose TLS names the protocol',
  },
  resumed: {
    /** The session holds the certificate, so nobody has to look at it again. */
    formOf(before: TLSSocket): TlsForm | undefined {
      const session = before.getSession()
      const named = before.servername ? { servername: before.servername } : {}
      return session && { options: { session, ...named }, isRight: socket => socket.isSessionReused() }
    },
    without: 'this Core gives no TLS session to resume',
    wrong: 'this Core resumes no TLS session',
    closed: 'this Core closes each connection that resumes a TLS session',
  },
  named: {
    formOf(before: TLSSocket): TlsForm | undefined {
      return before.servername ? undefined : withSame(before, { servername: nameOf(before) })
    },
    without: 'needs TLS that does not name the server anyway, as it does where its address is a name',
    wrong: 'this Core has another certificate where TLS names it',
    closed: 'this Core closes each connection whose TLS names it',
  },
  'tls-1.2': {
    formOf: (before: TLSSocket) => withSame(before, OLDER),
    without: 'needs TLS',
    wrong: 'this Core has another certificate where it speaks TLS 1.2',
    closed: 'this Core does not speak TLS 1.2',
  },
} as const

/** The connections that speak TLS in a way of their own. */
const SPECIAL = new WeakSet<Socket>()

/** Closes the kept connection of a lease where it speaks TLS in a way of its own: what is sent next shall not owe its answer to that. */
export function leaveSpecial({ kept }: ConnectionLease): void {
  const socket = kept.usable()
  kept.leave(socket)
  if (socket && SPECIAL.has(socket)) kept.close()
}

/**
 * Closes the kept connection of a lease, and replaces it by one that speaks TLS in a special way. Nothing is sent where it does not,
 * or where nobody has checked its certificate.
 * @param reserve waits until a connection may be opened, and this time before
 * @throws NotSent where the lease keeps no connection open, or this is not possible
 */
export async function prepareNew(
  way: TlsWay,
  lease: ConnectionLease,
  reserve: (afterMs: number) => Promise<void>,
): Promise<Special> {
  const { formOf, without, wrong, closed } = FORMS[way]
  let before = await openOne(lease)
  while (before instanceof Relay) before = before.inner
  const { remoteAddress: host, remotePort: port } = before
  const form = before instanceof TLSSocket ? formOf(before) : undefined
  lease.kept.close()
  if (!form || host === undefined || port === undefined) throw new NotSent(without)
  for (let tries = 1; ; tries++) {
    await reserve(tries === 1 ? 0 : PAUSE_MS)
    const socket = connectTls({ host, port, rejectUnauthorized: false, ...form.options })
    let isRefused = false
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => (isRefused = /^(EPROTO|ERR_SSL)/.test(code)))
    const isReady = await isConnected(socket)
    if (isReady && form.isRight(socket)) {
      lease.kept.leave(socket)
      SPECIAL.add(socket)
      const written = socket.bytesWritten
      return { wasUsed: () => socket.bytesWritten > written }
    }
    socket.destroy()
    if (isReady) throw new NotSent(wrong)
    if (isRefused || tries === TRIES) throw new NotSent(closed)
  }
}

function isConnected(socket: TLSSocket): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), CONNECT_MS)
    const end = (isReady: boolean) => {
      clearTimeout(timer)
      resolve(isReady)
    }
    socket.once('secureConnect', () => end(true)).once('close', () => end(false))
  })
}

/**
 * Prepares the kept connection to send one request together with the next one, in front of it, and to keep the answer
 * to the first.
 * @param first the request as it goes out, with all its headers
 * @param sent called when it goes out
 * @throws NotSent where the lease keeps no connection open
 */
export async function prepareBehind(lease: ConnectionLease, first: WireRequest, sent: () => void): Promise<Special> {
  const relay = new Relay(await openOne(lease), bytesOf(first), sent)
  lease.kept.leave(relay)
  return { wasUsed: () => relay.hasSent, first: () => relay.answer }
}

/** Returns the connection that the lease keeps open. */
async function openOne(lease: ConnectionLease): Promise<Socket> {
  await lease.take()
  const socket = lease.kept.usable()
  lease.kept.leave(socket)
  if (!socket) throw new NotSent('needs a connection that stays open, and this Core closed it')
  return socket
}

function bytesOf({ method, path, httpVersion, headers }: WireRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`, 'latin1')
}

/**
 * Stands for an open connection. It puts one request in front of the first that is written to it, and keeps the answer to that
 * back. When one of the two connections ends, the other ends too.
 */
class Relay extends Socket {
  /** Whether the requests were sent. */
  hasSent = false
  /** The answer to the one in front; undefined as long as it is not whole. */
  answer: FirstResponse | undefined
  /** The received bytes, until that answer is whole. */
  private came = Buffer.alloc(0)

  constructor(
    readonly inner: Socket,
    private readonly front: Buffer,
    private readonly sends: () => void,
  ) {
    super()
    inner.on('data', chunk => this.receive(chunk))
    inner.on('end', () => this.push(null))
    inner.on('error', error => this.destroy(error))
    inner.on('close', () => this.destroy())
    // The next user listens for errors. Until then an error must not crash the process.
    this.on('error', () => {})
  }

  override _read(): void {
    this.inner.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const isFirst = !this.hasSent
    if (isFirst) this.sends()
    this.hasSent = true
    this.inner.write(isFirst ? Buffer.concat([this.front, chunk]) : chunk, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.inner.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inner.destroy()
    done(error)
  }

  private receive(chunk: Buffer): void {
    if (this.answer) {
      this.push(chunk)
      return
    }
    this.came = Buffer.concat([this.came, chunk])
    this.answer = firstResponse(this.came)
    const rest = this.answer && this.came.subarray(this.answer.length)
    if (rest?.length) this.push(rest)
  }
}

/** The first final response in a stream of bytes. */
export interface FirstResponse {
  status: number
  statusText: string
  httpVersion: string
  /** Bytes from the start of the stream to the end of its body. */
  length: number
}

const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Finds the first response that is final.
 * @param bytes all bytes received so far
 * @returns undefined as long as it is not whole, and where only the end of the connection ends it
 */
export function firstResponse(bytes: Buffer, from = 0): FirstResponse | undefined {
  const end = bytes.indexOf(HEAD_END, from)
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', from, end).split('\r\n')
  const [, httpVersion, digits, statusText = ''] = /^HTTP\/(1\.[01]) (\d{3}) ?(.*)$/.exec(line) ?? []
  if (httpVersion === undefined) return undefined
  const status = Number(digits)
  const body = end + HEAD_END.length
  // An interim response has no body, and another response follows (RFC 9110 15.2).
  if (status < 200) return firstResponse(bytes, body)
  const length = bodyEnd(bytes, body, status, fields)
  return length === undefined || length > bytes.length ? undefined : { status, statusText, httpVersion, length }
}

/** Returns where the body ends (RFC 9112 6.3), for a response to any method but HEAD. */
function bodyEnd(bytes: Buffer, from: number, status: number, fields: readonly string[]): number | undefined {
  if (status === 204 || status === 304) return from
  const value = (name: string) =>
    fields
      .find(field => field.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  if (value('transfer-encoding')?.toLowerCase().endsWith('chunked')) return chunksEnd(bytes, from)
  const length = value('content-length')
  return length !== undefined && /^\d+$/.test(length) ? from + Number(length) : undefined
}

function chunksEnd(bytes: Buffer, from: number): number | undefined {
  for (let at = from; ; ) {
    const end = bytes.indexOf(LINE_END, at)
    if (end < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (Number.isNaN(size)) return undefined
    if (size > 0) at = end + LINE_END.length + size + LINE_END.length
    else {
      // Trailers may follow the last chunk; an empty line ends them.
      const isPlain = bytes.indexOf(LINE_END, end + LINE_END.length) === end + LINE_END.length
      const last = isPlain ? end + LINE_END.length : bytes.indexOf(HEAD_END, end)
      return last < 0 ? undefined : last + (isPlain ? LINE_END.length : HEAD_END.length)
    }
  }
}
