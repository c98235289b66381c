/** Decides when each Core of a fleet may begin. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Pause between two looks for room, in milliseconds. If nothing holds it up, a lab of 200 Cores begins within half a minute. */
const EVERY_MS = 100

/**
 * Lets Cores begin one after another. A Core begins only while fewer than the allowed number are under way and there is room
 * for one more. The waits, which take most of a run, overlap all the same.
 */
export class Gate {
  private underWay = 0
  /** The greatest number of Cores that were under way at the same time. */
  peak = 0
  /** How long Cores were held up only for want of room, in milliseconds. */
  heldMs = 0

  /**
   * @param most how many Cores may be under way at a time
   * @param hasRoom returns whether there is room for one more Core
   */
  constructor(
    private readonly most: number,
    private readonly hasRoom: () => boolean,
  ) {}

  /**
   * Waits until the next Core may begin. The caller calls {@link leave} when that Core has ended.
   * @returns whether the Core may begin; false once the signal is aborted
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

  /** Says that a Core has ended. */
  leave(): void {
    this.underWay--
  }
}
