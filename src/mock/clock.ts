/** About 3 000 years. Far beyond it, a floating-point clock would lose milliseconds. */
const FURTHEST_MS = 1e14

/** A clock that never goes back. */
export interface Clock {
  /** Milliseconds since a fixed moment. */
  nowMs(): number
}

/** The clock of a mock Core: real monotonic time since its start, multiplied by its scale, plus every advance. */
export class MockClock implements Clock {
  readonly #startMs = performance.now()
  #advancedMs = 0

  /** @param scale speed relative to real time */
  constructor(readonly scale = 1) {}

  /** Returns milliseconds since the start, on this clock. */
  nowMs(): number {
    return (performance.now() - this.#startMs) * this.scale + this.#advancedMs
  }

  /**
   * Advances the clock without waiting.
   *
   * @param ms how far to advance, 0 or more
   * @returns the new `nowMs()`
   * @throws RangeError with a sentence for people when `ms` is negative or not finite, or when the clock would go beyond
   * some 3 000 years
   */
  advance(ms: number): number {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError('"ms" must be a finite number, 0 or more')
    if (this.nowMs() + ms > FURTHEST_MS) throw new RangeError(`"ms" takes the clock further than ${FURTHEST_MS} ms`)
    this.#advancedMs += ms
    return this.nowMs()
  }
}
