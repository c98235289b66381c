/** Who of many Cores is begun when. */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** Often enough that a lab of 200 begins within half a minute where nothing holds it up. */
const EVERY_MS = 100
/**
 * A part of the time that this process was at work. Beyond it, what one more Core sends would wait for its turn here, and the
 * Cores would be seen to be slower than they are.
 */
const BUSY = 0.75

/**
 * Lets Cores begin one after another: so many at a time at the most, and only while this process has time for one more. The
 * waits, which take most of a run, overlap all the same.
 */
export class Gate {
  private underWay = 0
  private last = performance.eventLoopUtilization()

  /** @param most how many may be under way at a time */
  constructor(private readonly most: number) {}

  /**
   * Waits until the next may begin; at once where none is under way. Whoever came in calls {@link leave}.
   * @returns whether it may; not, once the signal is aborted
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      if (this.underWay === 0 || (this.underWay < this.most && this.hasTime())) {
        this.underWay++
        return true
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  leave(): void {
    this.underWay--
  }

  private hasTime(): boolean {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, this.last)
    this.last = now
    return utilization < BUSY
  }
}
