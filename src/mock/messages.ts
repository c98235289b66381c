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
