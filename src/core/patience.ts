import { duration } from '../duration.js'

/** Says that the run has lost more time to the Core than its patience allows. */
export class OutOfPatience extends Error {}

/**
 * Causes of lost time. `limit`: pauses that the Core asks for, and the pace that stays under its limits. `refusal`:
 * logons that it refuses. `wire`: tries without a whole answer, or with a late one. `gone`: tries that did not reach it.
 */
export type Loss = 'limit' | 'refusal' | 'wire' | 'gone'

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

/** Words for what the lost time was spent on. */
const WORDS: Record<Loss, string> = {
  limit: 'of such pauses',
  refusal: 'of waiting for logons that were refused',
  wire: 'of answers that came late or not whole',
  gone: 'without reaching it',
}

/** Words for what the Core does when patience ends. */
const CAUSES: Record<Loss, string> = {
  limit: 'the Core asks to slow down',
  refusal: 'the Core refuses logons',
  wire: 'answers of the Core come late, or not whole',
  gone: 'the Core cannot be reached any more',
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
      this.end(`${CAUSES[loss]}, now for ${duration(ms)}${this.before()}: that is more than ${this.told()}`)
      this.check()
    }
    this.add(loss, nowMs, nowMs + ms)
  }

  /** Notes time that is lost already or cannot be saved. Ends the run where that is more than the run may lose. */
  lost(loss: Loss, fromMs: number, toMs: number): void {
    if (toMs <= fromMs) return
    this.add(loss, fromMs, toMs)
    if (this.sumMs > this.options.patienceMs)
      this.end(`${CAUSES[loss]}${this.before()}: that is more than ${this.told()}`)
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
    const parts = (Object.keys(WORDS) as Loss[])
      .filter(loss => this.lostMs[loss] >= 1)
      .map(loss => `${duration(this.lostMs[loss])} ${WORDS[loss]}`)
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
