/** A pace of what a Core counts, such as its refusals, where nobody knows before which requests will count. Pure. */

/** How much slower than what was seen to be too fast, each time, at least and at most. */
const LEAST_SLOWER = 1.05
const MOST_SLOWER = 1.15
/** After this many at a pace the run tries to go a little faster; where that was too fast, it does so less often. */
const TRIED_FASTER_AFTER = 20
const FASTER = 0.9
/** A pace that differs by less from one that was too fast is not tried. */
const ALIKE = 0.98
const LESS_OFTEN = 3
/** After it was too fast, so many are waited for: the count of the Core is hardly below its most. */
const WAITED_FOR = 4
/** How soon whoever waits for the answers of others looks again. */
export const LOOK_MS = 5

/**
 * Keeps what is counted evenly apart: any count over any span, sliding or by the clock, stays within what this pace gives,
 * and a single one beside.
 */
export class EvenPace {
  private level = 0
  private levelMs = Number.NEGATIVE_INFINITY
  private taken = 0
  private fasterAfter = TRIED_FASTER_AFTER
  /** The pace that went well before it was tried faster; 0 where it was not. */
  private provenMs = 0
  /** The pace that was too fast last; 0 where none was, or where that was long ago. */
  private failedMs = 0

  /** @param spacingMs least time from one to the next */
  constructor(public spacingMs: number) {}

  /** Notes one that was counted. */
  note(nowMs: number): void {
    this.level = this.levelAt(nowMs) + 1
    this.levelMs = nowMs
    if (++this.taken < this.fasterAfter) return
    this.taken = 0
    const nextMs = Math.max(this.spacingMs * FASTER, this.failedMs ? (this.spacingMs + this.failedMs) / 2 : 0)
    if (nextMs > this.spacingMs * ALIKE) {
      this.failedMs = 0
      return
    }
    this.provenMs = this.spacingMs
    this.spacingMs = nextMs
  }

  /** Notes that this pace was too fast. @param spacingMs the pace that explains it; undefined where none does */
  slower(spacingMs: number | undefined): void {
    const { provenMs } = this
    const least = this.spacingMs * LEAST_SLOWER
    this.failedMs = this.spacingMs
    this.spacingMs = provenMs || Math.min(Math.max(spacingMs ?? least, least), this.spacingMs * MOST_SLOWER)
    if (provenMs) this.fasterAfter *= LESS_OFTEN
    this.provenMs = 0
    this.taken = 0
  }

  /** Leaves the Core the time to forget some. */
  settle(nowMs: number): void {
    this.level = WAITED_FOR
    this.levelMs = nowMs
  }

  /** How long that takes. */
  get settlingMs(): number {
    return WAITED_FOR * this.spacingMs
  }

  /**
   * When the next request may be sent.
   * @param underWay how many are not answered yet: each may count
   */
  openAtMs(nowMs: number, underWay: number): number {
    const over = this.levelAt(nowMs) + underWay - 1
    if (over <= 0) return nowMs
    // Most answers come soon, and count for nothing.
    return nowMs + (underWay > 0 ? Math.min(LOOK_MS, over * this.spacingMs) : over * this.spacingMs)
  }

  private levelAt(nowMs: number): number {
    return Math.max(0, this.level - (nowMs - this.levelMs) / this.spacingMs)
  }
}
