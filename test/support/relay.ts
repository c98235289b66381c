/** A TCP relay in front of a Core that makes trouble like networks and small devices. TLS passes through untouched. */
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { randomFrom } from '../../dist/ground/random.js'

/** The kinds of trouble; absent ones do not happen. */
export interface RelayTrouble {
  /** Number of connections that are served at a time; further ones wait, as in the backlog of a pool of workers. */
  workers?: number
  /** Each connection after the first `free` ones is accepted this late (ms). */
  late?: { ms: number; free: number }
  /** The share of connections, in percent, that are reset within their first 60 ms; the same ones for a seed. */
  reset?: { percent: number; seed: number }
  /**
   * An outage: its start after the first connection and its length (ms), and its kind: all connections reset, or bytes held
   * back.
   */
  dead?: { fromMs: number; forMs: number; how: 'refuse' | 'freeze' }
  /** How long each part of an answer is held back (ms). */
  answersAfterMs?: number
  /** A connection is served once this has settled. */
  gate?: () => Promise<void> | undefined
}

/** A relay that listens. */
export interface Relay {
  port: number
  /** Counts so far. */
  readonly figures: { connections: number; resets: number; mostAtATime: number }
  /** Cuts all connections, and listens to nobody for so long (ms). */
  goAway(forMs: number): void
  close(): Promise<void>
}

/** Long enough for a reset during the handshake, the request or the answer. */
const RESET_WITHIN_MS = 60
/** Interval between looks at held bytes. */
const FREEZE_LOOK_MS = 20

/**
 * Starts a relay on a free port of 127.0.0.1.
 *
 * @param backs ports of the back ends: each connection goes to the next one, in turn
 */
export async function startRelay(backs: readonly number[], trouble: RelayTrouble = {}): Promise<Relay> {
  const { workers = Number.POSITIVE_INFINITY, late, reset, dead, gate, answersAfterMs = 0 } = trouble
  const figures = { connections: 0, resets: 0, mostAtATime: 0 }
  const chance = randomFrom(reset?.seed ?? 1)
  const open = new Set<Socket>()
  const waiting: (() => void)[] = []
  let served = 0
  let firstMs: number | undefined

  const deadForMs = () => {
    if (dead === undefined || firstMs === undefined) return 0
    const sinceMs = performance.now() - firstMs - dead.fromMs
    return sinceMs >= 0 && sinceMs < dead.forMs ? dead.forMs - sinceMs : 0
  }
  const resetNow = (socket: Socket) => {
    if (socket.destroyed) return
    figures.resets += 1
    socket.resetAndDestroy()
  }
  const pump = (from: Socket, to: Socket, afterMs = 0) => {
    from.on('data', async chunk => {
      from.pause()
      if (afterMs > 0) await pause(afterMs)
      while (dead?.how === 'freeze' && deadForMs() > 0) await pause(FREEZE_LOOK_MS)
      if (!to.destroyed && to.writable && !to.write(chunk))
        await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => {})
      from.resume()
    })
    // What was held back goes first.
    const then = (end: () => void) => (afterMs > 0 ? setTimeout(end, afterMs) : end())
    from.on('end', () => then(() => to.end()))
    from.on('close', () => then(() => to.destroy()))
  }
  const serve = (client: Socket, back: number) => {
    served += 1
    figures.mostAtATime = Math.max(figures.mostAtATime, served)
    const core = connect(back, '127.0.0.1')
    for (const socket of [client, core]) {
      open.add(socket)
      socket.on('error', () => {}) // either side may close its connection
      socket.once('close', () => open.delete(socket))
    }
    client.once('close', () => {
      served -= 1
      waiting.shift()?.()
    })
    pump(client, core)
    pump(core, client, answersAfterMs)
    client.resume()
  }

  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, async client => {
    firstMs ??= performance.now()
    const number = ++figures.connections
    const back = backs[(number - 1) % backs.length] ?? 0
    const isReset = reset !== undefined && chance() * 100 < reset.percent
    const resetAfterMs = chance() * RESET_WITHIN_MS
    client.on('error', () => {})
    open.add(client)
    client.once('close', () => open.delete(client))
    if (dead?.how === 'refuse' && deadForMs() > 0) return resetNow(client)
    if (served >= workers) await new Promise<void>(resolve => waiting.push(resolve))
    if (late !== undefined && number > late.free) await pause(late.ms)
    await gate?.()
    if (!server.listening) return client.destroy()
    serve(client, back)
    if (isReset) setTimeout(resetNow, resetAfterMs, client).unref()
  })
  await listen(server)
  const { port } = server.address() as AddressInfo
  const close = () => {
    const closed = new Promise<void>(resolve => server.close(() => resolve()))
    for (const wake of waiting.splice(0)) wake()
    for (const socket of open) socket.destroy()
    return closed
  }
  const goAway = (forMs: number) => {
    void close()
    setTimeout(() => server.listen(port, '127.0.0.1'), forMs)
  }
  return { port, figures, goAway, close }
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}

/** Listens on a port that no system hands out by itself: who gives it up for a while gets it again. */
async function listen(server: Server): Promise<void> {
  for (;;) {
    server.listen(randomInt(20_000, 32_000), '127.0.0.1')
    try {
      await once(server, 'listening')
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
