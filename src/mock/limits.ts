import type { Clock } from './clock.js'
import type { LogonRate } from './dialect.js'

/** Limits the logons per period. */
export class LogonLimiter {
  /** The times of the logons in the latest period, oldest first. */
  readonly #takenMs: number[] = []

  constructor(
    readonly rate: LogonRate,
    readonly clock: Clock,
  ) {}

  /** Counts one more logon, if there is room. @returns 0, or the seconds until the next free place, rounded up */
  take(): number {
    const { count, perMs } = this.rate
    const nowMs = this.clock.nowMs()
    while ((this.#takenMs[0] ?? Number.POSITIVE_INFINITY) <= nowMs - perMs) this.#takenMs.shift()
    const oldestMs = this.#takenMs[0]
    if (oldestMs !== undefined && this.#takenMs.length >= count) return Math.ceil((oldestMs + perMs - nowMs) / 1_000)
    this.#takenMs.push(nowMs)
    return 0
  }
}
