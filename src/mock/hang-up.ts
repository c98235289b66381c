import type { Server } from 'node:https'
import type { Socket } from 'node:net'

/**
 * Delay before a reset, in milliseconds. A reset overtakes bytes that are still on their way; 20 ms is enough on one machine.
 */
const RESET_AFTER_MS = 20

/** The TCP connection below each TLS connection. */
const tcpBelow = new WeakMap<object, Socket>()

/** Returns the TCP connection below a TLS connection; a connection without TLS is its own. */
export function tcpOf(connection: object): object {
  return tcpBelow.get(connection) ?? connection
}

/** Remembers the TCP connection below each TLS connection of a server. */
export function rememberTcp(server: Server): void {
  const byPort = new Map<number, Socket>()
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort
    if (port === undefined) return // gone already
    byPort.set(port, socket)
    socket.once('close', () => byPort.get(port) === socket && byPort.delete(port))
  })
  server.on('secureConnection', socket => {
    const tcp = byPort.get(socket.remotePort ?? -1)
    if (tcp !== undefined) tcpBelow.set(socket, tcp)
  })
}

/** Ends a connection without announcing it: closes it at once, or resets it a moment later. Settles when that is done. */
export async function hangUp(socket: Socket, how: 'close' | 'reset'): Promise<void> {
  if (how === 'close') {
    socket.end(() => socket.destroy())
    return
  }
  await new Promise(resolve => setTimeout(resolve, RESET_AFTER_MS))
  // After a stall of this process, timers come before bytes. A client within the process has to get its bytes first: where
  // they come together with a reset, Node reports the end of the connection, and no reset.
  await new Promise(resolve => setImmediate(resolve))
  if (!socket.destroyed) (tcpBelow.get(socket) ?? socket).resetAndDestroy()
}
