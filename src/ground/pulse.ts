/** Measures how late this thread does what is due. Only its machine is to blame for that. */

/** Time between beats: a fraction of a delay that counts. On an idle thread the beats take 0.1 % of a processor. */
const EVERY_MS = 20
/**
 * How long a late beat counts: several turns of a busy thread, so that a single turn on time does not pass for
 * idleness.
 */
const SPAN_MS = 1000

/** Beats at an even pace. A beat is as late as anything else that becomes due. */
export class Pulse {
  private timer: NodeJS.Timeout | undefined
  private dueMs = 0
  private spanEndsMs = 0
  private inSpanMs = 0
  private beforeMs = 0
  private readonly heard: ((lateMs: number) => void)[] = []

  /** Begins to beat. It does not keep the process alive. */
  start(): void {
    this.spanEndsMs = performance.now() + SPAN_MS
    this.next()
  }

  /** Stops beating. */
  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  /** Adds a listener for each beat. @param beat receives how late the beat came, in milliseconds */
  on(beat: (lateMs: number) => void): void {
    this.heard.push(beat)
  }

  /** Largest delay of a beat in the last one to two seconds, in milliseconds. */
  get lateMs(): number {
    return Math.max(this.inSpanMs, this.beforeMs)
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
    for (const beat of this.heard) beat(lateMs)
    this.next()
  }
}
