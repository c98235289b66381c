import { createServer, type Server, type Socket } from 'node:net'
import type { ConnectionLimit } from './dialect.js'

/**
 * Puts a limit of connections in front of a server, as a pool of worker threads does. A connection counts until it has ended,
 * used or not.
 *
 * @param server gets the connections that are served; it does not listen itself
 * @returns the server that is to listen in its place
 */
export function gate(server: Pick<Server, 'emit'>, { count, beyond = 'close' }: ConnectionLimit): Server {
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
  // Nothing is read of a connection that waits: its client sees no handshake, as in the backlog of a real device.
  return createServer({ pauseOnConnect: true }, socket => {
    socket.on('error', () => {}) // a client that goes away while it waits
    if (served < count) serve(socket)
    else if (beyond === 'close') socket.destroy()
    else waiting.push(socket)
  })
}
