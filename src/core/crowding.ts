import type { Socket } from 'node:net'
import type { Opening } from './transport.js'

/** How often a connection that does not come about is looked at. Counted in looks, so that a stall of this machine is one look. */
const LOOK_MS = 100
/** After so many looks a connection hangs; a handshake takes some 10 ms, on small devices some 100 ms. */
const HANGS_AFTER_LOOKS = 5
/** A handshake that hangs takes so many times as long as the slowest of before: a slow device is no crowded one. */
const HANGS_FACTOR = 4
/** So many connections that fail one after another are no chance: where 5 in 100 drop, three do so once in 8000. */
const FAILS_IN_A_ROW = 3
/** Signs of a limit before it is believed. That only one connection can be had keeps specs from running, so it takes one more. */
const SIGNS = 2

/** Whoever acts on what {@link Crowding} sees. */
export interface CrowdingEvents {
  /** The Core may have no room for another connection: close what can be closed. */
  tooMany(): void
  /** The Core takes so many at a time. */
  takes(connections: number): void
}

/**
 * Sees whether a Core takes fewer connections than are opened. The sign is a connection that hangs in its handshake, or fails
 * again and again, while others of ours are open, and comes about once one of them is closed. A Core that is slow or gone
 * shows no such sign.
 */
export class Crowding {
  private readonly open = new Set<Socket>()
  private slowestMs = 0
  /** How many were closed so far. */
  private closed = 0
  private fails = 0
  /** The most that were open while the latest in a row failed, and how many had been closed at the first of them. */
  private failsBeside = 0
  private failsSince = 0
  private readonly signs: number[] = []

  constructor(private readonly events: CrowdingEvents) {}

  /** A connection is about to be opened. */
  opening(): Opening {
    const startMs = performance.now()
    let looks = 0
    let beside = 0
    let closedThen = 0
    const timer = setInterval(() => {
      const hangsMs = this.slowestMs * HANGS_FACTOR
      if (++looks < HANGS_AFTER_LOOKS || performance.now() - startMs < hangsMs || this.open.size === 0) return
      if (beside === 0) closedThen = this.closed
      beside = Math.max(beside, this.open.size)
      this.events.tooMany()
    }, LOOK_MS)
    timer.unref()
    return {
      opened: socket => {
        clearInterval(timer)
        this.opened(socket)
        if (beside > 0) {
          if (this.closed > closedThen) this.sign(beside)
        } else this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs)
      },
      failed: () => {
        clearInterval(timer)
        this.failed()
      },
    }
  }

  private opened(socket: Socket): void {
    const { fails, failsBeside, failsSince } = this
    this.fails = 0
    this.failsBeside = 0
    if (fails >= FAILS_IN_A_ROW && failsBeside > 0 && this.closed > failsSince) this.sign(failsBeside)
    this.open.add(socket)
    socket.once('close', () => {
      if (this.open.delete(socket)) this.closed++
    })
  }

  private failed(): void {
    // Where none is open there is no limit, but nobody there.
    if (this.open.size === 0) {
      this.fails = 0
      this.failsBeside = 0
      return
    }
    if (this.fails++ === 0) this.failsSince = this.closed
    this.failsBeside = Math.max(this.failsBeside, this.open.size)
    if (this.fails >= FAILS_IN_A_ROW) this.events.tooMany()
  }

  private sign(beside: number): void {
    this.signs.push(beside)
    const most = Math.max(...this.signs)
    if (this.signs.length < (most === 1 ? SIGNS + 1 : SIGNS)) return
    this.signs.length = 0
    this.events.takes(most)
  }
}
