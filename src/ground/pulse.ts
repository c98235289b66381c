/** How late this thread does what is due, which nobody can be blamed for but its machine. */

/** How often a pulse beats: a fraction of what can be told as late, and a thread that is at rest takes 0.1 % of a processor for it. */
const EVERY_MS = 20
/** How long a late beat counts. Several turns of a busy thread, so that one turn on time is not taken for rest. */
const SPAN_MS = 1000

/** Beats at an even pace. How late its beats come is how long anything else that becomes due has to wait for its turn. */
export class Pulse {
  private timer: NodeJS.Timeout | undefined
  private dueMs = 0
  private spanEndsMs = 0
  private inSpanMs = 0
  private beforeMs = 0
  private latestMs = 0
  private readonly heard: ((lateMs: number) => void)[] = []

  /** Begins to beat. It keeps no thread alive. */
  start(): void {
    this.spanEndsMs = performance.now() + SPAN_MS
    this.next()
  }

  /** Beats no more. */
  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** Has somebody told of each beat. @param beat is told how late it came, milliseconds */
  on(beat: (lateMs: number) => void): void {
    this.heard.push(beat)
  }

  /** How late the latest beat of the last one to two seconds came, milliseconds. */
  get lateMs(): number {
    return Math.max(this.inSpanMs, this.beforeMs)
  }

  /** How late the latest of all beats came, milliseconds. */
  get mostMs(): number {
    return this.latestMs
  }

  private next(): void {
    this.dueMs = performance.now() + EVERY_MS
    this.timer = setTimeout(() => this.beat(), EVERY_MS).unref()
  }

  private beat(): void {
    const nowMs = performance.now()
    const lateMs = Math.max(0, nowMs - this.dueMs)
    if (nowMs >= this.spanEndsMs) {
      this.beforeMs = this.inSpanMs
      this.inSpanMs = 0
      this.spanEndsMs = nowMs + SPAN_MS
    }
    this.inSpanMs = Math.max(this.inSpanMs, lateMs)
    this.latestMs = Math.max(this.latestMs, lateMs)
    for (const beat of this.heard) beat(lateMs)
    this.next()
  }
}
