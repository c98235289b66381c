/** Some 3 000 years. Far beyond, a clock that is a floating-point number would begin to lose milliseconds. */
const FURTHEST_MS = 1e14

/** Tells milliseconds since some fixed moment; never goes back. */
export interface Clock {
  nowMs(): number
}

/** The clock of a mock Core: real monotonic time since its start, times its scale, plus what it was advanced by. */
export class MockClock implements Clock {
  readonly #startMs = performance.now()
  #advancedMs = 0

  /** @param scale how many times as fast as real time it runs */
  constructor(readonly scale = 1) {}

  /** Milliseconds since the start, as this clock sees it. */
  nowMs(): number {
    return (performance.now() - this.#startMs) * this.scale + this.#advancedMs
  }

  /**
   * Lets time pass without waiting.
   *
   * @param ms how much, 0 or more
   * @returns the new `nowMs()`
   * @throws RangeError with a sentence for people when `ms` is not a finite number from 0 up, or the clock would go
   * further than some 3 000 years
   */
  advance(ms: number): number {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError('"ms" must be a finite number, 0 or more')
    if (this.nowMs() + ms > FURTHEST_MS) throw new RangeError(`"ms" takes the clock further than ${FURTHEST_MS} ms`)
    this.#advancedMs += ms
    return this.nowMs()
  }
}
