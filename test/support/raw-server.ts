/** A TLS server that answers with raw bytes and keeps the raw bytes that it received. */
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { TestCertificate } from './certificate.js'

/** A running server. */
export interface RawServer {
  url: URL
  /** The bytes received on each connection, in the order of the connections, as Latin-1. */
  received: string[]
  /** Number of connections so far, including silent ones. */
  connections: number
  /** Settles when no connection is open any more. */
  idle(): Promise<void>
  close(): Promise<void>
}

/** Answers a whole request (head and announced body), or ignores it. */
export type Answer = (socket: TLSSocket, request: string) => void

/** The conduct of a server. */
export interface RawServerOptions {
  certificate: TestCertificate
  answer?: Answer
  /** Called after the handshake, before any request. */
  greet?: (socket: TLSSocket) => void
  host?: string
}

const tcpOf = new WeakMap<TLSSocket, Socket>()

/** Resets the TCP connection under a TLS one. */
export function reset(socket: TLSSocket): void {
  tcpOf.get(socket)?.resetAndDestroy()
}

/** Starts the server on a free port of 127.0.0.1. */
export async function rawServer({
  certificate,
  answer,
  greet,
  host = '127.0.0.1',
}: RawServerOptions): Promise<RawServer> {
  const { cert, key } = certificate
  const open = new Set<Socket>()
  const received: string[] = []
  // A server may show a key that clients refuse.
  const ciphers = 'DEFAULT@SECLEVEL=0'
  const server = createServer({ cert, key, ciphers, ALPNProtocols: ['http/1.1'] })
  const raw: RawServer = {
    url: new URL('https://127.0.0.1'),
    received,
    connections: 0,
    async idle() {
      while (open.size) await Promise.race([...open].map(socket => once(socket, 'close')))
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
  server.on('connection', (socket: Socket) => {
    raw.connections++
    open.add(socket)
    // The server ignores errors that a client causes.
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.on('secureConnection', socket => {
    const tcp = [...open].find(({ remotePort }) => remotePort === socket.remotePort)
    if (tcp) tcpOf.set(socket, tcp)
    const index = received.push('') - 1
    let answered = 0
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      received[index] += chunk.toString('latin1')
      // To look at all that came with each chunk takes seconds where that is megabytes.
      if (!answer) return
      const request = received[index]?.slice(answered) ?? ''
      if (!isWhole(request)) return
      answered += request.length
      answer(socket, request)
    })
    greet?.(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  raw.url = new URL(`https://${host}:${(server.address() as AddressInfo).port}`)
  return raw
}

function isWhole(request: string): boolean {
  const end = request.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(request.slice(0, end))?.[1] ?? 0)
  return request.length >= end + 4 + length
}

/** Makes the bytes of a response with its length. */
export function reply(status: string, body = '', headers: string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Whether the body of a logon holds the right credentials of anna. What is no JSON holds none. */
export function isLogonOfAnna(body: string, right: string): boolean {
  try {
    const { username, password } = JSON.parse(body) as Record<string, unknown>
    return username === 'anna' && password === right
  } catch {
    return false
  }
}
