import { createServer, type Server, type Socket } from 'node:net'
import type { Timer } from './clock.js'
import type { DialectSettings } from './dialect.js'
import { RateLimiter } from './limits.js'

/**
 * Puts the connection limits of a dialect in front of a server: of those at a time, like a pool of worker threads, where every
 * open connection counts, used or not; and of new ones in a while.
 *
 * @param server gets the connections that are served; it does not listen itself
 * @param clock the clock of the mock
 * @returns the server that listens in its place
 */
export function limitConnections(
  server: Pick<Server, 'emit'>,
  { connections, newConnections }: DialectSettings['limits'],
  clock: Timer,
): Server {
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
  return createServer({ pauseOnConnect: true }, socket => {
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
