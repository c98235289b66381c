/** Learns how many connections a Core takes. Over 250 lines, since each sign of a crowd counts the same connections. */
import type { Socket } from 'node:net'
import { separate } from './rate-history.js'

/**
 * Time between two looks at a connection that is being opened. Looks are counted, not time, so that a stall of this
 * machine counts as one look.
 */
const LOOK_MS = 100
/** After this many looks a connection hangs. A handshake takes some 10 ms, on small devices some 100 ms. */
const HANGS_AFTER_LOOKS = 5
/**
 * How many times longer than the slowest handshake so far one must take to count as hanging, or the first answer of a connection than
 * these usually do. So a slow device does not look crowded.
 */
const HANGS_FACTOR = 4
/** So many of the latest first answers tell how long one usually takes. */
const FIRST_ANSWERS = 25
/** This many failures in a row are no chance: where 5 in 100 connections drop, three in a row happen once in 8000. */
const FAILS_IN_A_ROW = 3
/**
 * Signs that are needed before a limit is believed. A limit of one connection needs one more, since it keeps specs from
 * running.
 */
const SIGNS = 2
/** So many answers with another connection open show that the Core takes one more: its end may be known here a moment later. */
const MORE = 3

/** A connection that was closed here is still counted by some Cores for about this long. */
const CLOSING_MS = 250
/** How many of the latest tries to connect are remembered. */
const TRIES = 64
/**
 * So many have to fail, and so many to succeed, before a limit is believed for how many were open beside them; twice as many fail where
 * it is a single one. At most so many may contradict it, for each that failed.
 */
const FEWEST_FAILED = 4
const FEWEST_MADE = 6
const CONTRADICTED = 0.1

/** Counts the connections that are opened and closed. */
export interface ConnectionWatch {
  /** A connection is about to be opened. */
  opening(): Opening
  /** A request goes out on this connection. */
  asked(socket: Socket): void
  /** A whole answer came on this connection. */
  answered(socket: Socket): void
}

/** Receives the fate of one connection. */
export interface Opening {
  /** The connection is ready. @param socket emits its end itself */
  opened(socket: Socket): void
  /** The connection was not made. */
  failed(): void
}

/** Receives the findings of {@link Crowding}. */
export interface CrowdingEvents {
  /** The Core may have no room for another connection: close what can be closed. */
  tooMany(): void
  /** The Core takes this many connections at a time. */
  takes(connections: number): void
}

/** A connection on which the first answer is waited for. */
interface Waiting {
  askedMs: number
  /** Since when no connection was closed, in looks and in milliseconds, and how many had been before. */
  looks: number
  sinceMs: number
  closed: number
  /** When it was found to hang, and how many others were open then, each with an answer on it; undefined as long as it does not. */
  hangs?: { ms: number; beside: number }
}

/**
 * Detects that a Core takes fewer connections than the run opens. The sign: a connection hangs in its handshake, or without an
 * answer, or fails again and again, while others of the run are open, and succeeds once one of them is closed. A Core that is slow
 * or gone shows no such sign, nor does one that had more connections open at a time, each with an answer on it.
 */
export class Crowding implements ConnectionWatch {
  private readonly open = new Set<Socket>()
  /** Those of them on which an answer came, and most of those at a time: the Core takes that many. */
  private readonly used = new Set<Socket>()
  private least = 0
  /** How many answers came since with more of them open. */
  private more = 0
  private slowestMs = 0
  /** The connections without an answer so far, and how long the latest first answers took. */
  private readonly waiting = new Map<Socket, Waiting>()
  private readonly tookMs: number[] = []
  private timer: NodeJS.Timeout | undefined
  /** How many connections were closed so far. */
  private closed = 0
  /** The failures in a row, with most connections open during them, and how many were closed before the first. */
  private failing: { times: number; beside: number; closed: number } | undefined
  private readonly signs: number[] = []
  /**
   * The latest tries to connect, each with how many were open then for certain, itself included, and where it failed how many may have
   * been at most.
   */
  private tries: { isServed: boolean; surely: number; use: number }[] = []
  /** How many connections are being opened, and when the latest were closed. */
  private underWay = 0
  private closedMs: number[] = []

  constructor(private readonly events: CrowdingEvents) {}

  opening(): Opening {
    const startMs = performance.now()
    const [surely, most] = [this.open.size, this.mostOpen()]
    this.underWay++
    let looks = 0
    let beside = 0
    let closedThen = 0
    const timer = setInterval(() => {
      const hangsMs = this.slowestMs * HANGS_FACTOR
      if (++looks < HANGS_AFTER_LOOKS || performance.now() - startMs < hangsMs || this.open.size === 0) return
      if (beside === 0) closedThen = this.closed
      beside = Math.max(beside, this.open.size)
      if (beside >= this.least) this.events.tooMany()
    }, LOOK_MS)
    timer.unref()
    return {
      opened: socket => {
        clearInterval(timer)
        this.underWay--
        this.tried(true, Math.min(surely, this.open.size))
        this.opened(socket)
        if (beside > 0) {
          if (this.closed > closedThen) this.sign(beside)
        } else this.slowestMs = Math.max(this.slowestMs, performance.now() - startMs)
      },
      failed: () => {
        clearInterval(timer)
        this.underWay--
        this.tried(false, Math.max(surely, this.open.size), Math.max(most, this.mostOpen()))
        this.failed()
      },
    }
  }

  /** How many may be open for the Core now: also those that are being opened, or were closed a moment ago. */
  private mostOpen(): number {
    const sinceMs = performance.now() - CLOSING_MS
    this.closedMs = this.closedMs.filter(ms => ms >= sinceMs)
    return this.open.size + this.underWay + this.closedMs.length
  }

  /** Notes a try to connect: those that fail may be those beside which as many are open as the Core takes. */
  private tried(isServed: boolean, surely: number, most = surely): void {
    const { tries } = this
    tries.push({ isServed, surely: surely + 1, use: most + 1 })
    if (tries.length > TRIES) tries.shift()
    if (isServed) return
    const uses = tries.map(({ use }) => use)
    const { wrong, most: made } = separate(tries, uses)
    const away = tries.filter(each => !each.isServed)
    const failed = away.filter(each => each.surely > made)
    const takes = Math.min(...failed.map(each => each.surely)) - 1
    const least = takes === 1 ? FEWEST_FAILED * 2 : FEWEST_FAILED
    const isEnough = failed.length >= least && tries.length - away.length >= FEWEST_MADE
    // Where most of them do not show it for certain, the Core may as well be gone.
    const isClear = wrong <= failed.length * CONTRADICTED && failed.length * 2 > away.length
    if (!isEnough || !isClear || takes < Math.max(this.least, 1)) return
    this.tries = []
    this.events.takes(takes)
  }

  private opened(socket: Socket): void {
    const { failing } = this
    this.failing = undefined
    if (failing && failing.times >= FAILS_IN_A_ROW && this.closed > failing.closed) this.sign(failing.beside)
    this.open.add(socket)
    socket.once('close', () => {
      this.waiting.delete(socket)
      this.used.delete(socket)
      if (!this.open.delete(socket)) return
      this.closed++
      this.closedMs.push(performance.now())
    })
  }

  private failed(): void {
    // Where no connection is open there is no limit: nobody answers.
    if (this.open.size === 0) {
      this.failing = undefined
      return
    }
    const { times, beside, closed } = this.failing ?? { times: 0, beside: 0, closed: this.closed }
    this.failing = { times: times + 1, beside: Math.max(beside, this.open.size), closed }
    if (this.failing.times >= FAILS_IN_A_ROW && this.failing.beside >= this.least) this.events.tooMany()
  }

  asked(socket: Socket): void {
    if (!this.open.has(socket) || this.used.has(socket)) return
    const askedMs = performance.now()
    this.waiting.set(socket, { askedMs, looks: 0, sinceMs: askedMs, closed: this.closed })
    this.timer ??= setInterval(() => this.look(), LOOK_MS).unref()
  }

  /** Looks which connections hang without an answer, though others are open that may keep them from one. */
  private look(): void {
    const nowMs = performance.now()
    const beside = this.used.size
    const hangsMs = this.usualMs * HANGS_FACTOR
    let isCrowded = false
    for (const each of this.waiting.values()) {
      // What was closed may have been one that kept it waiting: it is waited for anew.
      if (each.closed !== this.closed) Object.assign(each, { looks: 0, sinceMs: nowMs, closed: this.closed })
      const isLate = ++each.looks >= HANGS_AFTER_LOOKS && nowMs - each.sinceMs >= hangsMs
      if (!isLate || beside < Math.max(this.least, 1)) continue
      each.hangs ??= { ms: nowMs, beside }
      isCrowded = true
    }
    if (isCrowded) this.events.tooMany()
    if (this.waiting.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  /** Notes the first answer of a connection. One that hung, and came as soon as others were closed for it, is a sign. */
  private first({ askedMs, hangs }: Waiting): void {
    const nowMs = performance.now()
    if (hangs && nowMs - hangs.ms <= Math.max(this.usualMs, LOOK_MS) * 2) {
      this.sign(hangs.beside)
      return
    }
    this.tookMs.push(nowMs - askedMs)
    if (this.tookMs.length > FIRST_ANSWERS) this.tookMs.shift()
  }

  /** How long the first answer of a connection usually takes. */
  private get usualMs(): number {
    return [...this.tookMs].sort((a, b) => a - b)[this.tookMs.length >> 1] ?? 0
  }

  answered(socket: Socket): void {
    const waiting = this.waiting.get(socket)
    this.waiting.delete(socket)
    if (waiting) this.first(waiting)
    if (!this.open.has(socket)) return
    this.used.add(socket)
    if (this.used.size <= this.least || ++this.more < MORE) return
    this.least++
    this.more = 0
  }

  private sign(beside: number): void {
    // It took more at a time: what it turned away now has another cause, such as how often one may connect.
    if (beside < this.least) return
    this.signs.push(beside)
    const most = Math.max(...this.signs)
    if (this.signs.length < (most === 1 ? SIGNS + 1 : SIGNS)) return
    this.signs.length = 0
    this.events.takes(most)
  }
}
