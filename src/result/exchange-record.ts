/** What a result keeps of the wire. Every string in it has been redacted. */
import type { Count, Milliseconds, NonEmptyText, Status } from './quantities.js'

/** Headers in their order, each with its name in the letters in which it was sent; a name may come more than once. */
export type Headers = [name: string, value: string][]

/** A request as it went out, redacted. */
export interface RequestRecord {
  /** The method. */
  method: NonEmptyText
  /** The path with its query, as sent. */
  path: NonEmptyText
  /** The version of HTTP that was spoken. */
  httpVersion: '1.1' | '1.0'
  /** Names as sent, in the order sent. */
  headers: Headers
  /** The body as text; absent when none was sent. */
  body?: string
}

/** A response as it came in, redacted. */
export interface ResponseRecord {
  /** The status code. */
  status: Status
  /** The reason phrase; may be empty. */
  statusText: string
  /** The version of HTTP of the answer. */
  httpVersion: string
  /** Names as received, in the order received. */
  headers: Headers
  /** What was kept of the body, as text (broken UTF-8 replaced by U+FFFD). */
  body: string
  /** Bytes that arrived, also those that were not kept. */
  bodyBytes: Count
  /** False when the response ended before the end that it announced, or was cut by the deadline. */
  complete: boolean
}

/** Why there is no response, or no whole one. */
export interface TransportError {
  /**
   * `connect`: nothing answered at the address; `tls`: no TLS, or not trusted; `deadline`: no whole response in time;
   * `closed`: the connection ended or was reset; `malformed`: what came is not HTTP; `oversized`: far beyond the body cap.
   */
  kind: 'connect' | 'tls' | 'deadline' | 'closed' | 'malformed' | 'oversized'
  /** One sentence for people. */
  message: NonEmptyText
}

/** A try of a request that came to nothing, so that it was sent again: the connection dropped, or the Core asked to come back later. */
export interface EarlierTryRecord {
  /** When it was sent, since the start of the run, on the clock of the run. */
  atMs: Milliseconds
  /** From send to its end. */
  durationMs: Milliseconds
  /**
   * The status that came; absent where none did.
   * @asType integer
   */
  status?: number
  /** What went wrong below HTTP; absent when nothing did. */
  error?: TransportError
}

/**
 * One request with its response, or its transport error, or both (a response that was cut).
 * @keywords { "anyOf": [{ "required": ["response"] }, { "required": ["error"] }] }
 */
export interface ExchangeRecord {
  /** When the request was sent, since the start of the run, on the clock of the run. */
  atMs: Milliseconds
  /** From send to the end of the response. */
  durationMs: Milliseconds
  /** What was sent. */
  request: RequestRecord
  /** What came; absent when nothing did. */
  response?: ResponseRecord
  /** What went wrong below HTTP; absent when nothing did. */
  error?: TransportError
  /**
   * The tries before this one, the first of them first; absent where there was none.
   * @minItems 1
   */
  earlier?: EarlierTryRecord[]
  /** Which variation of the family of its step it was; absent where its step has none. */
  variation?: string
}
