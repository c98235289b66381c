import { bearerToken } from './bearer.js'
import { type ApiResponse, type HeaderList, headerValues, pathOf, type RequestHead } from './messages.js'
import type { Staging } from './stage.js'
import type { RecordedToken, TokenStore } from './tokens.js'
import { Waiting } from './waiting.js'

/** Of a body, this many characters are kept. */
export const KEPT_BODY_LENGTH = 16 * 1024

/** How many requests are kept; of more, the oldest go. */
export const KEPT_REQUESTS = 1_000

/**
 * One request that a mock Core got, and what it answered: plain data, as it was on the wire. Nothing is hidden in it, so it
 * holds the password and the tokens that the client sent: a mock Core is for secrets made up for a test.
 */
export interface RecordedRequest {
  /** 1 for the first request of this mock Core; goes on after older ones were dropped, and starts again with a reset. */
  number: number
  /** When its head had come: milliseconds of real time since the mock Core started, whatever its clock says. */
  atMs: number
  /** From then until its answer went out, or its client left; null before that. */
  durationMs: number | null
  /** The connection that it came on: 1 for the first that brought a request. */
  connection: number
  /** As sent: methods are case-sensitive. */
  method: string
  /** Without the query. */
  path: string
  /** What stands after the `?`, not decoded; empty when there was none. */
  query: string
  /** `1.1` or `1.0`. */
  httpVersion: string
  /** By lower-case name; the values of a repeated header are joined with `, `. */
  headers: Readonly<Record<string, string>>
  /** As sent: names as written, in their order, repeated ones repeated. */
  rawHeaders: HeaderList
  /** As text, its first 16 384 characters; empty when there was none, and when it was over 64 KiB. */
  body: string
  /** The bearer token that it carried; null for none. */
  token: RecordedToken | null
  /** The number of the token that it was given: 1 for the first that this mock Core issued; null for none. */
  issued: number | null
  /** The status of the answer; null while there is none, and when there never was one. */
  status: number | null
  /** Whether the client left before its answer went out. */
  abandoned: boolean
  /** Headers of the answer, without those that the transport adds. */
  responseHeaders: HeaderList
  /** The body of the answer, its first 16 384 characters. */
  responseBody: string
}

/** What a recorder is made of. */
export interface RecorderParts {
  tokens: TokenStore
  /** Told of each request when its answer is decided on, and before it goes out. */
  answered?: ((request: RecordedRequest) => void) | undefined
  /** Asked of each request that passed the security checks, when all of it has come: what it is to meet. */
  stage?: ((request: RecordedRequest, connection: object) => Staging | undefined) | undefined
}

/** Keeps what clients sent. */
export class Recorder {
  #requests: RecordedRequest[] = []
  #count = 0
  #connections = new WeakMap<object, number>()
  #connectionCount = 0
  readonly #startMs = performance.now()
  /** Whoever waits for a request. */
  readonly waiting = new Waiting()

  constructor(readonly parts: RecorderParts) {}

  /** The newest {@link KEPT_REQUESTS} requests, oldest first. */
  get requests(): readonly RecordedRequest[] {
    return [...this.#requests]
  }

  /** Forgets everything. */
  reset(): void {
    this.#requests = []
    this.#count = 0
    this.#connections = new WeakMap()
    this.#connectionCount = 0
  }

  /** Notes a request whose head has come. */
  begin(head: RequestHead): Recording {
    const { method, target, headers, httpVersion, connection } = head
    const query = target.indexOf('?')
    this.#count += 1
    const request: RecordedRequest = {
      number: this.#count,
      atMs: performance.now() - this.#startMs,
      durationMs: null,
      connection: this.#numberOf(connection),
      method,
      path: pathOf(target),
      query: query < 0 ? '' : target.slice(query + 1),
      httpVersion,
      headers: byName(headers),
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
      whole: body => {
        request.body = new TextDecoder().decode(body).slice(0, KEPT_BODY_LENGTH)
        request.token = this.#token(headers)
        issuedBefore = tokens.issued
        return this.parts.stage?.(request, connection)
      },
      answered: response => {
        if (response === undefined) return
        if (tokens.issued > issuedBefore) request.issued = tokens.issued
        const { fate } = response.delivery ?? {}
        request.status = fate === 'dropped' || fate === 'never' ? null : response.status
        request.responseHeaders = response.headers
        request.responseBody = (response.body ?? '').slice(0, KEPT_BODY_LENGTH)
        answered?.(request)
      },
      over: there => {
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

/** The rest of a request that has begun. */
export interface Recording {
  /** Its body has come, and it is about to be answered; what it is to meet, if anything. */
  whole(body: Uint8Array): Staging | undefined
  /** What it is answered; undefined when the client is gone. */
  answered(response: ApiResponse | undefined): void
  /** The answer went out, or its client was no longer there. */
  over(there: boolean): void
}

function byName(headers: HeaderList): Record<string, string> {
  // A client may name any header, `__proto__` too.
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))]
  return Object.fromEntries(names.map(name => [name, headerValues(headers, name).join(', ')]))
}
