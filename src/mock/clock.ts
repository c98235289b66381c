/** About 3 000 years. Far beyond it, a floating-point clock would lose milliseconds. */
const FURTHEST_MS = 1e14

/** A clock that never goes back. */
export interface Clock {
  /** Milliseconds since a fixed moment. */
  nowMs(): number
}

/** A clock on which one can wait. */
export interface Timer extends Clock {
  /**
   * Calls back once so much time has passed on this clock.
   *
   * @returns takes that back
   */
  after(ms: number, call: () => void): () => void
}

/** Longest timer of Node, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** The clock of a mock Core: real monotonic time since its start, multiplied by its scale, plus every advance. */
export class MockClock implements Timer {
  readonly #startMs = performance.now()
  #advancedMs = 0
  /** Each looks whether its moment has come. */
  readonly #waiting = new Set<() => void>()

  /** @param scale speed relative to real time */
  constructor(readonly scale = 1) {}

  nowMs(): number {
    return (performance.now() - this.#startMs) * this.scale + this.#advancedMs
  }

  /** See `MockActions`. @throws RangeError also when the clock would go beyond some 3 000 years */
  advance(ms: number): number {
    if (!Number.isFinite(ms) || ms < 0) throw new RangeError('"ms" must be a finite number, 0 or more')
    if (this.nowMs() + ms > FURTHEST_MS) throw new RangeError(`"ms" takes the clock further than ${FURTHEST_MS} ms`)
    this.#advancedMs += ms
    for (const look of [...this.#waiting]) look()
    return this.nowMs()
  }

  after(ms: number, call: () => void): () => void {
    const dueMs = this.nowMs() + ms
    let timer: NodeJS.Timeout | undefined
    const forget = () => {
      clearTimeout(timer)
      this.#waiting.delete(look)
    }
    const look = () => {
      clearTimeout(timer)
      const leftMs = dueMs - this.nowMs()
      if (leftMs > 0) timer = setTimeout(look, Math.min(leftMs / this.scale, LONGEST_TIMER_MS))
      else {
        forget()
        call()
      }
    }
    this.#waiting.add(look)
    look()
    return forget
  }
}
