/** Counts how many connections a Core serves at a time. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connector } from '../core/connect.js'
import { DEFAULT_CONNECTIONS } from '../core/session.js'
import type { Target } from '../core/target.js'

/** Connections that are tried: twice as many as a run opens by default. */
export const TRIED_CONNECTIONS = DEFAULT_CONNECTIONS * 2
/** Longest wait for an answer on each connection. TLS handshakes of 2 s were seen, and handshakes queue. */
const PATIENCE_MS = 5000

/**
 * Counts how many of {@link TRIED_CONNECTIONS} are answered while all of them are open. Each sends the probe without a token,
 * so nobody logs on.
 * @param path the path of the probe
 */
export async function connectionsOf(target: Pick<Target, 'url' | 'trust'>, path: string): Promise<number> {
  const connect = connector(target)
  const opened = await Promise.allSettled(Array.from({ length: TRIED_CONNECTIONS }, () => connect(PATIENCE_MS)))
  const sockets = opened.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
  try {
    const answers = await Promise.all(sockets.map(socket => isAnswered(socket, target.url, path)))
    return answers.filter(Boolean).length
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

async function isAnswered(socket: Socket, url: URL, path: string): Promise<boolean> {
  const over = new AbortController()
  const answered = new Promise<boolean>(resolve => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString('latin1').startsWith('HTTP/')))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${url.host}\r\nAccept: application/json\r\n\r\n`)
  const late = sleep(PATIENCE_MS, false, { signal: over.signal }).catch(() => false)
  return Promise.race([answered, late]).finally(() => over.abort())
}
