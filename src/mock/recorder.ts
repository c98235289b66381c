import { bearerToken } from './bearer.js'
import { tcpOf } from './hang-up.js'
import { type ApiResponse, type HeaderList, headersByName, pathOf, queryOf, type RequestHead } from './messages.js'
import type { RecordedRequest } from './recorded-request.js'
import type { Staging } from './stage.js'
import type { RecordedToken, TokenStore } from './tokens.js'
import { Waiting } from './waiting.js'

/** Longest kept part of a body, in characters. */
export const KEPT_BODY_LENGTH = 16 * 1024

/** Number of requests that are kept; the oldest are dropped first. */
export const KEPT_REQUESTS = 1_000

/** The parts of a recorder. */
export interface RecorderParts {
  tokens: TokenStore
  /** Called for each request when its answer is decided, before it is sent. */
  answered?: ((request: RecordedRequest) => void) | undefined
  /** Called for each whole request that passed the security checks; returns its staging, if any. */
  stage?: ((request: RecordedRequest, connection: object) => Staging | undefined) | undefined
}

/** Keeps the requests of clients. */
export class Recorder {
  #requests: RecordedRequest[] = []
  #count = 0
  #connections = new WeakMap<object, number>()
  #connectionCount = 0
  readonly #startMs = performance.now()
  /** The waits for a request. */
  readonly waiting = new Waiting()

  constructor(readonly parts: RecorderParts) {}

  /** Returns the newest {@link KEPT_REQUESTS} requests, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return [...this.#requests]
  }

  /** Forgets every request. */
  reset(): void {
    this.#requests = []
    this.#count = 0
    this.#connections = new WeakMap()
    this.#connectionCount = 0
  }

  /** Whether a request has come over a TCP connection. */
  hasRequestOf(tcp: object): boolean {
    return this.#connections.has(tcp)
  }

  /** Notes a request whose head has arrived. Returns what notes its further course. */
  begin(head: RequestHead) {
    const { method, target, headers, httpVersion, connection } = head
    this.#count += 1
    const request: RecordedRequest = {
      number: this.#count,
      atMs: performance.now() - this.#startMs,
      durationMs: null,
      connection: this.#numberOf(tcpOf(connection)),
      method,
      path: pathOf(target),
      query: queryOf(target) ?? '',
      httpVersion,
      headers: headersByName(headers),
      rawHeaders: headers,
      body: '',
      token: this.#token(headers),
      issued: null,
      status: null,
      abandoned: false,
      responseHeaders: [],
      responseBody: '',
    }
    this.#requests.push(request)
    if (this.#requests.length > KEPT_REQUESTS) this.#requests.shift()
    const { tokens, answered } = this.parts
    let issuedBefore = tokens.issued
    return {
      /** Notes its body, just before it is answered. Returns its staging, if any. */
      whole: (body: Uint8Array): Staging | undefined => {
        request.body = new TextDecoder().decode(body).slice(0, KEPT_BODY_LENGTH)
        request.token = this.#token(headers)
        issuedBefore = tokens.issued
        return this.parts.stage?.(request, connection)
      },
      /** Notes its answer; undefined when the client is gone. */
      answered: (response: ApiResponse | undefined) => {
        if (response === undefined) return
        if (tokens.issued > issuedBefore) request.issued = tokens.issued
        const { fate } = response.delivery ?? {}
        request.status = fate === 'dropped' || fate === 'never' ? null : response.status
        request.responseHeaders = response.headers
        request.responseBody = (response.body ?? '').slice(0, KEPT_BODY_LENGTH)
        answered?.(request)
      },
      /** Notes that the answer was sent, or that its client was gone. */
      over: (there: boolean) => {
        request.durationMs = performance.now() - this.#startMs - request.atMs
        request.abandoned = !there
        this.waiting.answered(request)
      },
    }
  }

  #numberOf(connection: object): number {
    const known = this.#connections.get(connection)
    if (known !== undefined) return known
    this.#connectionCount += 1
    this.#connections.set(connection, this.#connectionCount)
    return this.#connectionCount
  }

  #token(headers: HeaderList): RecordedToken | null {
    const presented = bearerToken(headers)
    return presented === undefined ? null : this.parts.tokens.describe(presented)
  }
}
