/** Prepares connections for requests that no HTTP client can send in this way. */

import { Socket } from 'node:net'
import { connect as connectTls, TLSSocket } from 'node:tls'
import type { ConnectionLease } from '../core/connections.js'
import type { WireRequest } from '../core/exchange.js'
import { TRIES } from '../core/sender.js'
import { NotSent } from '../core/session.js'
import { type FirstResponse, firstResponse } from './first-response.js'

/** Most time to resume a TLS session: as for any other connection (`CONNECT_MS`). */
const RESUME_MS = 10_000
/** Pause before another try: a limit on new connections counts those of a second, and those that it closed too. */
const PAUSE_MS = 1500

/** A kept connection that is ready for one special request. */
export interface Special {
  /** Whether the request was sent on it. */
  wasUsed(): boolean
}

/**
 * Closes the kept connection of a lease, and replaces it by one that resumes its TLS session. Nothing is sent where the
 * session is not resumed: then nobody has checked the certificate.
 * @param reserve waits until a connection may be opened, and this time before
 * @throws NotSent where the lease keeps no connection open, or the session is not resumed
 */
export async function prepareResumed(
  lease: ConnectionLease,
  reserve: (afterMs: number) => Promise<void>,
): Promise<Special> {
  let before = await openOne(lease)
  while (before instanceof Relay) before = before.inner
  const session = before instanceof TLSSocket ? before.getSession() : undefined
  const { remoteAddress: host, remotePort: port } = before
  const servername = before instanceof TLSSocket ? before.servername : false
  lease.kept.close()
  if (!session || host === undefined || port === undefined)
    throw new NotSent('this Core gives no TLS session to resume')
  for (let tries = 1; ; tries++) {
    await reserve(tries === 1 ? 0 : PAUSE_MS)
    const socket = connectTls({ host, port, session, rejectUnauthorized: false, ...(servername && { servername }) })
    socket.on('error', () => {})
    const isReady = await isConnected(socket)
    if (isReady && socket.isSessionReused()) {
      lease.kept.leave(socket)
      const written = socket.bytesWritten
      return { wasUsed: () => socket.bytesWritten > written }
    }
    socket.destroy()
    if (isReady) throw new NotSent('this Core resumes no TLS session')
    if (tries === TRIES) throw new NotSent('this Core closes each connection that resumes a TLS session')
  }
}

function isConnected(socket: TLSSocket): Promise<boolean> {
  return new Promise(resolve => {
    const timer = setTimeout(() => resolve(false), RESUME_MS)
    const end = (isReady: boolean) => {
      clearTimeout(timer)
      resolve(isReady)
    }
    socket.once('secureConnect', () => end(true)).once('close', () => end(false))
  })
}

/** A request that was sent right before another one, with the beginning of its answer. */
export interface Behind extends Special {
  /** The answer to the first request; undefined as long as it is not whole. */
  first(): FirstResponse | undefined
}

/**
 * Prepares the kept connection to send one request together with the next one, in front of it, and to keep the answer
 * to the first.
 * @param first the request as it goes out, with all its headers
 * @param sent called when it goes out
 * @throws NotSent where the lease keeps no connection open
 */
export async function prepareBehind(lease: ConnectionLease, first: WireRequest, sent: () => void): Promise<Behind> {
  const head = bytesOf(first)
  let answer: FirstResponse | undefined
  const relay = new Relay(await openOne(lease), {
    sends(written) {
      sent()
      return Buffer.concat([head, written])
    },
    passes(came) {
      answer = firstResponse(came)
      return answer && came.subarray(answer.length)
    },
  })
  lease.kept.leave(relay)
  return { wasUsed: () => relay.hasSent, first: () => answer }
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

/** The changes that a relay makes. */
interface Changes {
  /**
   * Returns the bytes to send in place of those written for one request; undefined as long as the request is not
   * complete.
   */
  sends(written: Buffer): Buffer | undefined
  /**
   * Returns the part of the received bytes to pass on; undefined as long as there is none. Absent: everything is passed
   * on.
   */
  passes?(came: Buffer): Buffer | undefined
}

/**
 * Stands for an open connection. It changes the first request written to it, and passes on everything after that. When
 * one of the two connections ends, the other ends too.
 */
class Relay extends Socket {
  /** Whether the request was sent. */
  hasSent = false
  /** The written part of the request, until it is sent. */
  private written = Buffer.alloc(0)
  /** The received bytes, until some are passed on. */
  private came: Buffer | undefined = Buffer.alloc(0)

  constructor(
    readonly inner: Socket,
    private readonly changes: Changes,
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
    if (this.hasSent) {
      this.inner.write(chunk, done)
      return
    }
    this.written = Buffer.concat([this.written, chunk])
    const whole = this.changes.sends(this.written)
    if (!whole) {
      done()
      return
    }
    this.hasSent = true
    this.inner.write(whole, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.inner.end(() => done())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.inner.destroy()
    done(error)
  }

  private receive(chunk: Buffer): void {
    if (this.came === undefined || !this.changes.passes) {
      this.push(chunk)
      return
    }
    this.came = Buffer.concat([this.came, chunk])
    const passed = this.changes.passes(this.came)
    if (passed === undefined) return
    this.came = undefined
    if (passed.length) this.push(passed)
  }
}
