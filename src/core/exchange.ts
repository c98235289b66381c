import type { TransportError } from '../result.js'

/** What a request is for. */
export interface Aim {
  method: string
  /** Path and query, as they stand in the request line. */
  path: string
}

/** A request as it is to go out. The transport adds Host (unless told not to), Content-Length and Connection. */
export interface WireRequest extends Aim {
  /** The transport adds Host unless it is among these. */
  headers: [name: string, value: string][]
  body?: string
  httpVersion: '1.1' | '1.0'
  /** Leave the Host header out. */
  omitHost: boolean
  /** Present where the User-Agent header is left out. */
  omitUserAgent?: true
  /** Present where the Connection header is left out: HTTP/1.1 keeps a connection open without it (RFC 9112 9.3). */
  omitConnection?: true
  /**
   * How many chunks the body is sent in (RFC 9112 7.1), without a body the last one alone; `extended`: several, each with an extension,
   * and with zeros before its size. Absent: it is not sent in chunks.
   */
  chunks?: 'one' | 'several' | 'extended'
  /** The fields that follow the last chunk (RFC 9112 7.1.2). Absent: none does. */
  trailer?: [name: string, value: string][]
  /** How the names of all header fields are written; absent: as they are. */
  names?: 'lower' | 'upper'
  /** How the lines of its head depart from `Name: value`, and which one comes before them; absent: not at all. */
  lines?: HeadLines
  /** Present where Host is the last header field; else it comes first. */
  isHostLate?: true
  /**
   * How it arrives: its head in pieces and its body in two, a moment apart, as on a slow link; its head with one pause in it; or its
   * body a while after the head. Absent: at once.
   */
  inPieces?: 'moments' | 'pause' | 'body'
  /** Where its client breaks it off: within the head, within the body, or before the answer. Absent: it waits for the answer. */
  breaksOff?: BreaksOff
}

/** No blank behind the colons, or a tab (RFC 9112 5); or an empty line before the request line (RFC 9112 2.2). */
export type HeadLines = 'bare' | 'tabbed' | 'led'

/** Where the client of a request breaks it off. */
export type BreaksOff = 'head' | 'body' | 'answer'

/** A response as it arrived. */
export interface WireResponse {
  status: number
  statusText: string
  httpVersion: string
  /** Headers as sent, in the order sent. */
  headers: [name: string, value: string][]
  /** The kept part of the body, decompressed and decoded; broken UTF-8 becomes U+FFFD. */
  body: string
  /** Bytes of the body that arrived, before decompression. */
  bodyBytes: number
  /** False when the response ended before its announced end. */
  complete: boolean
}

/** When a request was sent and when its answer was received, in milliseconds on the clock of the run. */
export interface Reading {
  sentAt: number
  receivedAt: number
  /** The same by the wall clock, in epoch milliseconds; absent where the wall clock was not read. */
  wall?: { sentAt: number; receivedAt: number }
}

/**
 * A try of the same request before the one that counts: its connection dropped, or the Core asked to come back later.
 */
export interface EarlierTry extends Reading {
  /** Status that asked to come back later, or status of a cut response. */
  status?: number
  error?: TransportError
}

/** A request with what came back, as far as it has to be known to say what that means: both where the response was cut. */
export interface Answered {
  request: WireRequest
  response?: WireResponse
  /**
   * `advice` says what the user can do where no connection was made. `isLasting`: another try would meet the same
   * error.
   */
  error?: TransportError & { advice?: string; isLasting?: boolean }
  /** Tries before this one, in their order; absent where there were none. */
  earlier?: EarlierTry[]
}

/** One request with its response, with its transport error, or with both. */
export interface Exchange extends Reading, Answered {
  /** The number of the connection that it was sent on, from 1, in the order of their first use. Absent where none was made. */
  connection?: number
  /** Whether the exchange dropped on a kept connection. The Core may have closed it meanwhile, which is no fault. */
  isStale?: boolean
  /** Name of the variation of a family that was sent. */
  variation?: string
  /** Whether `response.body` holds only the first part of the body, since the whole is larger than the cap. */
  isBodyCut?: true
}

/** Whether the Core may have received the request: the connection was made. */
export function isDelivered({ error }: { error?: TransportError }): boolean {
  return error?.kind !== 'connect' && error?.kind !== 'tls'
}

/** Returns the value of a response header; the first where there are several. @param name in lower case */
export function header(response: WireResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Whether the Core announced a success and the response did not arrive whole. */
export function isCut({ response }: { response?: { status: number; complete: boolean } }): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300 && !response.complete
}

/** Statuses that refuse the form of a request, whoever sends it (RFC 9110 15.5, RFC 6585 5). */
const OF_FORM: ReadonlySet<number> = new Set([411, 413, 414, 415, 417, 431])

/** Whether an answer refuses the form of a request, and says nothing of its token or its credentials. */
export function refusesForm({ response }: Exchange): boolean {
  return response !== undefined && OF_FORM.has(response.status)
}

/** Whether a part of an answer came, and not the whole. */
export function isBroken({ response, error }: Exchange): boolean {
  return response !== undefined && error !== undefined
}

/** Describes an exchange in a few words: `401 Unauthorized`, or why there was no whole answer, and at which try. */
export function summary({ response, error, earlier = [] }: Exchange): string {
  const status = response && `${response.status} ${response.statusText}`.trim()
  const again = earlier.length > 0 ? ` (at try ${earlier.length + 1})` : ''
  if (error) return `${status ? `${status}, but ${error.message}` : error.message}${again}`
  return `${status ?? 'no answer'}${again}`
}

/** Whether an answer asks for a token by the words of HTTP: 401, or WWW-Authenticate (RFC 9110 11.6.1). */
export function asksForToken({ status, headers }: WireResponse): boolean {
  return status === 401 || headers.some(([name]) => name.toLowerCase() === 'www-authenticate')
}
