import type { Server } from 'node:https'
import type { Socket } from 'node:net'

/** Enough for the bytes before it to be read on the same machine: a reset overtakes what is still on its way. */
const RESET_AFTER_MS = 20

/** The TCP connection under each TLS one. */
const beneath = new WeakMap<object, Socket>()

/** Keeps, of each connection of a server, what is under the TLS, for {@link hangUp}. */
export function noteBeneath(server: Server): void {
  const byPort = new Map<number, Socket>()
  server.on('connection', (socket: Socket) => {
    const port = socket.remotePort
    if (port === undefined) return // gone already
    byPort.set(port, socket)
    socket.once('close', () => byPort.get(port) === socket && byPort.delete(port))
  })
  server.on('secureConnection', socket => {
    const tcp = byPort.get(socket.remotePort ?? -1)
    if (tcp !== undefined) beneath.set(socket, tcp)
  })
}

/** Ends a connection without having said so: closes it at once, or resets it a moment later. Settles when that is done. */
export async function hangUp(socket: Socket, how: 'close' | 'reset'): Promise<void> {
  if (how === 'close') {
    socket.end(() => socket.destroy())
    return
  }
  await new Promise(resolve => setTimeout(resolve, RESET_AFTER_MS))
  if (!socket.destroyed) (beneath.get(socket) ?? socket).resetAndDestroy()
}
