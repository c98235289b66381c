import type { TransportError } from '../result.js'

/** A request as it is to go out; the transport adds Host (unless told not to), Content-Length and Connection. */
export interface WireRequest {
  method: string
  /** Path and query, as it goes into the request line. */
  path: string
  /** Host is added unless it is among them. */
  headers: [name: string, value: string][]
  body?: string
  httpVersion: '1.1' | '1.0'
  /** Leave the Host header out. */
  omitHost: boolean
}

/** A response as it came in. */
export interface WireResponse {
  status: number
  statusText: string
  httpVersion: string
  /** As sent, in the order sent. */
  headers: [name: string, value: string][]
  /** What was kept of the body, decompressed and decoded; broken UTF-8 becomes U+FFFD. */
  body: string
  /** Bytes of the body that arrived, before decompression. */
  bodyBytes: number
  /** False when it ended before the end that it announced. */
  complete: boolean
}

/** When a request went out and when its answer was in, in milliseconds on the clock of the run. */
export interface Reading {
  sentAt: number
  receivedAt: number
  /** The same by the wall clock, epoch milliseconds; absent where nobody looked at it. */
  wall?: { sentAt: number; receivedAt: number }
}

/** A try of the same request that came to nothing, before the one that counts: a connection that dropped, or a refusal for now. */
export interface EarlierTry extends Reading {
  /** The status that asked to come back later, or came with a response that was cut. */
  status?: number
  error?: TransportError
}

/** One request with its response, or its transport error, or both where a response was cut. */
export interface Exchange extends Reading {
  request: WireRequest
  response?: WireResponse
  /**
   * `advice` says what the user can do, where the connection did not come about; `isLasting`: another try would meet the same.
   */
  error?: TransportError & { advice?: string; isLasting?: boolean }
  /** What came of the tries before this one, the first of them first; absent where there was none. */
  earlier?: EarlierTry[]
  /** Whether it dropped on a kept connection that the Core may have closed meanwhile, which is no fault of it. */
  isStale?: boolean
  /** The name of the variation of a family that it was. */
  variation?: string
  /** Whether `response.body` is a part of what the Core sent only, since that was larger than what is kept. */
  isBodyCut?: true
}

/** Whether the Core may have got the request: the connection had come about. */
export function isDelivered({ error }: Pick<Exchange, 'error'>): boolean {
  return error?.kind !== 'connect' && error?.kind !== 'tls'
}

/** The value of a response header, by its name in any case; the first where there are several. */
export function header(response: WireResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Whether a success was announced that did not come whole. */
export function isCut({ response }: { response?: Pick<WireResponse, 'status' | 'complete'> }): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300 && !response.complete
}

/** An exchange in a few words: `401 Unauthorized`, or why there was no answer, or no whole one, and at which try. */
export function summary({ response, error, earlier = [] }: Exchange): string {
  const status = response && `${response.status} ${response.statusText}`.trim()
  const again = earlier.length > 0 ? ` (at try ${earlier.length + 1})` : ''
  if (error) return `${status ? `${status}, but ${error.message}` : error.message}${again}`
  return `${status ?? 'no answer'}${again}`
}
