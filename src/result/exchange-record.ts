/** The part of a result about the wire: requests, responses, transport errors. Every string in it is redacted. */
import type { Count, Milliseconds, NonEmptyText, Status } from './quantities.js'

/** Headers in their order, each with its name in the case in which it was sent. A name may occur more than once. */
export type Headers = HeaderField[]

/**
 * The name and the value of a header field.
 * @shared true
 */
type HeaderField = [name: string, value: string]

/** A request as it was sent, redacted. */
export interface RequestRecord {
  /** The method. */
  method: NonEmptyText
  /**
   * The path with its query, as sent.
   * @shared true
   */
  path: NonEmptyText
  /** The HTTP version of the request. */
  httpVersion: '1.1' | '1.0'
  /**
   * Names as sent, in the order sent.
   * @shared true
   */
  headers: Headers
  /**
   * The body as text; absent when none was sent.
   * @shared true
   */
  body?: string
}

/** A response as it was received, redacted. */
export interface ResponseRecord {
  /** The status code. */
  status: Status
  /** The reason phrase; may be empty. */
  statusText: string
  /** The HTTP version of the response. */
  httpVersion: string
  /**
   * Names as received, in the order received.
   * @shared true
   */
  headers: Headers
  /**
   * The part of the body that was kept, as text. Invalid UTF-8 is replaced by U+FFFD.
   * @shared true
   */
  body: string
  /** Number of bytes of the body that arrived, also those that were not kept. */
  bodyBytes: Count
  /** False when the response ended before its announced length, or was cut by the deadline. */
  complete: boolean
}

/** The reason for a missing or incomplete response. */
export interface TransportError {
  /**
   * `connect`: nothing answered at the address; `tls`: no TLS, or not trusted; `deadline`: no whole response in time;
   * `closed`: the connection ended or was reset; `malformed`: the answer is not HTTP; `oversized`: far beyond the body cap.
   */
  kind: 'connect' | 'tls' | 'deadline' | 'closed' | 'malformed' | 'oversized'
  /** One sentence for people. */
  message: NonEmptyText
}

/** A failed try of a request that was sent again: the connection dropped, or the Core asked the client to come back later. */
export interface EarlierTryRecord {
  /** When the request was sent, since the start of the run, on the clock of the run. */
  atMs: Milliseconds
  /** Time from sending to the end of the try. */
  durationMs: Milliseconds
  /**
   * The status of the answer; absent where there was no answer.
   * @asType integer
   */
  status?: number
  /** The transport error; absent when there was none. */
  error?: TransportError
}

/**
 * One request with its response, its transport error, or both (a response that was cut).
 * @keywords { "anyOf": [{ "required": ["response"] }, { "required": ["error"] }] }
 */
export interface ExchangeRecord {
  /** When the request was sent, since the start of the run, on the clock of the run. */
  atMs: Milliseconds
  /** Time from sending to the end of the response. */
  durationMs: Milliseconds
  /**
   * The request.
   * @shared true
   */
  request: RequestRecord
  /**
   * The response; absent when none came.
   * @shared true
   */
  response?: ResponseRecord
  /** The transport error; absent when there was none. */
  error?: TransportError
  /**
   * The earlier tries of the same request, oldest first; absent for none.
   * @minItems 1
   */
  earlier?: EarlierTryRecord[]
  /**
   * The variation of the step's family that was sent; absent where the step has no family. The file holds its parts.
   * @parts true
   */
  variation?: string
}
