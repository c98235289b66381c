import type { HeaderList } from './messages.js'
import type { RecordedToken } from './tokens.js'

/**
 * One request to a mock Core, with its answer: plain data, as on the wire. Nothing in it is hidden: it holds the password and
 * the tokens that the client sent. Use a mock Core only with secrets made up for a test.
 */
export interface RecordedRequest {
  /** 1 for the first request of this mock Core. Goes on after older ones were dropped, and starts again with a reset. */
  number: number
  /** The time its head arrived: milliseconds of real time since the mock Core started, whatever its clock says. */
  atMs: number
  /** From that time until its answer was sent or its client left; null before. */
  durationMs: number | null
  /** The number of its connection: 1 for the first connection with a request. */
  connection: number
  /** As sent: methods are case-sensitive. */
  method: string
  /** Without the query. */
  path: string
  /** The text after the `?`, not decoded; empty when there was none. */
  query: string
  /** `1.1` or `1.0`. */
  httpVersion: string
  /** Keys are lower-case; the values of a repeated header are joined with `, `. */
  headers: Readonly<Record<string, string>>
  /** As sent: names as written, in their order, repeated ones repeated. */
  rawHeaders: HeaderList
  /** The first 16 384 characters of the body, as text; empty when there was none, or when it was over 64 KiB. */
  body: string
  /** The bearer token of the request; null for none. */
  token: RecordedToken | null
  /** The number of the token that the answer issued: 1 for the first token of this mock Core; null for none. */
  issued: number | null
  /** The status of the answer; null before there is one, and when there never was one. */
  status: number | null
  /** Whether the client left before its answer was sent. */
  abandoned: boolean
  /** Headers of the answer, without those that the transport adds. */
  responseHeaders: HeaderList
  /** The first 16 384 characters of the answer's body. */
  responseBody: string
}
