import { createServer, type Server, type Socket } from 'node:net'
import type { ConnectionLimit } from './dialect.js'

/**
 * Puts a connection limit in front of a server, like a pool of worker threads. Every open connection counts, used or not.
 *
 * @param server gets the connections that are served; it does not listen itself
 * @returns the server that listens in its place
 */
export function limitConnections(server: Pick<Server, 'emit'>, { count, beyond = 'close' }: ConnectionLimit): Server {
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
    if (served < count) serve(socket)
    else if (beyond === 'close') socket.destroy()
    else waiting.push(socket)
  })
}
