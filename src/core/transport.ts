/** Sends one request to a target. Over 250 lines, since this module alone knows pactum, and all that has to be kept from it. */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TransportError } from '../result.js'
import { decodeBody } from './body.js'
import { Capture } from './capture.js'
import { type Connect, ConnectError, connector, fingerprintOf } from './connect.js'
import type { ConnectionWatch } from './crowding.js'
import { type BreaksOff, type Exchange, header, type WireRequest, type WireResponse } from './exchange.js'
import { ExchangeStream } from './exchange-stream.js'
import type { KeptConnection } from './kept-connection.js'
import { brokenOff, checkSendable, isOrdinary, spelled, toBytes, toHeaders } from './request-bytes.js'
import type { Place } from './target.js'

/** Default of the kept part of a response body, in bytes. */
const BODY_CAP_BYTES = 1024 * 1024

/** Time between two parts of a head. A pause is longer than a timer that waits for the rest of what a client sends at once. */
const APART_MS = { moments: 1, pause: 600 }
/** Of parts that come moments apart, so many go at once: each is a TLS record of its own, which most Cores read one by one. */
const AT_ONCE = 4
/** How long a body comes after its head, where it waits for nothing, and at the most where it does. */
const LATE_BODY_MS = 400
const LATEST_BODY_MS = 2000
/** How long a Core may go on with a request that its client has broken off. Many answer within a few milliseconds. */
const GOES_ON_MS = 50

type Pactum = typeof import('pactum')

/**
 * Small devices were seen to take 2 s and more for a TLS handshake, and other handshakes may be ahead in their queue.
 */
const CONNECT_MS = 10_000

/** What is particular to one exchange; all optional. */
export interface Steps {
  /** Most time for connecting, where it is less than the transport allows. */
  connectMs?: number
  /** Called when the connection is there; the request goes out once that is over. */
  due?: () => Promise<void>
  /** Called when the request goes out. */
  sent?: () => void
  /** Called before a body that comes late; it goes out once that is over, or after {@link LATEST_BODY_MS}. */
  bodyDue?: (() => Promise<void>) | undefined
  /** Longest time for this answer, where that is less than the transport's. */
  deadlineMs?: number
}

/** Settings of a {@link Transport}, some of them from the configuration of the run. */
export interface TransportOptions {
  /** Longest exchange, in milliseconds. */
  deadlineMs: number
  userAgent?: string
  target: Place
  /**
   * Most time for connecting and the TLS handshake together. Default: {@link CONNECT_MS}, or the deadline where that is
   * longer.
   */
  connectMs?: number
  /** Makes the connections; absent: over the network, to the target, which it trusts as the target says. */
  connect?: Connect
  /** Hears of every connection. */
  watch?: ConnectionWatch
  /** The clock of the run, in milliseconds. */
  now: () => number
  /** Lets milliseconds pass between two parts of a head; absent: they are waited for. */
  pause?: (ms: number) => Promise<void>
  /** The wall clock, epoch milliseconds; absent: exchanges carry no wall-clock readings. */
  wall?: () => number
  /** Most bytes kept of a response body (default 1 MiB). Further bytes are only counted. */
  bodyCapBytes?: number
  /** Called with each request and its answer, before the caller gets them. */
  onAnswer?: (request: WireRequest, response: WireResponse | undefined) => void
}

/**
 * Sends requests to one target through pactum, each on a connection of its own or on a kept one.
 *
 * This module alone knows pactum. It does not use pactum's checks (they print the request), its state (global) or its
 * timeouts (they do not end a drip). Each exchange has one hard deadline instead, and never throws for a fault of the
 * target.
 */
export class Transport {
  /** SHA-256 of the certificate that the target presented first. */
  certificateFingerprint: string | undefined
  private readonly connect: Connect
  /** The numbers of the connections that were used. */
  private readonly numbers = new WeakMap<Socket, number>()
  private used = 0

  private constructor(
    private readonly pactum: Pactum,
    private readonly options: TransportOptions,
  ) {
    this.connect = options.connect ?? connector(options.target)
  }

  /** Loads pactum ahead of {@link Transport.create}, since loading takes a while. It may be called more than once. */
  static async load(): Promise<Pactum> {
    const { default: pactum } = await import('pactum')
    pactum.settings.setLogLevel('SILENT')
    pactum.settings.setReporterAutoRun(false)
    return pactum
  }

  /** Makes a transport. Loads pactum where it is not loaded yet. */
  static async create(options: TransportOptions): Promise<Transport> {
    return new Transport(await Transport.load(), options)
  }

  /**
   * Sends one request. The returned exchange tells everything that happened on the wire.
   * @param kept the connection to use; absent: a connection of its own
   * @throws Error for a request that cannot be sent, which is no fault of the target
   */
  async exchange(
    asked: WireRequest,
    kept?: KeptConnection,
    {
      connectMs = Number.POSITIVE_INFINITY,
      sent,
      due,
      bodyDue,
      deadlineMs: soonerMs = Number.POSITIVE_INFINITY,
    }: Steps = {},
  ): Promise<Exchange> {
    const { now, wall } = this.options
    checkSendable(asked)
    const request = this.whole(asked, kept !== undefined)
    let sentAt = now()
    const reused = kept?.usable()
    let socket: Socket
    try {
      socket = reused ?? (await this.open(Math.min(connectMs, this.connectMs)))
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error
      this.certificateFingerprint = error.fingerprint ?? this.certificateFingerprint
      const { kind, message, advice, isLasting } = error
      return { request, sentAt, receivedAt: now(), error: { kind, message, advice, isLasting } }
    }
    this.certificateFingerprint ??= fingerprintOf(socket)
    const { bodyCapBytes = BODY_CAP_BYTES } = this.options
    const capture = new Capture(bodyCapBytes)
    await due?.()
    sentAt = now()
    sent?.()
    this.options.watch?.asked(socket)
    const wallSentAt = wall?.()
    const connection = this.numberOf(socket)
    if (request.breaksOff) {
      await breakOff(socket, brokenOff(request))
      const error = { kind: 'closed', message: BROKEN_OFF[request.breaksOff] } as const
      return { request, connection, sentAt, receivedAt: now(), error }
    }
    const bytes = isOrdinary(request) ? undefined : toBytes(request)
    const stream = new ExchangeStream(socket, bytes, left => this.letApart(request, bodyDue, left))
    const deadlineMs = Math.min(soonerMs, this.options.deadlineMs)
    const end = await this.converse(stream, request, capture, deadlineMs)
    const receivedAt = now()
    const walls = wall && wallSentAt !== undefined && { wall: { sentAt: wallSentAt, receivedAt: wall() } }
    const { response, isBodyCut } = toResponse(capture, bodyCapBytes)
    this.options.onAnswer?.(request, response)
    const error = toError(end, capture, deadlineMs)
    if (!error) this.options.watch?.answered(socket)
    // Behind a request for another protocol some servers hang: Node's, at a head that is too large.
    const isFit = stream.leave() && !error && capture.keepsAlive && !has(request, 'upgrade')
    if (!kept || !isFit) socket.destroy()
    kept?.leave(isFit ? socket : undefined)
    // The Core may close a kept connection at any time, also while a request is on its way (RFC 9112 9.3.1).
    const isStale = reused !== undefined && error?.kind === 'closed' && !response
    return {
      request,
      connection,
      sentAt,
      receivedAt,
      ...walls,
      ...(response && { response }),
      ...(error && { error }),
      ...(isStale && { isStale }),
      ...(isBodyCut && { isBodyCut }),
    }
  }

  /** Returns the number of a connection. Some are not made here, but put in the place of a kept one. */
  private numberOf(socket: Socket): number {
    const number = this.numbers.get(socket) ?? ++this.used
    this.numbers.set(socket, number)
    return number
  }

  /** Lets time pass between two parts of a request. @param left how many parts are left to send */
  private async letApart(
    { inPieces = 'moments' }: WireRequest,
    bodyDue: Steps['bodyDue'],
    left: number,
  ): Promise<unknown> {
    const { pause = sleep } = this.options
    if (inPieces === 'moments' && left % AT_ONCE !== 0) return
    if (inPieces !== 'body') return pause(APART_MS[inPieces])
    // Others are under way meanwhile, so no clock leaps.
    return bodyDue ? Promise.race([bodyDue(), sleep(LATEST_BODY_MS, undefined, { ref: false })]) : pause(LATE_BODY_MS)
  }

  /**
   * Adds the headers that every request has, unless the request sets them itself.
   * @param keeps whether the connection is to stay open
   */
  whole(request: WireRequest, keeps: boolean): WireRequest {
    const { target, userAgent } = this.options
    const first: WireRequest['headers'] = request.omitHost || has(request, 'host') ? [] : [['Host', target.url.host]]
    const agent: WireRequest['headers'] =
      userAgent === undefined || request.omitUserAgent || has(request, 'user-agent') ? [] : [['User-Agent', userAgent]]
    const connection: WireRequest['headers'] = [['Connection', keeps ? 'keep-alive' : 'close']]
    const last = request.omitConnection || has(request, 'connection') ? [] : connection
    const others = [...request.headers, ...agent, ...last]
    const headers = request.isHostLate ? [...others, ...first] : [...first, ...others]
    return { ...request, headers: headers.map(header => spelled(header, request)) }
  }

  /** Most time that connecting may take, in milliseconds. */
  get connectMs(): number {
    return this.options.connectMs ?? Math.max(CONNECT_MS, this.options.deadlineMs)
  }

  private async open(timeoutMs: number): Promise<Socket> {
    const opening = this.options.watch?.opening()
    try {
      const socket = await this.connect(timeoutMs)
      opening?.opened(socket)
      return socket
    } catch (error) {
      opening?.failed()
      throw error
    }
  }

  /**
   * Lets pactum send the request on the stream. Returns undefined where the response ended, else the cause of the end.
   */
  private async converse(
    stream: ExchangeStream,
    request: WireRequest,
    capture: Capture,
    timeoutMs: number,
  ): Promise<unknown> {
    const { url } = this.options.target
    const spec = this.pactum.spec()
    spec.withMethod(request.method).withPath(url.origin)
    if (request.body !== undefined) spec.withBody(request.body)
    // pactum would send its own headers in lower case.
    const headers = Object.fromEntries(toHeaders(request))
    // Old devices end the lines of their heads with a line feed alone, which a recipient may take (RFC 9112 2.2).
    const lenient = { insecureHTTPParser: true }
    spec.withCore({ path: request.path, headers, setHost: false, ...lenient, createConnection: () => stream })
    let timer: NodeJS.Timeout | undefined
    const release = capture.on(stream)
    const end = await new Promise(resolve => {
      timer = setTimeout(() => resolve(DEADLINE), timeoutMs)
      // Pactum keeps waiting after a switch of protocols and after some other ends. So the end of the connection also
      // ends the exchange.
      stream.once('close', () => setImmediate(() => resolve(CLOSED)))
      spec.toss().then(() => resolve(undefined), resolve)
    })
    clearTimeout(timer)
    release()
    return end
  }
}

/** What is told in place of an answer. */
const BROKEN_OFF: Record<BreaksOff, string> = {
  head: 'broken off by its client within the head, on purpose',
  body: 'broken off by its client within the body, on purpose',
  answer: 'broken off by its client before the answer, on purpose',
}

/** Sends a part of a request, closes the connection, and gives the Core time to go on with it. */
async function breakOff(socket: Socket, part: Buffer): Promise<void> {
  await new Promise<void>(resolve => {
    socket.once('close', () => resolve())
    socket.write(part, () => resolve())
  })
  socket.destroy()
  await sleep(GOES_ON_MS)
}

/** Whether a request has a header field. @param wanted its name, in small letters */
function has({ headers }: WireRequest, wanted: string): boolean {
  return headers.some(([name]) => name.toLowerCase() === wanted)
}

const DEADLINE = Symbol('deadline')
const CLOSED = Symbol('closed')

function toResponse(capture: Capture, capBytes: number): { response?: WireResponse; isBodyCut?: true } {
  const { response: raw, bodyBytes } = capture
  if (!raw?.statusCode || notHttp(raw) !== undefined) return {}
  const headers: [string, string][] = []
  for (let index = 0; index + 1 < raw.rawHeaders.length; index += 2) {
    headers.push([raw.rawHeaders[index] ?? '', raw.rawHeaders[index + 1] ?? ''])
  }
  const response: WireResponse = {
    status: raw.statusCode,
    statusText: raw.statusMessage || STATUS_CODES[raw.statusCode] || '',
    httpVersion: raw.httpVersion,
    headers,
    body: '',
    bodyBytes,
    complete: capture.complete,
  }
  const { text, isCut } = decodeBody(capture.body, header(response, 'content-encoding'), capBytes)
  response.body = text
  return { response, ...((isCut || bodyBytes > capBytes) && { isBodyCut: true }) }
}

/** Says what keeps a head from being one of HTTP, which the parser lets pass; undefined for nothing. No such answer can be judged. */
function notHttp({ statusCode = 0, httpVersion }: IncomingMessage): string | undefined {
  // RFC 9110 15: three digits, the first of which is not 0.
  if (statusCode < 100 || statusCode > 999) return `the status ${String(statusCode).padStart(3, '0')}`
  return /^[012]\.\d$/.test(httpVersion) ? undefined : `the version ${httpVersion}`
}

function toError(end: unknown, capture: Capture, deadlineMs: number): TransportError | undefined {
  if (capture.refused === 'oversized')
    return { kind: 'oversized', message: `the response was still going on after ${capture.bodyBytes} bytes` }
  if (capture.refused === 'informational')
    return { kind: 'malformed', message: 'only informational (1xx) responses came' }
  if (capture.refused === 'upgrade') return { kind: 'malformed', message: 'the Core switched protocols (101) unasked' }
  const wrong = capture.response && notHttp(capture.response)
  if (wrong !== undefined) return { kind: 'malformed', message: `what came is not HTTP (${wrong})` }
  if (capture.complete) return undefined
  const cut = capture.response ? 'the response was not finished' : 'no response'
  if (end === DEADLINE) return { kind: 'deadline', message: `${cut} within ${deadlineMs / 1000} s` }
  const code = (end as NodeJS.ErrnoException | undefined)?.code ?? ''
  if (code.startsWith('HPE_')) return { kind: 'malformed', message: `what came is not HTTP (${code})` }
  return {
    kind: 'closed',
    message: capture.response
      ? 'the connection ended in the middle of the response'
      : 'the connection ended without a response',
  }
}
