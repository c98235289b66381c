import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Timer } from './clock.js'
import type { RequestLog } from './log.js'
import type { ApiRequest, ApiResponse, RequestHead } from './messages.js'
import type { Recorder } from './recorder.js'
import { applyStaging, type Staging, stagedAnswer } from './stage.js'
import { announcesTooMuch, headOf, pause, rawResponse, readBody, send } from './wire.js'

/** Decides on answers: the device, or the control endpoint. */
export interface Service {
  /** Returns how long a request waits before it is judged, in milliseconds on the mock's clock; absent: no time. */
  holdMs?(head: RequestHead): number
  /** Judges the head of a request before its body arrives; returns undefined to leave the decision to {@link answer}. */
  screen(head: RequestHead): ApiResponse | undefined
  /** Decides on a whole request. */
  answer(request: ApiRequest): ApiResponse
  /** Changes every answer last; absent for no change. */
  finish?(head: RequestHead, response: ApiResponse): ApiResponse
}

/** The settings of a server's exchanges. */
export interface ExchangeSettings {
  /** Longest body that is read, in bytes. */
  bodyLimit: number
  /** Gets every request; absent for no log. */
  log?: RequestLog
  /** Keeps every request; absent to keep none. */
  recorder?: Recorder
  /** The clock on which requests wait; absent where none does. */
  clock?: Timer
}

/** The answer after an error in the mock itself, which should never happen. The error costs one answer, not the process. */
const INTERNAL_ERROR: ApiResponse = { status: 500, headers: [] }

/**
 * Answers the requests of a server with a service.
 *
 * @param server an HTTP or HTTPS server of Node, without listeners of its own for requests
 */
export function serve(server: Server, service: Service, settings: ExchangeSettings): Exchanges {
  const exchanges = new Exchanges(service, settings)
  server.on('request', (req, res) => exchanges.take(req, res))
  server.on('checkContinue', (req, res) => exchanges.take(req, res, true))
  server.on('checkExpectation', (req, res) => exchanges.take(req, res)) // RFC 9110 10.1.1: it may be ignored
  server.on('connect', (req, socket) => exchanges.takeConnect(req, socket))
  server.on('clientError', (error, socket) => exchanges.takeBroken(error, socket))
  return exchanges
}

/** Passes requests from Node to the service, and answers back. */
export class Exchanges {
  /** The last exchange of each connection, with the promise of its end. */
  readonly #last = new WeakMap<Duplex, { req: IncomingMessage; res: ServerResponse; over: Promise<void> }>()

  /** The exchanges in progress. */
  readonly #answering = new Set<ServerResponse>()

  constructor(
    readonly service: Service,
    readonly settings: ExchangeSettings,
  ) {}

  /** Settles when every pending answer has been handed to the operating system, or its client is gone. */
  async sent(): Promise<void> {
    await Promise.all([...this.#answering].map(res => new Promise(resolve => res.once('close', resolve))))
  }

  /**
   * Answers one request. Pipelined requests are answered one after another: a request after a revocation on the same
   * connection must not overtake it.
   *
   * @param awaitsContinue whether the client waits for 100 Continue before it sends its body
   */
  take(req: IncomingMessage, res: ServerResponse, awaitsContinue = false): void {
    const last = this.#last.get(req.socket)
    const before = last?.over ?? Promise.resolve()
    const isPipelined = last !== undefined && !last.res.writableEnded
    const over = before
      .then(() => this.#exchange(req, res, awaitsContinue, isPipelined))
      .catch(() => {
        req.destroy()
      })
    this.#last.set(req.socket, { req, res, over })
  }

  /** Refuses CONNECT, which asks for no API path. Node hands over the connection in place of a response. */
  takeConnect(req: IncomingMessage, socket: Duplex): void {
    const startedMs = performance.now()
    const head = headOf(req)
    const request = { ...head, body: new Uint8Array(), bodyTooLarge: false, parts: 0 }
    const recording = this.settings.recorder?.begin(head)
    const response = judge(() => this.#finished(head, this.service.screen(head) ?? this.service.answer(request)))
    recording?.answered(response)
    this.settings.log?.request(head, response.status, performance.now() - startedMs)
    endWith(socket, response)
    recording?.over(true)
  }

  /** Answers bytes that are not HTTP, or a request that is not complete in time. Earlier answers go out first. */
  takeBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
    const last = this.#last.get(socket)
    const open = last !== undefined && !last.res.closed
    if (open && last.req.complete) {
      last.res.once('close', () => this.takeBroken(error, socket))
      return
    }
    if (error.code === 'ECONNRESET' || !socket.writable || (open && last.res.headersSent)) {
      socket.destroy()
      return
    }
    this.settings.log?.broken('HTTP', error)
    endWith(socket, { status: brokenStatus(error.code), headers: [] })
  }

  async #exchange(
    req: IncomingMessage,
    res: ServerResponse,
    awaitsContinue: boolean,
    isPipelined: boolean,
  ): Promise<void> {
    const startedMs = performance.now()
    const { bodyLimit, log, recorder, clock } = this.settings
    const head: RequestHead = { ...headOf(req), ...(isPipelined && { isPipelined }) }
    const recording = recorder?.begin(head)
    let goesOn = !awaitsContinue
    const holdMs = this.service.holdMs?.(head) ?? 0
    if (clock && holdMs > 0) await pause(req, call => clock.after(holdMs, call))
    let response = judge(() => this.#finished(head, this.service.screen(head)))
    let staging: Staging | undefined
    if (response === undefined) {
      if (awaitsContinue && !announcesTooMuch(req, bodyLimit)) {
        // Before it has its connection, Node would send its head first.
        if (!res.socket) await Promise.race([once(res, 'socket'), once(req, 'close')])
        res.writeContinue()
        goesOn = true
      }
      const body = await readBody(req, bodyLimit)
      if (body?.bodyTooLarge) goesOn = false
      if (body !== undefined) staging = recording?.whole(body.body)
      response = body && judge(() => this.#finished(head, this.#answer(staging, { ...head, ...body })))
      if (response?.pending) response = await settled(response, response.pending)
      if (response !== undefined && staging !== undefined) response = applyStaging(response, staging)
    }
    if (response !== undefined && !res.closed) {
      this.#answering.add(res)
      res.once('close', () => this.#answering.delete(res))
    }
    recording?.answered(response)
    log?.request(head, response?.status, performance.now() - startedMs)
    await staging?.until
    const there = response !== undefined && (await send(req, res, response, !goesOn))
    recording?.over(there)
  }

  #answer(staging: Staging | undefined, request: ApiRequest): ApiResponse {
    return (staging && stagedAnswer(staging)) ?? this.service.answer(request)
  }

  #finished<T extends ApiResponse | undefined>(head: RequestHead, response: T): T | ApiResponse {
    return response && (this.service.finish?.(head, response) ?? response)
  }
}

async function settled({ headers, delivery }: ApiResponse, pending: Promise<ApiResponse>): Promise<ApiResponse> {
  const later = await pending
  return { ...later, headers: [...later.headers, ...headers], ...(delivery && { delivery }) }
}

function judge<T>(verdict: () => T): T | ApiResponse {
  try {
    return verdict()
  } catch {
    return INTERNAL_ERROR
  }
}

function endWith(socket: Duplex, response: ApiResponse): void {
  socket.on('error', () => {})
  socket.end(rawResponse(response), () => socket.destroy())
}

function brokenStatus(code: string | undefined): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400
}
