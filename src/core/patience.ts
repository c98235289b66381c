import { duration } from '../duration.js'

/** Says that the run has lost more time to the Core than its patience allows. */
export class OutOfPatience extends Error {}

/** Causes of lost time, each with words for what the time was spent on, and for what the Core does when patience ends. */
const LOSSES = {
  /** Pauses that the Core asks for, and the pace that stays under its limits. */
  limit: { spent: 'of such pauses', cause: 'the Core asks to slow down' },
  /** Logons that it refuses. */
  refusal: { spent: 'of waiting for logons that were refused', cause: 'the Core refuses logons' },
  /** Tries without a whole answer, or with a late one. */
  wire: {
    spent: 'of answers that came late or not whole',
    cause: 'answers of the Core come late, or not whole',
  },
  /** Tries that did not reach it. */
  gone: { spent: 'without reaching it', cause: 'the Core cannot be reached any more' },
}
/** See {@link LOSSES}. */
export type Loss = keyof typeof LOSSES

/** Settings of {@link Patience}. */
export interface PatienceOptions {
  /** The clock of the run, in milliseconds. */
  now: () => number
  /** Most time that a run may lose in all, in milliseconds. */
  patienceMs: number
  /** Name of the setting in messages; absent: there is no such setting. */
  setting?: string | undefined
  /** Called once, with the reason, when the run loses more than that. */
  over?: (reason: string) => void
}

/**
 * Limits the time that a run loses to a Core that limits, refuses, hangs or breaks off. Time that several connections
 * lose at once counts once: it is the time that the user waits.
 */
export class Patience {
  /** Lost spans of time, in order and without overlap. */
  private readonly spans: { fromMs: number; toMs: number }[] = []
  private readonly lostMs: Record<Loss, number> = { limit: 0, refusal: 0, wire: 0, gone: 0 }
  private reason: string | undefined

  constructor(private readonly options: PatienceOptions) {}

  /** Whether the run has lost more time than it may, or was ended by {@link end}. */
  get isOver(): boolean {
    return this.reason !== undefined
  }

  /** Milliseconds lost to limits alone. */
  get limitMs(): number {
    return this.lostMs.limit
  }

  /** Milliseconds that may still be lost. */
  get leftMs(): number {
    return this.options.patienceMs - this.sumMs
  }

  /** @throws OutOfPatience where patience {@link isOver} */
  check(): void {
    if (this.reason !== undefined) throw new OutOfPatience(this.reason)
  }

  /**
   * Notes a pause that begins now.
   * @throws OutOfPatience where the pause is longer than the patience that is left; then do not begin it
   */
  pause(loss: Loss, ms: number): void {
    this.check()
    const nowMs = this.options.now()
    const moreMs = this.uncovered(nowMs, nowMs + ms)
    if (this.sumMs + moreMs > this.options.patienceMs) {
      this.end(`${LOSSES[loss].cause}, now for ${duration(ms)}${this.before()}: that is more than ${this.told()}`)
      this.check()
    }
    this.add(loss, nowMs, nowMs + ms)
  }

  /** Notes time that is lost already or cannot be saved. Ends the run where that is more than the run may lose. */
  lost(loss: Loss, fromMs: number, toMs: number): void {
    if (toMs <= fromMs) return
    this.add(loss, fromMs, toMs)
    if (this.sumMs > this.options.patienceMs)
      this.end(`${LOSSES[loss].cause}${this.before()}: that is more than ${this.told()}`)
  }

  /** Ends the run for this reason. Only the first reason counts. */
  end(reason: string): void {
    if (this.isOver) return
    this.reason = reason
    this.options.over?.(reason)
  }

  private get sumMs(): number {
    return Object.values(this.lostMs).reduce((sum, ms) => sum + ms)
  }

  private before(): string {
    const parts = (Object.keys(LOSSES) as Loss[])
      .filter(loss => this.lostMs[loss] >= 1)
      .map(loss => `${duration(this.lostMs[loss])} ${LOSSES[loss].spent}`)
    return parts.length ? `, after ${parts.join(', ')}` : ''
  }

  private told(): string {
    const { patienceMs, setting } = this.options
    return `the patience of this run (${setting === undefined ? '' : `${setting} `}${duration(patienceMs)})`
  }

  /** Returns how much of this span was not counted as lost before. */
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
    // Spans of long ago are in the sums already. No later span can begin before them.
    this.spans.splice(0, this.spans.length, ...[...apart, whole].slice(-REMEMBERED))
  }
}

/** More than a run has connections. Each of them may end a try that began before the others. */
const REMEMBERED = 64
