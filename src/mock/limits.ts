import type { Clock } from './clock.js'
import type { LogonRate } from './dialect.js'

/** Counts the logons of the last while, for a Core that takes only so many. */
export class LogonLimiter {
  /** When each logon was taken, oldest first; none older than the while. */
  readonly #takenMs: number[] = []

  constructor(
    readonly rate: LogonRate,
    readonly clock: Clock,
  ) {}

  /** Takes one more logon. @returns 0, or the seconds after which it may be tried again, rounded up */
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
