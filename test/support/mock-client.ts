/** A client of the mock Core that sees the bytes on the wire, their framing, and the end of the connection. */
import type { Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext } from 'node:tls'
import { gunzipSync } from 'node:zlib'
import {
  type MemoryCore,
  type MockAddress,
  type MockCore,
  type MockOptions,
  startMockCore,
} from '../../dist/mock/index.js'
import { memoryConnection } from '../../tools/memory-connection.js'

/** A mock Core on the wire, or one in memory. */
type Reached = Pick<MockAddress, 'url' | 'certificatePem'> | Pick<MemoryCore, 'serve'>

/** One answer as it came on the wire. */
export interface Answer {
  version: string
  status: number
  /** Keys are lower-case; the values of repeated lines are joined with `, `. */
  headers: Record<string, string>
  framing: 'length' | 'chunked' | 'close' | 'none'
  /** Decoded: without chunks, not compressed. */
  body: string
}

/** A request to send. It asks to end the connection with the answer unless `keep`. */
export interface Ask {
  headers?: Record<string, string>
  body?: string
  host?: boolean
  http?: '1.0' | '1.1'
  keep?: boolean
}

/** Makes the bytes of a request. */
export function bytesOf(
  method: string,
  path: string,
  { headers = {}, body, host = true, http = '1.1', keep }: Ask = {},
) {
  const lines = {
    ...(host && { Host: 'core' }),
    ...(body !== undefined && {
      'Content-Type': 'application/json',
      'Content-Length': String(Buffer.byteLength(body)),
    }),
    ...(!keep && { Connection: 'close' }),
    ...headers,
  }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/${http}\r\n${head.join('')}\r\n${body ?? ''}`
}

/** The shared data of connections to a Core. */
const shared = new WeakMap<object, { secureContext: SecureContext; session?: Buffer }>()

/** Makes later connections to this Core resume the previous TLS session, which costs a third less. */
export function resumeSessions(core: Pick<MockAddress, 'certificatePem'>): void {
  shared.set(core, { secureContext: createSecureContext({ ca: core.certificatePem }) })
}

/** Writes bytes on a connection of their own and returns all bytes until it ends. */
export function exchange(core: Reached, bytes: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connectionTo(core, bytes)
    socket.on('data', chunk => chunks.push(chunk))
    // A reset after an answer does not change the answer.
    socket.on('error', error => (chunks.length > 0 ? resolve(Buffer.concat(chunks)) : reject(error)))
    socket.on('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** Exchanges bytes as texts; see {@link exchange}. */
export const raw = async (core: Reached, bytes: string) => (await exchange(core, bytes)).toString('latin1')

/** Opens a connection and writes bytes on it. */
export function connectionTo(core: Reached, bytes: string): Socket {
  if ('serve' in core) {
    const [client, server] = memoryConnection()
    core.serve(server)
    client.write(bytes)
    return client
  }
  const known = shared.get(core)
  const trust = known ?? { ca: core.certificatePem }
  const options = { port: Number(new URL(core.url).port), host: '127.0.0.1', ...trust }
  const socket = connect(options, () => socket.write(bytes))
  return socket.on('session', session => {
    if (known) known.session = session
  })
}

/** Sends one request on a connection of its own. */
export async function ask(core: Reached, method: string, path: string, asked?: Ask): Promise<Answer> {
  return answerOf(await exchange(core, bytesOf(method, path, asked)), method)
}

function answerOf(bytes: Buffer, method: string): Answer {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n')
  const [, version = '', status = ''] = /^HTTP\/(\d\.\d) (\d{3}) /.exec(first) ?? []
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    const value = line.slice(line.indexOf(':') + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const sent = bytes.subarray(end + 4)
  const chunked = headers['transfer-encoding'] === 'chunked'
  const length = headers['content-length']
  const bodiless = status === '204' || method === 'HEAD'
  const framing = bodiless ? 'none' : chunked ? 'chunked' : length === undefined ? 'close' : 'length'
  if (framing === 'length' && sent.length !== Number(length))
    throw new Error(`${sent.length} bytes instead of ${length}`)
  if (bodiless && sent.length > 0) throw new Error(`a body where there may be none: ${sent}`)
  const whole = chunked ? unchunked(sent) : sent
  const body = headers['content-encoding'] === 'gzip' && whole.length > 0 ? gunzipSync(whole) : whole
  return { version, status: Number(status), headers, framing, body: body.toString() }
}

function unchunked(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, end).toString(), 16)
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    at = end + 2 + size + 2
  }
  throw new Error('the last chunk is missing')
}

/** The user of {@link withMockCore}. */
export const USER = { username: 'admin', password: 'geheim' }

/** Logs on. @returns what a request with the token asks with */
export async function logOn(core: Reached, credentials = USER): Promise<{ headers: { Authorization: string } }> {
  const { body } = await ask(core, 'POST', '/api/v0/logon', { body: JSON.stringify(credentials) })
  return { headers: { Authorization: `Bearer ${JSON.parse(body).token}` } }
}

/** Starts a mock Core for as long as it is used. */
export async function withMockCore<T>(options: Partial<MockOptions>, use: (core: MockCore) => Promise<T>): Promise<T> {
  const core = await startMockCore({ ...USER, ...options })
  try {
    return await use(core)
  } finally {
    await core.close()
  }
}
