import { createServer as createPlainServer, type Server as PlainServer } from 'node:http'
import { createServer, type Server } from 'node:https'
import { createServer as createTcpServer, type Socket, type Server as TcpServer } from 'node:net'
import { cutterOf } from '../ground/listen.js'
import type { Certificate } from './certificate.js'
import type { Timer } from './clock.js'
import type { Device } from './device.js'
import { type Exchanges, serve } from './exchange.js'
import { rememberTcp } from './hang-up.js'
import { RateLimiter } from './limits.js'
import type { RequestLog } from './log.js'
import type { Recorder } from './recorder.js'

/** Longest body that is read, in bytes; far more than any request of the API needs. */
const BODY_LIMIT = 64 * 1024

/** How Node's server reads HTTP: what it would decide itself is left to the device. */
const READING = {
  headersTimeout: 20_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 60_000, // longer than clients do, or they could send on a connection that is just closing
  requireHostHeader: false, // Node would answer 400 before the device sees the request; the reference wants 406
}

/** A device, and what goes with its exchanges. */
interface Served {
  device: Device
  clock: Timer
  log: RequestLog
  recorder: Recorder
}

/**
 * Makes the HTTPS server in front of a device: HTTP/1.1 and HTTP/1.0.
 *
 * @returns the server, not yet listening; its part that does TLS; its exchanges
 */
export function createApiServer(
  served: Served,
  certificate: Certificate,
): { server: TcpServer; secure: Server; exchanges: Exchanges } {
  const server = createServer({
    cert: certificate.certificate,
    key: certificate.privateKey,
    ALPNProtocols: ['http/1.1', 'http/1.0'], // Node offers only 1.1, and a client of 1.0 gets no TLS
    handshakeTimeout: 20_000,
    ...READING,
  })
  const exchanges = serveDevice(server, served)
  server.on('tlsClientError', error => served.log.broken('TLS', error))
  rememberTcp(server)
  return { server: limited(server, served), secure: server, exchanges }
}

/**
 * Makes the HTTP server in front of a device that nobody reaches over a network.
 *
 * @returns `serve` serves a connection, given its end of it; `cut` cuts all of them after their pending answers
 */
export function createMemoryServer(served: Served) {
  const server = createPlainServer(READING)
  const exchanges = serveDevice(server, served)
  const front = limited(server, served)
  const cut = cutterOf(front)
  return {
    serve: (socket: Socket) => front.emit('connection', socket),
    async cut(): Promise<void> {
      await sentOrStuck(exchanges)
      cut()
    },
  }
}

/** Longest wait for clients that do not take their answers, in milliseconds. After it their connections are cut. */
const SENDING_MS = 1_000

/** Settles when every pending answer is on its way, or its client does not take it. */
export async function sentOrStuck(exchanges: Exchanges): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const enough = new Promise<void>(resolve => {
    timer = setTimeout(resolve, SENDING_MS)
  })
  await Promise.race([exchanges.sent(), enough])
  clearTimeout(timer)
}

function serveDevice(server: Server | PlainServer, { device, clock, log, recorder }: Served): Exchanges {
  server.maxHeadersCount = 0 // Node would silently drop headers over its limit, and one of them may be Host
  return serve(server, device, { bodyLimit: BODY_LIMIT, log, recorder, clock })
}

/**
 * Puts the connection limits of a device's dialect in front of its server: of those at a time, like a pool of worker threads, where
 * every open connection counts, used or not; and of new ones in a while.
 *
 * @param server gets the connections that are served
 * @returns the server that listens in its place; itself where there are no limits
 */
function limited(server: TcpServer, { device, clock }: Served): TcpServer {
  const { connections, newConnections } = device.parts.dialect.limits
  if (connections === undefined && newConnections === undefined) return server
  const { count = Number.POSITIVE_INFINITY, beyond = 'close' } = connections ?? {}
  const limiter = newConnections && new RateLimiter(newConnections, clock)
  const waiting: Socket[] = []
  let served = 0
  const serve = (socket: Socket) => {
    served += 1
    socket.once('close', () => {
      served -= 1
      const next = waiting.shift()
      if (next !== undefined) serve(next)
    })
    server.emit('connection', socket)
    socket.resume()
  }
  // Reads nothing from a waiting connection: its client sees no handshake, as in the backlog of a real device.
  return createTcpServer({ pauseOnConnect: true }, socket => {
    socket.on('error', () => {}) // a client may leave while it waits
    const dueMs = limiter?.take() ?? 0
    if (dueMs === 0) admit(socket)
    else if (newConnections?.beyond === 'wait')
      socket.once(
        'close',
        clock.after(dueMs, () => admit(socket)),
      )
    else socket.destroy()
  })

  function admit(socket: Socket): void {
    if (served < count) serve(socket)
    else if (beyond === 'close') socket.destroy()
    else waiting.push(socket)
  }
}
