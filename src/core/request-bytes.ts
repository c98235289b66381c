/** A request as bytes, for requests that no HTTP client sends. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { WireRequest } from './exchange.js'

/** Whether an HTTP client can send it: HTTP/1.1, a method in capital letters, and no header twice. */
export function isOrdinary({ method, httpVersion, headers }: WireRequest): boolean {
  if (method !== method.toUpperCase()) return false
  return httpVersion === '1.1' && new Set(headers.map(([name]) => name.toLowerCase())).size === headers.length
}

/** Returns the headers of a request, with the length of its body. */
export function toHeaders({ headers, body }: WireRequest): WireRequest['headers'] {
  return body === undefined ? headers : [...headers, ['Content-Length', String(Buffer.byteLength(body))]]
}

/** Writes a request as the bytes that go out. */
export function toBytes(request: WireRequest): Buffer {
  const { method, path, httpVersion, body = '' } = request
  const lines = toHeaders(request).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/${httpVersion}\r\n${lines.join('')}\r\n`, 'latin1'),
    Buffer.from(body),
  ])
}

/** Checks that a request can be sent. @throws Error for one that no HTTP client would send */
export function checkSendable({ method, path, headers }: WireRequest): void {
  try {
    for (const [name, value] of headers) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    if (!/^[A-Z]+$/i.test(method)) throw new Error(`the method '${method}'`)
    if (!/^(\/|https:\/\/)[!-~]*$/.test(path)) throw new Error(`the path '${path}'`)
  } catch (error) {
    throw new Error(`the request cannot be sent: ${error instanceof Error ? error.message : String(error)}`)
  }
}
