import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { gzipSync } from 'node:zlib'
import { hangUp } from './hang-up.js'
import type { ApiResponse, HeaderList, RequestHead } from './messages.js'

/** For how long, and how many bytes, a client may go on sending after its answer. */
const LINGER = { ms: 1_000, bytes: 1 << 20 }

/** Returns the head of a request as sent, before Node merges or drops repeated headers. */
export function headOf({ method = '', url = '', rawHeaders, httpVersion, socket }: IncomingMessage): RequestHead {
  const headers: (readonly [string, string])[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.push([rawHeaders[i] ?? '', rawHeaders[i + 1] ?? ''])
  return { method, target: url, headers, httpVersion, connection: socket }
}

/** Tells whether the headers of a request announce a body over the limit (bytes). */
export function announcesTooMuch(req: IncomingMessage, limit: number): boolean {
  return Number(req.headers['content-length'] ?? 0) > limit
}

/**
 * Reads the body of a request, up to a limit.
 *
 * @param limit bytes; nothing is kept of a longer body
 * @returns undefined when the client left before the end; `parts`: how many parts it came in, as the chunks of one that was sent in chunks
 */
export async function readBody(req: IncomingMessage, limit: number) {
  const tooLarge = { body: new Uint8Array(), bodyTooLarge: true, parts: 0 }
  if (announcesTooMuch(req, limit)) return tooLarge
  const chunks: Buffer[] = []
  const end = await consume(req, limit, chunk => chunks.push(chunk))
  if (end === 'gone') return undefined
  return end === 'limit' ? tooLarge : { body: Buffer.concat(chunks), bodyTooLarge: false, parts: chunks.length }
}

/**
 * Sends a response. If the client is still sending its request, the response goes out at once, and the connection stays open a
 * while for the rest. Closing it with unread bytes would reset it, and the client might never see the response.
 *
 * @param close whether the connection ends with this response
 * @returns whether the client was still there
 */
export async function send(
  req: IncomingMessage,
  res: ServerResponse,
  response: ApiResponse,
  close = false,
): Promise<boolean> {
  const { delayMs = 0, fate, framing, statusLine, close: last = close, hangUp: how } = response.delivery ?? {}
  if (delayMs > 0) await pause(req, timer(delayMs))
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
    const isUnannounced = how !== undefined && res.shouldKeepAlive // an end that the answer announces is no hang-up
    const sent = isUnannounced && new Promise<void>(resolve => res.once('finish', resolve).once('close', resolve))
    res.end(content)
    await sent
    if (isUnannounced) await hangUp(req.socket, how) // before the next request, which may already be here, is answered
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

/** Sends a response that Node would not: the connection ends with it, and it may be cut short. */
async function sendRaw(req: IncomingMessage, response: ApiResponse): Promise<void> {
  const { socket } = req
  socket.write(rawResponse(response, req.method === 'HEAD'))
  if (!req.complete) await consume(req, LINGER.bytes, () => {}, LINGER.ms)
  socket.end(() => socket.destroy())
}

/**
 * Makes the bytes of a response that ends its connection, where Node offers no ServerResponse.
 *
 * @param headOnly whether the body is left out, as for HEAD
 */
export function rawResponse(response: ApiResponse, headOnly = false): Buffer {
  const { fate, statusLine = '1.1' } = response.delivery ?? {}
  const isCut = fate === 'cut'
  // A client sees that an answer broke off only if the answer announces its length.
  const { headers, content } = contentOf(isCut ? withLength(response) : response)
  const lines = [...headers, ['Connection', 'close']].map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `HTTP/${statusLine} ${response.status} ${STATUS_CODES[response.status] ?? ''}\r\n${lines.join('')}\r\n`
  const body = headOnly || content === undefined ? Buffer.alloc(0) : content
  // Without a body, half of the head is sent.
  if (isCut && body.length === 0) return Buffer.from(head.slice(0, head.length >> 1))
  return Buffer.concat([Buffer.from(head), isCut ? body.subarray(0, body.length >> 1) : body])
}

function withLength(response: ApiResponse): ApiResponse {
  return { ...response, delivery: { ...response.delivery, framing: 'length' } }
}

/**
 * Makes the bytes of a body and the headers that describe them. RFC 9110 8.6: a 204 has no Content-Length. Any other response
 * states its length, unless another framing ends it.
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

/** Waits for real milliseconds; see {@link pause}. */
const timer = (ms: number) => (call: () => void) => {
  const set = setTimeout(call, ms)
  return () => clearTimeout(set)
}

/**
 * Waits, but not for a client that has left.
 *
 * @param start gets what ends the wait, and returns what takes it back
 */
export function pause(req: IncomingMessage, start: (over: () => void) => () => void): Promise<void> {
  return new Promise(resolve => {
    const over = () => {
      stop()
      req.socket.off('close', over)
      resolve()
    }
    const stop = start(over)
    if (req.socket.destroyed) over()
    else req.socket.once('close', over)
  })
}

/** Reads chunks until the end, a limit of bytes or the deadline (none when absent), or until the client has left. */
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
    req.on('error', onGone) // stays: nothing promises that Node swallows an error here without a listener
    req.on('data', onData).on('end', onEnd).on('close', onGone)
    req.resume()
    return undefined
  })
}
