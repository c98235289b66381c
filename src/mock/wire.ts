import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { hangUp } from './beneath.js'
import type { ApiResponse, HeaderList, RequestHead } from './messages.js'

/** How long, and for how many bytes, a client may go on sending a request that has been answered. */
const LINGER = { ms: 1_000, bytes: 1 << 20 }

/** The head of a request as it came, before Node merged or dropped repeated headers. */
export function headOf({ method = '', url = '', rawHeaders, httpVersion, socket }: IncomingMessage): RequestHead {
  const headers: (readonly [string, string])[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? ''])
  return { method, target: url, headers, httpVersion, connection: socket }
}

/** What was read of a body. */
export interface Body {
  /** Empty when it was too large. */
  body: Uint8Array
  bodyTooLarge: boolean
}

/** Whether a request says itself that its body is over the limit (bytes). */
export function announcesTooMuch(req: IncomingMessage, limit: number): boolean {
  return Number(req.headers['content-length'] ?? 0) > limit
}

/**
 * Reads the body of a request, up to a limit.
 *
 * @param limit bytes; nothing is kept of a body with more
 * @returns undefined when the client went away before the end
 */
export function readBody(req: IncomingMessage, limit: number): Promise<Body | undefined> {
  const tooLarge: Body = { body: new Uint8Array(), bodyTooLarge: true }
  if (announcesTooMuch(req, limit)) return Promise.resolve(tooLarge)
  const chunks: Buffer[] = []
  return consume(req, limit, chunk => chunks.push(chunk)).then(end => {
    if (end === 'gone') return undefined
    return end === 'limit' ? tooLarge : { body: Buffer.concat(chunks), bodyTooLarge: false }
  })
}

/**
 * Sends a response. If the client is still sending its request, the response goes out at once, but the connection is kept
 * a while to take the rest: closed with bytes unread, it would be reset, and the client might never see the response.
 *
 * @param close whether the connection is to end with this response
 * @returns whether the client was still there
 */
export async function send(
  req: IncomingMessage,
  res: ServerResponse,
  response: ApiResponse,
  close = false,
): Promise<boolean> {
  const { delayMs = 0, fate, framing, statusLine, close: last = close, hangUp: how } = response.delivery ?? {}
  if (delayMs > 0) await pause(req, delayMs)
  if (res.destroyed || !req.socket.writable) return false
  if (fate === 'never') {
    await new Promise(resolve => req.socket.once('close', resolve))
    return false
  }
  if (fate === 'dropped') {
    req.socket.destroy()
    return true
  }
  if (fate === 'cut' || framing === 'close' || statusLine === '1.0') {
    await sendRaw(req, response)
    return true
  }
  if (last || close) res.shouldKeepAlive = false
  const { headers, content } = contentOf(response)
  res.writeHead(response.status, headers.flat())
  if (req.complete && framing !== 'chunked') {
    const isUnannounced = how !== undefined && res.shouldKeepAlive // the end that an answer tells is no hanging up
    const sent = isUnannounced && new Promise<void>(resolve => res.once('finish', resolve).once('close', resolve))
    res.end(content)
    await sent
    if (isUnannounced) await hangUp(req.socket, how) // before a request that is already here is answered
    return true
  }
  res.flushHeaders()
  if (content !== undefined) res.write(content)
  if (!req.complete) await consume(req, LINGER.bytes, () => {}, LINGER.ms)
  res.end(() => {
    if (!req.complete) req.socket.destroy()
  })
  return true
}

/** Sends what Node would not: a response that its connection ends with, and that may be cut short. */
async function sendRaw(req: IncomingMessage, response: ApiResponse): Promise<void> {
  const { socket } = req
  socket.write(rawResponse(response, req.method === 'HEAD'))
  if (!req.complete) await consume(req, LINGER.bytes, () => {}, LINGER.ms)
  socket.end(() => socket.destroy())
}

/**
 * A response as the bytes of its own connection, for where Node offers no ServerResponse.
 *
 * @param headOnly whether the body is left out, as the answer to a HEAD
 */
export function rawResponse(response: ApiResponse, headOnly = false): Buffer {
  const { fate, statusLine = '1.1' } = response.delivery ?? {}
  const isCut = fate === 'cut'
  // Only a length that is told lets a client see that an answer broke off.
  const { headers, content } = contentOf(isCut ? withLength(response) : response)
  const lines = [...headers, ['Connection', 'close']].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/${statusLine} ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n${lines.join('')}\r\n`
  const body = headOnly || content === undefined ? Buffer.alloc(0) : content
  // Of an answer without a body, half of the head is what can be missing.
  if (isCut && body.length === 0) return Buffer.from(head.slice(0, head.length >> 1))
  return Buffer.concat([Buffer.from(head), isCut ? body.subarray(0, body.length >> 1) : body])
}

function withLength(response: ApiResponse): ApiResponse {
  return { ...response, delivery: { ...response.delivery, framing: 'length' } }
}

/**
 * The bytes of a body, and the headers that tell of them. RFC 9110 8.6: a 204 has no Content-Length; any other response
 * says its length, unless another framing tells where it ends.
 */
function contentOf({ status, headers, body, delivery = {} }: ApiResponse): { headers: HeaderList; content?: Buffer } {
  if (status === 204) return { headers }
  const { framing = 'length', gzip = false } = delivery
  const plain = Buffer.from(body ?? '')
  const content = gzip && body !== undefined ? gzipSync(plain) : plain
  const told: [string, string][] = []
  if (content !== plain) told.push(['Content-Encoding', 'gzip'])
  if (framing === 'length') told.push(['Content-Length', String(content.length)])
  return { headers: [...headers, ...told], content }
}

/** Waits, but not for a client that is gone. */
function pause(req: IncomingMessage, ms: number): Promise<void> {
  return new Promise(resolve => {
    const over = () => {
      clearTimeout(timer)
      req.socket.off('close', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    if (req.socket.destroyed) over()
    else req.socket.once('close', over)
  })
}

/** Takes chunks until the end, a limit of bytes, the deadline (none when absent), or until the client is gone. */
function consume(
  req: IncomingMessage,
  limit: number,
  take: (chunk: Buffer) => void,
  deadlineMs?: number,
): Promise<'end' | 'limit' | 'gone'> {
  return new Promise(resolve => {
    let left = limit
    const onData = (chunk: Buffer) => {
      left -= chunk.length
      if (left < 0) settle('limit')
      else take(chunk)
    }
    const onEnd = () => settle('end')
    const onGone = () => settle('gone')
    const timer = deadlineMs === undefined ? undefined : setTimeout(() => settle('limit'), deadlineMs)
    function settle(how: 'end' | 'limit' | 'gone') {
      clearTimeout(timer)
      req.off('data', onData).off('end', onEnd).off('close', onGone)
      resolve(how)
    }
    if (req.destroyed) return settle('gone')
    req.on('error', onGone) // stays: that Node swallows an error here without a listener is promised nowhere
    req.on('data', onData).on('end', onEnd).on('close', onGone)
    req.resume()
    return undefined
  })
}
