/** Who of many Cores is begun when. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Often enough that a lab of 200 begins within half a minute where nothing holds it up. */
const EVERY_MS = 100

/**
 * Lets Cores begin one after another: so many at a time at the most, and only while there is room for one more. The waits, which
 * take most of a run, overlap all the same.
 */
export class Gate {
  private underWay = 0
  /** How many were under way at the same time, at the most. */
  peak = 0
  /** How long Cores were held up for want of room alone, though so many were allowed: milliseconds. */
  heldMs = 0

  /**
   * @param most how many may be under way at a time
   * @param hasRoom whether one more can be carried
   */
  constructor(
    private readonly most: number,
    private readonly hasRoom: () => boolean,
  ) {}

  /**
   * Waits until the next may begin. Whoever came in calls {@link leave}.
   * @returns whether it may; not, once the signal is aborted
   */
  async enter(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false
      const hasRoom = this.hasRoom()
      if (this.underWay === 0 || (this.underWay < this.most && hasRoom)) {
        this.underWay++
        this.peak = Math.max(this.peak, this.underWay)
        return true
      }
      const isHeld = this.underWay < this.most
      const sinceMs = performance.now()
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
      if (isHeld) this.heldMs += performance.now() - sinceMs
    }
  }

  leave(): void {
    this.underWay--
  }
}
