/** Finds the first of several HTTP responses in a stream of bytes (RFC 9112). */

/** The first final response in a stream of bytes. */
export interface FirstResponse {
  status: number
  statusText: string
  httpVersion: string
  /** Bytes from the start of the stream to the end of its body. */
  length: number
}

const LINE_END = Buffer.from('\r\n')
const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Finds the first response that is final.
 * @param bytes all bytes received so far
 * @returns undefined as long as it is not whole, and where only the end of the connection ends it
 */
export function firstResponse(bytes: Buffer, from = 0): FirstResponse | undefined {
  const end = bytes.indexOf(HEAD_END, from)
  if (end < 0) return undefined
  const [line = '', ...fields] = bytes.toString('latin1', from, end).split('\r\n')
  const [, httpVersion, digits, statusText = ''] = /^HTTP\/(1\.[01]) (\d{3}) ?(.*)$/.exec(line) ?? []
  if (httpVersion === undefined) return undefined
  const status = Number(digits)
  const body = end + HEAD_END.length
  // An interim response has no body, and another response follows (RFC 9110 15.2).
  if (status < 200) return firstResponse(bytes, body)
  const length = bodyEnd(bytes, body, status, fields)
  return length === undefined || length > bytes.length ? undefined : { status, statusText, httpVersion, length }
}

/** Returns where the body ends (RFC 9112 6.3), for a response to any method but HEAD. */
function bodyEnd(bytes: Buffer, from: number, status: number, fields: readonly string[]): number | undefined {
  if (status === 204 || status === 304) return from
  const value = (name: string) =>
    fields
      .find(field => field.toLowerCase().startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim()
  if (value('transfer-encoding')?.toLowerCase().endsWith('chunked')) return chunksEnd(bytes, from)
  const length = value('content-length')
  return length !== undefined && /^\d+$/.test(length) ? from + Number(length) : undefined
}

function chunksEnd(bytes: Buffer, from: number): number | undefined {
  for (let at = from; ; ) {
    const end = bytes.indexOf(LINE_END, at)
    if (end < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16)
    if (Number.isNaN(size)) return undefined
    if (size > 0) at = end + LINE_END.length + size + LINE_END.length
    else {
      // Trailers may follow the last chunk; an empty line ends them.
      const isPlain = bytes.indexOf(LINE_END, end + LINE_END.length) === end + LINE_END.length
      const last = isPlain ? end + LINE_END.length : bytes.indexOf(HEAD_END, end)
      return last < 0 ? undefined : last + (isPlain ? LINE_END.length : HEAD_END.length)
    }
  }
}
