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

/** One request with its response, or its transport error, or both where a response was cut. */
export interface Exchange extends Reading {
  request: WireRequest
  response?: WireResponse
  /** `advice` says what the user can do, where the connection did not come about. */
  error?: TransportError & { advice?: string }
  /** Whether `response.body` is a part of what the Core sent only, since that was larger than what is kept. */
  isBodyCut?: true
}

/** The value of a response header, by its name in any case; the first where there are several. */
export function header(response: WireResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key.toLowerCase() === name)?.[1]
}

/** Whether a success was announced that did not come whole. */
export function isCut({ response }: { response?: Pick<WireResponse, 'status' | 'complete'> }): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300 && !response.complete
}

/** An exchange in a few words: `401 Unauthorized`, or why there was no answer, or no whole one. */
export function summary({ response, error }: Exchange): string {
  const status = response && `${response.status} ${response.statusText}`.trim()
  if (error) return status ? `${status}, but ${error.message}` : error.message
  return status ?? 'no answer'
}
