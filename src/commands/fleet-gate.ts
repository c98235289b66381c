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
        return true
      }
      await sleep(EVERY_MS, undefined, { signal }).catch(() => {})
    }
  }

  leave(): void {
    this.underWay--
  }
}
