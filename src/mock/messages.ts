/** Requests and responses as the device sees them: plain values, no sockets. */

/** Header lines as they were sent: names as written, in their order, repeated ones repeated. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The part of a request that is known before its body. */
export interface RequestHead {
  /** Upper-case, as sent: methods are case-sensitive. */
  method: string
  /** The request target as sent: origin-form, absolute-form, or any other text. */
  target: string
  headers: HeaderList
  /** As in the request line: `1.1` or `1.0`. */
  httpVersion: string
  /** An object for the connection of the request: the same object for all requests of one connection. It has no other use. */
  connection: object
  /** Present when the request came before the previous one on its connection was answered. */
  isPipelined?: true
}

/** A whole request. */
export interface ApiRequest extends RequestHead {
  /** Empty when there was none, or when it was too large. */
  body: Uint8Array
  /** Whether the body was longer than the mock reads. */
  bodyTooLarge: boolean
  /** How many parts its body came in: the chunks of one that was sent in chunks. */
  parts: number
}

/** An answer. */
export interface ApiResponse {
  status: number
  headers: HeaderList
  /** Absent for none. */
  body?: string
  /** The way it is sent; absent for the usual way. */
  delivery?: Delivery
  /**
   * Settles with the status, headers and body of an answer that is not known yet. Headers beside it are added; status and
   * body beside it do not count.
   */
  pending?: Promise<ApiResponse>
}

/** The way a response is sent, beside its content, as far as a dialect may choose it. */
export interface DialectDelivery {
  /** What ends the body: `Content-Length` (the default), chunks, or the end of the connection. */
  framing?: 'length' | 'chunked' | 'close'
  /** The HTTP version in the status line, default 1.1. 1.0 always ends the connection. */
  statusLine?: '1.1' | '1.0'
  /** Whether the connection ends after the answer; default: as the client wishes. */
  close?: boolean
  /** Ends the connection after the answer without announcing it: closes it at once, or resets it a moment later. */
  hangUp?: 'close' | 'reset'
  /** Whether the body is compressed. */
  gzip?: boolean
  /** Delay before it is sent, in real milliseconds. */
  delayMs?: number
}

/** The way a response is sent, beside its content. */
export interface Delivery extends DialectDelivery {
  /**
   * How the answer fails. `dropped`: the connection ends without a byte. `cut`: the connection ends after half of the body, or
   * half of the head where there is no body. `never`: no byte is sent for as long as the client waits.
   */
  fate?: 'dropped' | 'cut' | 'never'
}

/** Makes an answer with a body of JSON. */
export function jsonAnswer(status: number, body: unknown, headers: HeaderList = []): ApiResponse {
  return { status, headers: [['Content-Type', 'application/json'], ...headers], body: JSON.stringify(body) }
}

/** Returns the values of all lines of a header, in order. `name` is lower-case. */
export function headerValues(headers: HeaderList, name: string): string[] {
  return headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
}

/** Returns the values of each header by its lower-case name; those of a repeated one are joined with `, `. */
export function headersByName(headers: HeaderList): Record<string, string> {
  // A client may name any header, even `__proto__`.
  const names = [...new Set(headers.map(([name]) => name.toLowerCase()))]
  return Object.fromEntries(names.map(name => [name, headerValues(headers, name).join(', ')]))
}

/** Returns the text after the `?` of a request target, not decoded; undefined where there is none. */
export function queryOf(target: string): string | undefined {
  const at = target.indexOf('?')
  return at < 0 ? undefined : target.slice(at + 1)
}

/**
 * Returns the path of a request target, neither decoded nor normalised. Only the literal path reaches an endpoint, so no
 * other spelling of a path gets around a check.
 */
export function pathOf(target: string): string {
  const originForm = target.replace(/^https?:\/\/[^/?#]*/i, '') // RFC 9112 3.2.2: a server accepts absolute-form too
  return originForm.replace(/[?#].*$/s, '') || '/'
}

/** Tells whether a path belongs to the API, which is all under the prefix `/api` (What the service does). */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}
