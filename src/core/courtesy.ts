/** Orders the requests of a thread that talks to many Cores: requests that can wait let the others go first. */

/** Requests that may be under way at first: more than one Core has at a time. */
const FIRST_MOST = 16
/** Fewest requests: steps sent at the same time have to be, and each Core has to make progress. */
const FEWEST = 4
/** Most requests: 200 Cores with 5 connections each. The thread never delays so many. */
const MOST = 1024
/** A request without an answer for this long does not delay others any more: its Core is slow, not this machine. */
const HELD_MS = 250
/**
 * Longest delay of a beat. A request that may not be late takes some five turns of the thread: the connection, two for
 * TLS, the request and its answer. It has at least 300 ms of room (`roomMs` of the engine), so a turn must not take
 * longer than this.
 */
const LATE_MS = 50
/** Delay that a beat of an idle thread may have by chance. */
const ON_TIME_MS = 20
/** Number of beats after which the capacity is adjusted. */
const BEATS = 10
const FEWER = 0.7
const MORE = 1.2

/**
 * Limits the requests that can wait to as many as the thread has time for. So urgent requests are in time, such as a
 * look at a token before it may expire. All Cores of a thread share one: the hundreds of quick requests of one Core
 * make the looks at another late.
 */
export class Courtesy {
  /** Most requests that may be under way now. */
  capacity = FIRST_MOST
  private inside = 0
  private beats = 0
  private worstMs = 0
  private isWanted = false
  private readonly queue: (() => void)[] = []

  /** Notes a beat of the thread. @param lateMs how late the beat came */
  beat(lateMs: number): void {
    this.worstMs = Math.max(this.worstMs, lateMs)
    if (++this.beats < BEATS) return
    const { worstMs } = this
    this.beats = 0
    this.worstMs = 0
    // With none of these requests under way, they cannot be the cause of a late beat.
    if (worstMs > LATE_MS && this.inside > 0) this.capacity = Math.max(FEWEST, Math.floor(this.capacity * FEWER))
    else if (worstMs < ON_TIME_MS && this.isWanted) this.capacity = Math.min(MOST, Math.ceil(this.capacity * MORE))
    this.isWanted = this.queue.length > 0
    this.serve()
  }

  /**
   * Waits until a request that can wait may be sent: first come, first served.
   * @returns a function to call when it was answered
   */
  async enter(): Promise<() => void> {
    if (this.inside >= this.capacity || this.queue.length > 0) {
      this.isWanted = true
      await new Promise<void>(resolve => {
        this.queue.push(resolve)
      })
    } else this.inside++
    let isInside = true
    const leave = () => {
      clearTimeout(timer)
      if (!isInside) return
      isInside = false
      this.inside--
      this.serve()
    }
    const timer = setTimeout(leave, HELD_MS)
    return leave
  }

  private serve(): void {
    while (this.inside < this.capacity && this.queue.length > 0) {
      this.inside++
      this.queue.shift()?.()
    }
  }
}
