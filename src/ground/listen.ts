import { once } from 'node:events'
import type { AddressInfo, Server, Socket } from 'node:net'

/** A server that listens on 127.0.0.1. */
export interface Listening {
  port: number
  /** Cuts every connection and goes on listening. */
  cut(): void
  /** Stops listening and cuts every connection; settles when all are gone. Calling it again gives the same promise. */
  close(): Promise<void>
}

/** Returns what cuts every connection that a server gets from now on. */
export function cutterOf(server: Server): () => void {
  const sockets = new Set<Socket>()
  server.on('connection', socket => {
    // Includes connections in a TLS handshake, which Node's closeAllConnections leaves open.
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

/**
 * Lets a server listen on 127.0.0.1.
 *
 * @param port 0 for a free one
 * @param what the name of the port in messages
 * @throws Error with a sentence for people when the port cannot be opened
 */
export async function listen(server: Server, port: number, what: string): Promise<Listening> {
  const cut = cutterOf(server)
  try {
    server.listen({ port, host: '127.0.0.1' })
    await once(server, 'listening')
  } catch (error) {
    throw new Error(whyNot(error, port, what), { cause: error })
  }
  server.on('error', () => {}) // the client notices a connection that could not be accepted; the server goes on

  let closed: Promise<void> | undefined
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close() {
      closed ??= new Promise(resolve => {
        server.close(() => resolve())
        cut()
      })
      return closed
    },
  }
}

/** Says why a port cannot be opened, and what to do. @param what the name of the port in messages */
function whyNot(error: unknown, port: number, what: string): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `port ${port} on 127.0.0.1 is in use; choose another ${what}, or 0 for a free one`
  if (code === 'EACCES')
    return `port ${port} on 127.0.0.1 is not allowed to this user; choose another ${what}, above 1023`
  if (code === 'ERR_SOCKET_BAD_PORT') return `${port} is no port; choose another ${what}, from 0 to 65535`
  return `cannot listen on port ${port} of 127.0.0.1: ${message}; choose another ${what}`
}
