import type { Clock } from './clock.js'
import type { DialectSettings, Penalty, Rate } from './dialect.js'

/** Limits how often something happens. */
export class RateLimiter {
  /** When it happened last, oldest first: as often as it may happen in the period. */
  readonly #takenMs: number[] = []
  /** With a burst: when all that happened so far would be over, one after another. */
  #usedUpMs = Number.NEGATIVE_INFINITY

  constructor(
    readonly rate: Rate,
    readonly clock: Clock,
  ) {}

  /**
   * Counts one more, if there is room for it, or if it waits for room.
   *
   * @returns 0, or the milliseconds until there is room
   */
  take(): number {
    const nowMs = this.clock.nowMs()
    const dueMs = Math.max(this.#dueMs(), nowMs)
    if (this.rate.beyond === 'wait') this.#note(dueMs)
    else if (dueMs === nowMs || this.rate.counted === 'all') this.#note(nowMs)
    return dueMs - nowMs
  }

  #dueMs(): number {
    const { count, perMs, burst, window } = this.rate
    if (window === 'fixed') {
      const beganMs = Math.floor(this.clock.nowMs() / perMs) * perMs
      return this.#takenMs.filter(ms => ms >= beganMs).length < count ? beganMs : beganMs + perMs
    }
    if (burst !== undefined) return this.#usedUpMs - (burst * perMs) / count
    const [oldestMs] = this.#takenMs
    return oldestMs === undefined || this.#takenMs.length < count ? Number.NEGATIVE_INFINITY : oldestMs + perMs
  }

  #note(atMs: number): void {
    const { count, perMs } = this.rate
    this.#usedUpMs = Math.max(this.#usedUpMs, atMs) + perMs / count
    this.#takenMs.push(atMs)
    if (this.#takenMs.length > count) this.#takenMs.shift()
  }
}

/** Punishes what happens too often: for a while, something else is not served. */
export class PenaltyBox {
  #notedMs: number[] = []
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(
    readonly penalty: Penalty,
    readonly clock: Clock,
  ) {}

  /** Notes that it happened. */
  note(): void {
    const { count, perMs, forMs } = this.penalty
    const nowMs = this.clock.nowMs()
    this.#notedMs.push(nowMs)
    if (this.#notedMs.length > count) this.#notedMs.shift()
    const [firstMs = nowMs] = this.#notedMs
    if (this.#notedMs.length < count || nowMs - firstMs >= perMs) return
    this.#untilMs = nowMs + forMs
    this.#notedMs = []
  }

  /** Returns for how long the penalty lasts, in milliseconds; 0 for none. */
  leftMs(): number {
    return Math.max(this.#untilMs - this.clock.nowMs(), 0)
  }
}

/** Counts what the limits of a device speak of. */
export class Use {
  readonly requests: RateLimiter | undefined
  readonly logons: RateLimiter | undefined
  /** Refusals, and the ban that follows too many. */
  readonly ban: PenaltyBox | undefined
  /** Wrong logons, and the lock-out that follows too many. */
  readonly lockOut: PenaltyBox | undefined
  /** When the last logon so far will be worked out. */
  #workedOutMs = Number.NEGATIVE_INFINITY
  /** The requests of each connection. */
  readonly #onConnection = new WeakMap<object, number>()

  constructor(
    { limits, logon }: DialectSettings,
    readonly clock: Clock,
    readonly logonMs = logon.takesMs ?? 0,
  ) {
    this.requests = limits.requests && new RateLimiter(limits.requests, clock)
    this.logons = limits.logons && new RateLimiter(limits.logons, clock)
    this.ban = limits.refusals && new PenaltyBox(limits.refusals, clock)
    this.lockOut = limits.wrongLogons && new PenaltyBox(limits.wrongLogons, clock)
  }

  /** Works out one more logon, after those before it. @returns the milliseconds until that is done */
  workOut(): number {
    const nowMs = this.clock.nowMs()
    this.#workedOutMs = Math.max(this.#workedOutMs, nowMs) + this.logonMs
    return this.#workedOutMs - nowMs
  }

  /** Counts one more request of a connection. @returns how many it has had */
  countOn(connection: object): number {
    const requests = (this.#onConnection.get(connection) ?? 0) + 1
    this.#onConnection.set(connection, requests)
    return requests
  }
}
