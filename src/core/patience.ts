import { duration } from '../duration.js'

/** This run has waited for the Core for longer than it is ready to. */
export class OutOfPatience extends Error {}

/**
 * What a run loses time to: pauses that the Core asks for, and the pace that keeps under its limits; logons that it refuses;
 * tries that got no whole answer, or got it late.
 */
export type Loss = 'limit' | 'refusal' | 'wire'

/** What {@link Patience} needs of the run. */
export interface PatienceOptions {
  /** The clock of the run, in milliseconds. */
  now: () => number
  /** Milliseconds that a run may lose in all. */
  patienceMs: number
  /** How messages call the setting that says so; absent: there is none. */
  setting?: string
  /** Told once, with the reason, when the run loses more. */
  over?: (reason: string) => void
}

/** What was being done in some time that was lost, as a message says it. */
const WORDS: Record<Loss, string> = {
  limit: 'of such pauses',
  refusal: 'of waiting for logons that were refused',
  wire: 'of answers that came late or not whole',
}

/** What the Core does when patience ends. */
const CAUSES: Record<Loss, string> = {
  limit: 'the Core asks to slow down',
  refusal: 'the Core refuses logons',
  wire: 'answers of the Core come late, or not whole',
}

/**
 * Bounds a run: all the time that it loses to a Core that limits, refuses, hangs or breaks off. What several connections lose
 * at the same time counts once, so that it is the time of whoever waits for the run.
 */
export class Patience {
  /** What was lost, apart from each other and in order. */
  private readonly spans: { fromMs: number; toMs: number }[] = []
  private readonly lostMs: Record<Loss, number> = { limit: 0, refusal: 0, wire: 0 }
  private reason: string | undefined

  constructor(private readonly options: PatienceOptions) {}

  /** Whether the run has lost more than it may, or was {@link end}ed. */
  get isOver(): boolean {
    return this.reason !== undefined
  }

  /** Milliseconds that were lost to limits, as far as nothing else was in the way then. */
  get limitMs(): number {
    return this.lostMs.limit
  }

  /** @throws OutOfPatience where it {@link isOver} */
  check(): void {
    if (this.reason !== undefined) throw new OutOfPatience(this.reason)
  }

  /**
   * Notes a pause that begins now.
   * @throws OutOfPatience where it is longer than what is left; such a pause is not to be begun
   */
  pause(loss: Loss, ms: number): void {
    this.check()
    const nowMs = this.options.now()
    const moreMs = this.uncovered(nowMs, nowMs + ms)
    if (this.sumMs + moreMs > this.options.patienceMs) {
      this.end(`${CAUSES[loss]}, now for ${duration(ms)}${this.before()}: that is more than ${this.told()}`)
      this.check()
    }
    this.add(loss, nowMs, nowMs + ms)
  }

  /** Notes time that is lost whatever is done now. Ends the run where that is more than it may lose. */
  lost(loss: Loss, fromMs: number, toMs: number): void {
    if (toMs <= fromMs) return
    this.add(loss, fromMs, toMs)
    if (this.sumMs > this.options.patienceMs)
      this.end(`${CAUSES[loss]}${this.before()}: that is more than ${this.told()}`)
  }

  /** Ends the run for this reason. The first counts. */
  end(reason: string): void {
    if (this.isOver) return
    this.reason = reason
    this.options.over?.(reason)
  }

  private get sumMs(): number {
    return this.lostMs.limit + this.lostMs.refusal + this.lostMs.wire
  }

  private before(): string {
    const parts = (Object.keys(WORDS) as Loss[])
      .filter(loss => this.lostMs[loss] >= 1)
      .map(loss => `${duration(this.lostMs[loss])} ${WORDS[loss]}`)
    return parts.length ? `, after ${parts.join(', ')}` : ''
  }

  private told(): string {
    const { patienceMs, setting } = this.options
    return `the patience of this run (${setting === undefined ? '' : `${setting} `}${duration(patienceMs)})`
  }

  /** How much of this time was not lost before. */
  private uncovered(fromMs: number, toMs: number): number {
    const covered = this.spans.map(span => Math.max(0, Math.min(toMs, span.toMs) - Math.max(fromMs, span.fromMs)))
    return toMs - fromMs - covered.reduce((sum, ms) => sum + ms, 0)
  }

  private add(loss: Loss, fromMs: number, toMs: number): void {
    this.lostMs[loss] += this.uncovered(fromMs, toMs)
    const apart = this.spans.filter(span => span.toMs < fromMs || span.fromMs > toMs)
    const joined = this.spans.filter(span => !apart.includes(span))
    const whole = {
      fromMs: Math.min(fromMs, ...joined.map(span => span.fromMs)),
      toMs: Math.max(toMs, ...joined.map(span => span.toMs)),
    }
    // What is long over is in the sums, and nothing that comes can begin before it.
    this.spans.splice(0, this.spans.length, ...[...apart, whole].slice(-REMEMBERED))
  }
}

/** More than the connections of a run, each of which may end a try that began before the others. */
const REMEMBERED = 64
