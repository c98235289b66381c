/** One limit of a Core, as learned from what it served and what it turned away. */
import { count } from '../ground/count.js'
import { type Fit, RateHistory } from './rate-history.js'

/**
 * Bounds of the time span in which a limit counts requests. The span is the pause that the Core asks for, in whole
 * seconds, within these bounds.
 */
export const SHORTEST_SPAN_MS = 1000
const LONGEST_SPAN_MS = 10_000
/** How much slower than a limit the run goes. The clocks and the time on the way vary. */
const SLOWER = 1.05
/** A pace learnt from fewer requests is a guess. */
export const FEW = 3
/**
 * After this many requests let through in a row the run tries to go a little faster; where that is refused, the number
 * doubles. So a belief that is wrong is given up, and with a real limit such tries are so rare that they do not matter.
 */
const TRIED_FASTER_AFTER = 4
const MOST_BEFORE_FASTER = 512
const FASTER = 0.8
/** Most by which the first refusal in a row slows the run down, where it had a pace already. */
const MOST_SLOWER = 1.5
/** So many requests let through in a row show that a pace goes well, and so many refusals in a row that it does no more. */
const STEADY = 40
const STEADY_UNTIL = 4
/** Where so many are let through before a faster try, the pace is known well. */
const LONG = 128
/** A rate that explains what was turned away, and differs by more from what was served, is that of a burst. */
const ALIKE = 0.4
/** A spacing below this slows nobody down. */
const NO_PACE_MS = 20

/** So many less than a burst are sent at once. */
const KEPT_BACK = 2
/** The part of what a limit counts that may be sent before its time, since the pace is so much slower. */
const SPARE = (SLOWER - 1) * 0.8

/** The part of a {@link Limit} that a refusal changes. */
export type Belief = Pick<Limit, 'spacingMs' | 'credit' | 'fasterAfter' | 'refusals'>

/** One limit of the Core, with the pace that keeps under it. */
export class Limit {
  /** Nothing is sent before this time. */
  openAtMs = 0
  /** When the next request would be sent if all had been sent at this pace, without the credit. */
  private pacedMs = 0
  /** How many requests may be sent before their time at this pace: what was sent late, or a burst that the Core takes. */
  credit = 0
  private mostCredit = Number.POSITIVE_INFINITY
  /** Least time between two requests; 0 where there is no limit. */
  spacingMs = 0
  /** Requests let through since the pace last changed. */
  takenInARow = 0
  /** The spacing before a faster try: so many requests were let through at it that it is right; 0 for none. */
  provenMs = 0
  /** How many of them are let through before a faster try. */
  fasterAfter = TRIED_FASTER_AFTER
  refusals = 0
  /** Requests without an answer, where this limit explains that. */
  drops = 0
  /** How often answers waited for each other. */
  delays = 0
  /** The slowest pace that is known to go well: many requests in a row were let through at it; 0 where none is. */
  steadyMs = 0
  /** How long nothing was sent after the last refusal, where the Core did not say. */
  pausedMs = 0
  /** Refusals since the last request let through. */
  inARow = 0
  /** When the pace last changed. Requests sent before that say nothing about the new pace. */
  changedAtMs = Number.NEGATIVE_INFINITY
  readonly history = new RateHistory()

  /** When the next request may be sent at this pace. */
  get nextAtMs(): number {
    return this.pacedMs - this.credit * this.spacingMs
  }

  /** Notes that a request is admitted now. */
  admitted(nowMs: number): void {
    if (this.spacingMs) this.pacedMs = Math.max(this.pacedMs, nowMs) + this.spacingMs
  }

  /** Notes that a request that was {@link admitted} goes out now: to connect may have taken a while. */
  sent(nowMs: number): void {
    if (this.spacingMs) this.pacedMs = Math.max(this.pacedMs, nowMs + this.spacingMs)
  }

  /** Lets nothing go before this time, and no burst then. */
  close(untilMs: number): void {
    this.openAtMs = Math.max(this.openAtMs, untilMs)
    this.pacedMs = this.openAtMs + this.credit * this.spacingMs
  }

  /** How many requests a second the Core takes, as far as the history tells. */
  get rate(): number {
    const { history } = this
    const seen = Math.max(history.throughput(true), history.throughput(false)) || 1000 / this.spacingMs
    const rate = history.fit(undefined, this.drops > 0)?.rate ?? seen
    return Math.abs(rate / seen - 1) < ALIKE ? rate : seen
  }

  /** Notes a request that was served. @param sentMs when it was sent */
  note(sentMs: number): void {
    this.history.note(sentMs, true, this.spacingMs)
    this.sent(sentMs)
  }

  /** Notes a request of its own that was served, and goes faster after some of them. @param sentMs when it was sent */
  taken(sentMs: number): void {
    this.note(sentMs)
    this.inARow = 0
    this.takenInARow++
    if (this.takenInARow >= STEADY) this.steadyMs = this.spacingMs
    // A pace that was found again and again, and went well, is tried again soon.
    const isSlowed = this.fasterAfter >= LONG && this.steadyMs > 0 && this.spacingMs > this.steadyMs
    const after = isSlowed ? Math.min(this.fasterAfter, STEADY / 2) : this.fasterAfter
    if (this.spacingMs === 0 || this.takenInARow < after) return
    this.takenInARow = 0
    this.provenMs = this.spacingMs
    this.spacingMs = isSlowed ? this.steadyMs : this.spacingMs * FASTER
    if (this.spacingMs < NO_PACE_MS) this.spacingMs = 0
  }

  /** The limit that explains the latest refusals. Where the run has no pace, those of long ago tell of one, too. */
  private fit(): Fit | undefined {
    return this.history.fit() ?? (this.spacingMs ? undefined : this.history.fit(undefined, true))
  }

  /** Learns the pace from answers that waited for each other. @param spacingMs the time that the Core takes for each */
  delayed(spacingMs: number): void {
    this.delays++
    this.mostCredit = 0
    this.credit = 0
    if (this.provenMs > 0) this.fasterAfter = Math.min(this.fasterAfter * 2, MOST_BEFORE_FASTER)
    this.takenInARow = 0
    this.provenMs = 0
    this.spacingMs = Math.max(this.spacingMs, spacingMs * SLOWER)
  }

  /**
   * Learns the pace from a request that was turned away, as its history holds.
   * @param askedMs how long the Core asks to wait; absent where it does not say
   * @param fit what explains what was turned away; undefined where nothing does
   */
  slowDown(nowMs: number, askedMs = SHORTEST_SPAN_MS, fit: Fit | undefined = this.fit()): void {
    const rate = fit?.rate
    this.inARow++
    // A burst that may have been too long is not tried again. What gets no answer costs more than a burst gains.
    if (this.credit >= 1 && !this.provenMs) this.mostCredit = this.credit / 2
    if (this.drops > 0) this.mostCredit = 0
    const found = fit ? Math.max(fit.burst - 1 - KEPT_BACK, fit.counted * SPARE) : this.credit
    this.credit = Math.min(found, this.mostCredit)
    const spanMs = askedMs < SHORTEST_SPAN_MS * 2 ? SHORTEST_SPAN_MS : Math.min(askedMs, LONGEST_SPAN_MS)
    if (this.provenMs > 0) this.fasterAfter = Math.min(this.fasterAfter * 2, MOST_BEFORE_FASTER)
    this.takenInARow = 0
    this.changedAtMs = nowMs
    // What is refused right after another shows that the pause was too short, where the pace is known.
    const isPause = this.inARow > 1 && this.steadyMs > 0
    // A pace that was given up as no pace is taken up again.
    const slowerMs = isPause ? this.spacingMs : this.provenMs || this.spacingMs / FASTER
    const fitMs = rate === undefined ? slowerMs : Math.min((1000 / rate) * SLOWER, spanMs * SLOWER)
    // A first refusal at a pace that went well for a while is no reason to go much slower.
    const learntMs = this.spacingMs && this.inARow === 1 ? Math.min(fitMs, this.spacingMs * MOST_SLOWER) : fitMs
    this.spacingMs = this.provenMs ? Math.min(Math.max(learntMs, this.spacingMs), this.provenMs) : learntMs
    if (this.fasterAfter >= LONG && this.provenMs > this.steadyMs) this.steadyMs = 0
    this.provenMs = 0
    // What went well for long is not given up for a few requests, which may have come in a way that no pace helps.
    if (this.inARow > STEADY_UNTIL) this.steadyMs = 0
    if (this.steadyMs > 0) this.spacingMs = Math.min(this.spacingMs, this.steadyMs * MOST_SLOWER)
  }
}

/** Returns the part of a limit that a refusal changes. */
export function beliefOf({ spacingMs, credit, fasterAfter, refusals }: Limit): Belief {
  return { spacingMs, credit, fasterAfter, refusals }
}

/** Says what is believed of a limit, with its figure; an empty text where nothing was turned away. */
export function describe(limit: Limit, what: string): string {
  const { refusals, drops, delays, spacingMs, provenMs } = limit
  // Such refusals come by chance, not from a limit.
  if (spacingMs < NO_PACE_MS) return refusals ? `turned ${what}s away now and then (${refusals})` : ''
  const away = refusals + drops
  if (away > 0) return `takes about ${rateInWords(limit.rate, what)} (${away} turned away)`
  return delays
    ? `takes about ${rateInWords((SLOWER * 1000) / (provenMs || spacingMs), what)}, and lets others wait`
    : ''
}

/** Says how many a second that are, or a minute. */
function rateInWords(rate: number, what: string): string {
  const [each, unit] = rate >= 1 ? [rate, 'second'] : [rate * 60, 'minute']
  const number = Number(each.toPrecision(2))
  return `${count(number, what)} a ${unit}`
}
