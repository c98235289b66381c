/** Requests and responses as the device sees them: plain values, no sockets. */

/** Header lines as they came or go out: names as written, in their order, repeated ones repeated. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

/** What is known of a request before its body. */
export interface RequestHead {
  /** Upper-case, as sent: methods are case-sensitive. */
  method: string
  /** The request target as sent: origin-form, absolute-form or whatever else a client made up. */
  target: string
  headers: HeaderList
  /** As in the request line: `1.1` or `1.0`. */
  httpVersion: string
  /** The connection that it came on: the same object for all its requests, and good for nothing but telling that. */
  connection: object
  /** Present where it came before the one before it on its connection was answered. */
  isPipelined?: true
}

/** A whole request. */
export interface ApiRequest extends RequestHead {
  /** Empty when there was none, and when it was too large. */
  body: Uint8Array
  /** Whether there was more of it than the mock reads. */
  bodyTooLarge: boolean
}

/** An answer. */
export interface ApiResponse {
  status: number
  headers: HeaderList
  /** Absent for none. */
  body?: string
  /** How it goes out; absent for the usual way. */
  delivery?: Delivery
  /** Gives status, headers and body of the answer, which is not known yet; what the others say of them is added or does not count. */
  pending?: Promise<ApiResponse>
}

/** How a response goes out, beside what it says. */
export interface Delivery {
  /** How the end of the body is told: `Content-Length` (the default), chunks, or the end of the connection. */
  framing?: 'length' | 'chunked' | 'close'
  /** The HTTP version in the status line, default 1.1. The old one always ends the connection. */
  statusLine?: '1.1' | '1.0'
  /** Whether the connection ends with it; default: as the client wishes. */
  close?: boolean
  /** Ends the connection after the answer although nothing said so: closed at once, or reset a moment later. */
  hangUp?: 'close' | 'reset'
  /** Whether the body is compressed. */
  gzip?: boolean
  /** Real milliseconds before it goes out. */
  delayMs?: number
  /**
   * Not a way to go out, but one not to: no byte of it (`dropped`), or half of its body, of one
   * without a body half of its head (`cut`), then the connection ends; or no byte of it for as long as the client waits (`never`).
   */
  fate?: 'dropped' | 'cut' | 'never'
}

/** The values of all lines of a header, in order. `name` is lower-case. */
export function headerValues(headers: HeaderList, name: string): string[] {
  return headers.filter(([given]) => given.toLowerCase() === name).map(([, value]) => value)
}

/**
 * The path of a request target, neither decoded nor normalised: what is not literally an endpoint of the API is none, so
 * that no spelling of a path gets around the check that another one meets.
 */
export function pathOf(target: string): string {
  const originForm = target.replace(/^https?:\/\/[^/?#]*/i, '') // RFC 9112 3.2.2: a server takes absolute-form as well
  return originForm.replace(/[?#].*$/s, '') || '/'
}

/** Whether a path is one of the API, which is all under the prefix `/api` (What the service does). */
export function isApiPath(path: string): boolean {
  return path === '/api' || path.startsWith('/api/')
}
