/** Who goes first where one thread talks with many Cores. */

/** So many requests that can wait are under way at first: more than one Core is sent at a time. */
const FIRST_MOST = 16
/** Never fewer: what is sent at the same time on purpose is to be, and each Core is to get on. */
const FEWEST = 4
/** With so many under way, the thread is never what holds them up: 200 Cores of 5 connections. */
const MOST = 1024
/** A request that is answered later than this does not keep others from going: its Core is slow, not this machine. */
const HELD_MS = 250
/**
 * What may not be late takes some five turns of the thread: the connection, two for TLS, the request and its answer. It has 300 ms
 * of room at the least (`roomMs` of the engine), so that a turn must not take longer than this.
 */
const LATE_MS = 50
/** At rest, a thread has beats that come so late by chance. */
const ON_TIME_MS = 20
/** After so many beats it is seen whether there are to be more or fewer. */
const BEATS = 10
const FEWER = 0.7
const MORE = 1.2

/**
 * Lets requests that can wait go as many at a time as the thread has time for, so that those that cannot wait (a token is to be
 * looked at before it may have expired) are in time. All Cores of a thread share one: the one's hundreds of quick requests
 * are what makes the other's look late.
 */
export class Courtesy {
  private most = FIRST_MOST
  private inside = 0
  private beats = 0
  private worstMs = 0
  private isWanted = false
  private readonly queue: (() => void)[] = []

  /** How many of those that can wait may be under way at a time now. */
  get capacity(): number {
    return this.most
  }

  /** Told of each beat of the thread. @param lateMs how late it came */
  beat(lateMs: number): void {
    this.worstMs = Math.max(this.worstMs, lateMs)
    if (++this.beats < BEATS) return
    const { worstMs } = this
    this.beats = 0
    this.worstMs = 0
    // With nothing of ours under way, whatever made it late is no matter of ours.
    if (worstMs > LATE_MS && this.inside > 0) this.most = Math.max(FEWEST, Math.floor(this.most * FEWER))
    else if (worstMs < ON_TIME_MS && this.isWanted) this.most = Math.min(MOST, Math.ceil(this.most * MORE))
    this.isWanted = this.queue.length > 0
    this.serve()
  }

  /**
   * Waits until something that can wait may be sent: first come, first served.
   * @returns what to call when it has been answered
   */
  async enter(): Promise<() => void> {
    if (this.inside >= this.most || this.queue.length > 0) {
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
    while (this.inside < this.most && this.queue.length > 0) {
      this.inside++
      this.queue.shift()?.()
    }
  }
}
