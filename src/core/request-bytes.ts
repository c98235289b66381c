/** A request as bytes, for requests that no HTTP client sends. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { HeadLines, WireRequest } from './exchange.js'

/** Whether an HTTP client can send it: HTTP/1.1, a method in capital letters, a Connection header, no header twice, and all at once. */
export function isOrdinary(request: WireRequest): boolean {
  const { method, httpVersion, headers, chunks, inPieces, breaksOff, omitConnection, lines } = request
  if (method !== method.toUpperCase() || chunks || inPieces || breaksOff || omitConnection || lines) return false
  return httpVersion === '1.1' && new Set(headers.map(([name]) => name.toLowerCase())).size === headers.length
}

/** Returns the headers of a request, with how its body is sent. */
export function toHeaders(request: WireRequest): WireRequest['headers'] {
  const { headers, body, chunks, isHostLate } = request
  if (!chunks && body === undefined) return headers
  const framing = spelled(
    chunks ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(Buffer.byteLength(body ?? ''))],
    request,
  )
  // Then Host stands behind these, too.
  return isHostLate ? [framing, ...headers] : [...headers, framing]
}

/** Returns a header field with its name as the request has all names. */
export function spelled([name, value]: [string, string], { names }: WireRequest): [string, string] {
  return [names === 'lower' ? name.toLowerCase() : names === 'upper' ? name.toUpperCase() : name, value]
}

/** Writes a request as the bytes that go out, in the parts that are sent a moment apart. */
export function toBytes(request: WireRequest): Buffer[] {
  const { method, path, httpVersion, body = '', chunks, trailer = [], inPieces, lines } = request
  const first = `${lines === 'led' ? '\r\n' : ''}${method} ${path} HTTP/${httpVersion}\r\n`
  const head = Buffer.from(`${first}${linesOf(toHeaders(request), lines && BEHIND_COLON[lines])}\r\n`, 'latin1')
  const content = chunks ? inChunks(Buffer.from(body), chunks, linesOf(trailer)) : Buffer.from(body)
  if (!inPieces) return [Buffer.concat([head, content])]
  if (inPieces === 'body') return [head, content]
  const cuts = inPieces === 'pause' ? [head.length >> 1] : cutsOf(head, method)
  const pieces = cuts.map((end, index) => head.subarray(cuts[index - 1] ?? 0, end))
  const rest = head.subarray(cuts.at(-1))
  // Without Host it is answered at its head, and many a Core takes no body after that.
  if (request.omitHost || !content.length) return [...pieces, Buffer.concat([rest, content])]
  if (inPieces === 'pause') return [...pieces, rest, content]
  const half = content.length >> 1
  return [...pieces, rest, content.subarray(0, half), content.subarray(half)].filter(({ length }) => length)
}

/** What stands behind the colon of a header field. */
const BEHIND_COLON: Record<HeadLines, string> = { bare: '', tabbed: '\t', led: ' ' }

/** Writes header fields as lines. */
function linesOf(fields: WireRequest['headers'], blank = ' '): string {
  return fields.map(([name, value]) => `${name}:${blank}${value}\r\n`).join('')
}

/** A head in pieces comes in so many at least: slow links bring it a few bytes at a time. */
const PIECES = 10

/** Returns where a head in pieces is cut: behind its method, within the line of Host, in its last line end, and evenly else. */
function cutsOf(head: Buffer, method: string): number[] {
  const host = head.toString('latin1').search(/^host: ./im)
  const even = Array.from({ length: PIECES - 1 }, (_, at) => Math.floor((head.length * (at + 1)) / PIECES))
  const cuts = [method.length, ...(host < 0 ? [] : [host + 'Host: '.length + 1]), ...even, head.length - 1]
  return [...new Set(cuts)].sort((a, b) => a - b)
}

/** Returns the part of a request that goes out before its client breaks it off. */
export function brokenOff(request: WireRequest): Buffer {
  const whole = Buffer.concat(toBytes(request))
  const headEnds = whole.indexOf('\r\n\r\n') + 4
  if (request.breaksOff === 'head') return whole.subarray(0, headEnds >> 1)
  return request.breaksOff === 'body' ? whole.subarray(0, (headEnds + whole.length) >> 1) : whole
}

/**
 * Returns a body in chunks. Several part at the braces, and within the name of the first member: a Core may repeat its request in its
 * answer, and a password in two chunks could not be hidden there.
 */
function inChunks(body: Buffer, number: NonNullable<WireRequest['chunks']>, trailer: string): Buffer {
  const inName = /^\{\s*"\w/.exec(body.toString('latin1'))?.[0].length ?? 1
  const cuts = number === 'one' ? [body.length] : [0, 1, inName, Math.max(inName, body.length - 1), body.length]
  const chunks = cuts.map((end, index) => body.subarray(cuts[index - 1] ?? 0, end)).filter(({ length }) => length)
  const sizeLine = (size: string) => (number === 'extended' ? `00${size};part=1\r\n` : `${size}\r\n`)
  return Buffer.concat([
    ...chunks.flatMap(chunk => [Buffer.from(sizeLine(chunk.length.toString(16))), chunk, Buffer.from('\r\n')]),
    Buffer.from(`0\r\n${trailer}\r\n`, 'latin1'),
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
