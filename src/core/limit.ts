/**
 * One limit of a Core, as learned from what it served and what it turned away. Over 250 lines, since each refusal weighs all that
 * was seen of the pace.
 */
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
/** As long as no pace was refused it is a guess, mostly of a few requests that came at once: it is tried much faster, and soon. */
const GUESSED_FASTER = 0.5
const GUESSED_FASTER_AFTER = 2
/** Most by which the first refusal in a row slows the run down, where it had a pace already. */
const MOST_SLOWER = 1.5
/** What is refused after so many were let through at this pace may have come a little too soon by chance, on its way. */
const MANY = 20
/** By so many times it is tried less often where what is too fast gets no answer. */
const COSTLY = 8
/** A faster pace may be tried again after so many times the requests that a refusal cost the time of. */
const CHEAP = 32
/** A request that comes so many times later than the pace asks for was not held back by it. */
const UNHURRIED = 2
/** A pace that differs by less from one that was refused is not tried. */
const ALIKE_PACES = 0.98
/** So many requests let through in a row show that a pace goes well, and so many refusals in a row that it does no more. */
const STEADY = 40
const STEADY_UNTIL = 4
/** Where so many are let through before a faster try, the pace is known well. */
const LONG = 128
/** A limit is told with its figure where it leaves no more of what was turned away unexplained. */
const MOSTLY_EXPLAINED = 0.2
/** A burst is over in less time. */
const LONG_MS = 10_000
/** Rates that differ by no more times are one. */
const ALIKE = 1.4
/** What differs by more times is no figure: 'between 1.4 and 820'. */
const MOST_BETWEEN = 10
/** At most so many times what was served is what a limit gives: a run that is slowed down leaves little of it unused. */
const MOST_UNUSED = 1.2
/** A limit is known where no more of what was turned away contradicts it. */
const KNOWN = 0.1
/** A request is right behind another where no more than this part of the pace lies between them. */
const TOO_SOON = 0.25
/** After more of what came too soon by chance each request waits until the one before has arrived for certain. Each other one forgets a part. */
const OFTEN_TOO_SOON = 2
const FORGOTTEN = 0.03
/** A spacing below this slows nobody down. */
const NO_PACE_MS = 20

/** What is lost behind so many that were served at a pace below the limit is against it, and so often it is given up. */
const SERVED_BELOW = 5
const MOST_AGAINST = 6

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
  /** When the latest request went out, or will. */
  private dueMs = Number.NEGATIVE_INFINITY
  /** When the latest of its own that was served had arrived for certain, and how many came too soon by chance of late. */
  private arrivedMs = Number.NEGATIVE_INFINITY
  private tooSoon = 0
  /** How many requests may be sent before their time at this pace: what was sent late, or a burst that the Core takes. */
  credit = 0
  private mostCredit = Number.POSITIVE_INFINITY
  /** Least time between two requests; 0 where there is no limit. */
  spacingMs = 0
  /** Requests let through since the pace last changed, and when the latest was sent. */
  takenInARow = 0
  private takenMs = 0
  /** The spacing before a faster try: so many requests were let through at it that it is right; 0 for none. */
  provenMs = 0
  /** Whether no pace of it was refused so far. */
  private isGuess = true
  /** When the first of the latest refusals in a row came, and how much later a request was let through. */
  private firstMs = 0
  private lostMs = 0
  /** The faster pace that was refused last; 0 where none was, or where that was long ago. How many were let through since. */
  private failedMs = 0
  private sinceFailed = 0
  /** How many of them are let through before a faster try. */
  fasterAfter = TRIED_FASTER_AFTER
  refusals = 0
  /** Requests without an answer, where this limit explains that. */
  drops = 0
  /** How many of them came at a pace below it. */
  private against = 0
  /** How often answers waited for each other, and how long each took then. */
  delays = 0
  delayedMs = 0
  /** The slowest pace that is known to go well: many requests in a row were let through at it; 0 where none is. */
  steadyMs = 0
  /** How long nothing was sent after the last refusal, where the Core did not say. */
  pausedMs = 0
  /** Refusals since the last request let through. */
  inARow = 0
  /** For how long nothing is served after a request that came too soon; 0 where only that one is turned away. */
  banMs = 0
  /** When the pace last changed. Requests sent before that say nothing about the new pace. */
  changedAtMs = Number.NEGATIVE_INFINITY

  constructor(readonly history = new RateHistory()) {}

  /** When the next request may be sent at this pace. */
  get nextAtMs(): number {
    return this.pacedMs - this.credit * this.spacingMs
  }

  /** Notes that a request is admitted now. */
  admitted(nowMs: number): void {
    if (this.spacingMs) this.pacedMs = Math.max(this.pacedMs, nowMs) + this.spacingMs
  }

  /** Notes that a request that was {@link admitted} goes out now: to connect may have taken a while. Without a burst {@link due} sees to that. */
  sent(nowMs: number): void {
    if (this.spacingMs && this.credit >= 1) this.pacedMs = Math.max(this.pacedMs, nowMs + this.spacingMs)
  }

  /** Returns when a request that was {@link admitted} goes out at the earliest. */
  due(nowMs: number): number {
    const soonestMs = Math.max(nowMs, this.openAtMs)
    const apartMs = this.tooSoon > OFTEN_TOO_SOON ? this.arrivedMs + this.spacingMs / SLOWER : soonestMs
    this.dueMs = this.credit >= 1 ? soonestMs : Math.max(soonestMs, this.dueMs + this.spacingMs, apartMs)
    return this.dueMs
  }

  /** Whether a request that was sent then came sooner than the pace allows, right behind another: that it was refused is no sign of the pace. */
  wasTooSoon(sentMs: number): boolean {
    return this.credit < 1 && this.history.hasNear(sentMs, this.spacingMs * TOO_SOON)
  }

  /** Lets nothing go before this time, and no burst then. */
  close(untilMs: number): void {
    this.openAtMs = Math.max(this.openAtMs, untilMs)
    this.pacedMs = this.openAtMs + this.credit * this.spacingMs
  }

  /** Whether a rate that slows anybody down explains what was turned away. */
  get mayBeRate(): boolean {
    const fit = this.history.fit(0, true)
    return fit !== undefined && isKnown(fit) && fit.slowest < 1000 / NO_PACE_MS
  }

  /** The limit that explains the most of the bans that it may have led to. */
  get fitOfBans(): Fit | undefined {
    const { history } = this
    const [rate, spans] = [history.fit(0, true, true), history.fitOfSpans()]
    return spans && spans.wrong < (rate?.wrong ?? history.away) ? spans : rate
  }

  /** Says how many it takes, as far as the history tells. */
  describeRate(what: string): string {
    const { history } = this
    const fit = this.banMs > 0 ? this.fitOfBans : history.fit(0, true)
    const seen = Math.max(history.throughput(true), history.throughput(false)) || 1000 / this.spacingMs
    const isKnown = fit !== undefined && fit.wrong <= fit.away * MOSTLY_EXPLAINED
    const { slowest, fastest } = isKnown ? fit : { slowest: fit?.rate ?? seen, fastest: fit?.rate ?? seen }
    const rate = Math.sqrt(slowest * fastest)
    // Of a limit that explains less, and that the run is far from, nobody knows.
    const isVague = fastest > slowest * MOST_BETWEEN
    if (isVague || (!isKnown && Math.abs(rate / seen - 1) > ALIKE - 1)) return `at least ${rateInWords(seen, what)}`
    if (fastest <= slowest * ALIKE)
      return `about ${rateInWords(isKnown ? rate : Math.min(rate, seen * MOST_UNUSED), what)}`
    return `between ${Number(slowest.toPrecision(2))} and ${count(Number(fastest.toPrecision(2)), what)} a second`
  }

  /** Notes a request that was served. @param sentMs when it was sent @param answeredMs when its answer came */
  note(sentMs: number, answeredMs = sentMs, requestMs = sentMs): void {
    const arrivedMs = this.history.note(sentMs, true, this.spacingMs, answeredMs, requestMs)
    this.arrivedMs = Math.max(this.arrivedMs, arrivedMs)
    this.tooSoon *= 1 - FORGOTTEN
    this.sent(sentMs)
  }

  /** Notes a request of its own that was served, and goes faster after some of them. See {@link note}. */
  taken(sentMs: number, answeredMs = sentMs, requestMs = sentMs): void {
    this.note(sentMs, answeredMs, requestMs)
    if (this.inARow > 0) this.lostMs = sentMs - this.firstMs
    this.inARow = 0
    const sinceMs = sentMs - this.takenMs
    this.takenMs = sentMs
    // What came later than the pace asked for says nothing of it.
    if (this.drops > 0 && this.spacingMs > 0 && sinceMs > this.spacingMs * UNHURRIED) return
    this.takenInARow++
    if (this.takenInARow >= STEADY) this.steadyMs = this.spacingMs
    if (++this.sinceFailed > LONG) this.failedMs = 0
    // A pace that was found again and again, and went well, is tried again soon.
    const isSlowed = this.fasterAfter >= LONG && this.steadyMs > 0 && this.spacingMs > this.steadyMs
    // What gets no answer costs a lot, and the fit that it took to believe in a limit is no mere guess.
    const isGuess = this.isGuess && this.drops === 0
    const usual = Math.min(this.fasterAfter, isSlowed ? STEADY / 2 : this.cheapAfter)
    const after = isGuess ? GUESSED_FASTER_AFTER : Math.max(usual, this.worthAfter)
    if (this.spacingMs === 0 || this.takenInARow < after) return
    this.takenInARow = 0
    const fasterMs = this.spacingMs * (isGuess ? GUESSED_FASTER : FASTER)
    const nextMs = isSlowed ? this.steadyMs : Math.max(fasterMs, this.failedMs && (this.spacingMs + this.failedMs) / 2)
    if (nextMs > this.spacingMs * ALIKE_PACES) {
      this.failedMs = 0
      return
    }
    this.provenMs = this.spacingMs
    this.spacingMs = nextMs
    if (this.spacingMs < NO_PACE_MS) this.spacingMs = 0
  }

  /** After how many requests let through a faster try gains as much by the next one as a ban costs, where it is too fast. */
  private get worthAfter(): number {
    return Math.min(this.banMs / (this.spacingMs * (1 - FASTER)), MOST_BEFORE_FASTER)
  }

  /** After how many requests let through a faster try costs little, compared with them. */
  private get cheapAfter(): number {
    return Math.max((CHEAP * this.lostMs) / this.spacingMs, CHEAP)
  }

  /** The limit that explains the latest refusals. Where the run has no pace, those of long ago tell of one, too. */
  private fit(): Fit | undefined {
    return this.history.fit() ?? (this.spacingMs ? undefined : this.history.fit(undefined, true))
  }

  /** Learns the pace from answers that waited for each other. @param spacingMs the time that the Core takes for each */
  delayed(spacingMs: number): void {
    this.delays++
    this.delayedMs = spacingMs
    this.isGuess = false
    this.mostCredit = 0
    this.credit = 0
    if (this.provenMs > 0) this.fasterAfter = Math.min(this.fasterAfter * 2, MOST_BEFORE_FASTER)
    this.takenInARow = 0
    this.provenMs = 0
    this.spacingMs = Math.max(this.spacingMs, spacingMs * SLOWER)
  }

  /**
   * Notes a request that was turned away, as its history holds. What a known limit explains at this pace came a little too soon by
   * chance, on its way, and slows nothing down.
   */
  refused(nowMs: number, sentMs: number, askedMs?: number): void {
    const { history, spacingMs, provenMs } = this
    const fit = this.fit()
    const isSlow = fit && isKnown(fit) && !provenMs && spacingMs >= 1000 / fit.rate
    if (isSlow && history.explains(fit, sentMs)) {
      this.inARow++
      // So often it is no chance: the pace is a little faster than the limit.
      if (++this.tooSoon > OFTEN_TOO_SOON * 2) {
        this.spacingMs *= SLOWER
        this.tooSoon = OFTEN_TOO_SOON
      }
    } else this.slowDown(nowMs, askedMs, fit)
  }

  /**
   * Learns the pace from a request that was turned away, as its history holds.
   * @param askedMs how long the Core asks to wait; absent where it does not say
   * @param fit what explains what was turned away; undefined where nothing does
   * @param lostMs since when it costs time: what got no answer did since it was sent
   */
  slowDown(nowMs: number, askedMs = SHORTEST_SPAN_MS, fit: Fit | undefined = this.fit(), lostMs = nowMs): void {
    const rate = fit?.rate
    const beforeMs = this.spacingMs
    if (this.inARow++ === 0) this.firstMs = lostMs
    // A burst that may have been too long is not tried again. What gets no answer costs more than a burst gains.
    if (this.credit >= 1 && !this.provenMs) this.mostCredit = this.credit / 2
    if (this.drops > 0) this.mostCredit = 0
    const found = fit ? Math.max(fit.burst - 1 - KEPT_BACK, fit.counted * SPARE) : this.credit
    this.credit = Math.min(found, this.mostCredit)
    const isGuess = this.isGuess
    this.isGuess &&= !this.provenMs
    const spanMs = askedMs < SHORTEST_SPAN_MS * 2 ? SHORTEST_SPAN_MS : Math.min(askedMs, LONGEST_SPAN_MS)
    const isTooFast = this.takenInARow < MANY
    if (this.provenMs > 0 && isTooFast) {
      const most = this.drops > 0 ? Math.min(this.fasterAfter * COSTLY, this.cheapAfter) : 0
      this.fasterAfter = Math.min(Math.max(this.fasterAfter * 2, most), MOST_BEFORE_FASTER)
      this.failedMs = this.spacingMs
      this.sinceFailed = 0
    }
    this.takenInARow = 0
    this.changedAtMs = nowMs
    // What is refused right after another shows that the pause was too short, where the pace is known.
    const isPause = this.inARow > 1 && this.steadyMs > 0
    // A pace that was given up as no pace is taken up again.
    const slowerMs = isPause ? this.spacingMs : this.provenMs || this.spacingMs / FASTER
    const fitMs = rate === undefined ? slowerMs : Math.min((1000 / rate) * SLOWER, spanMs * SLOWER)
    // A first refusal at a pace that went well for a while is no reason to go much slower.
    const mostMs = this.spacingMs * (isTooFast ? MOST_SLOWER : SLOWER)
    const guessMs = isGuess && this.provenMs ? this.provenMs * MOST_SLOWER : Number.POSITIVE_INFINITY
    const isChance = this.spacingMs > 0 && !isGuess && this.inARow === 1
    // Only a limit that is known is a reason to go faster.
    const unsureMs = Math.max(Math.min(fitMs, isChance ? mostMs : guessMs), this.spacingMs)
    const learntMs = fit && isKnown(fit) ? fitMs : unsureMs
    const isProven = this.provenMs > 0 && !isGuess
    if (this.banMs > 0 && this.provenMs > 0) this.spacingMs = this.provenMs
    else this.spacingMs = isProven ? Math.min(Math.max(learntMs, this.spacingMs), this.provenMs) : learntMs
    if (this.fasterAfter >= LONG && this.provenMs > this.steadyMs) this.steadyMs = 0
    this.provenMs = 0
    // What went well for long is not given up for a few requests, which may have come in a way that no pace helps.
    if (this.inARow > STEADY_UNTIL) this.steadyMs = 0
    if (this.steadyMs > 0) this.spacingMs = Math.min(this.spacingMs, this.steadyMs * MOST_SLOWER)
    if (this.spacingMs <= beforeMs) this.creep()
  }

  /** Notes a request without an answer. One at a pace below this limit, of which the Core never spoke, is against it. */
  lost(sentMs: number): void {
    const isSilent = this.drops > 0 && this.refusals === 0 && this.spacingMs > 0
    const isBelow = this.provenMs === 0 && sentMs > this.changedAtMs && this.takenInARow >= SERVED_BELOW
    if (isSilent && isBelow) this.against++
  }

  /** Whether requests are lost on the way, and not by this limit: too many were at a pace below it. */
  get isRefuted(): boolean {
    return this.against >= MOST_AGAINST
  }

  /** Notes a request without an answer that this limit does not explain, though it does others. */
  unexplained(nowMs: number, sentMs: number): void {
    if (this.spacingMs === 0 || sentMs <= this.changedAtMs) return
    if (this.provenMs > 0) this.slowDown(nowMs, undefined, undefined, sentMs)
    else {
      this.inARow++
      this.creep()
    }
  }

  /**
   * Goes a little slower where nothing was served for long at this pace: a Core that counts what it turns away, too, serves nothing as
   * long as the pace is the least bit too fast.
   */
  private creep(): void {
    if (this.drops > 0 && this.inARow > STEADY_UNTIL) this.spacingMs *= SLOWER
  }
}

/** Whether a limit explains what was turned away. */
function isKnown({ away, wrong }: Fit): boolean {
  return away > 1 && wrong <= away * KNOWN
}

/** Returns the part of a limit that a refusal changes. */
export function beliefOf({ spacingMs, credit, fasterAfter, refusals }: Limit): Belief {
  return { spacingMs, credit, fasterAfter, refusals }
}

/** Says what is believed of a limit, with its figure; an empty text where nothing was turned away. */
export function describe(limit: Limit, what: string): string {
  const { refusals, drops, delays, delayedMs, spacingMs, history } = limit
  if (!refusals && !delays && !history.servesAgain) return ''
  // What got no answer before the limit was believed was turned away by it, too.
  const away = drops > 0 ? Math.max(refusals + drops, history.turnedAway) : refusals
  const fit = away > 0 && spacingMs < NO_PACE_MS ? history.fit(undefined, true) : undefined
  if (away > 0 && (spacingMs >= NO_PACE_MS || (fit && fit.slowest < 1000 / NO_PACE_MS)))
    return `takes ${limit.describeRate(what)} (${away} turned away)`
  // What was served faster for a while did not wait for a limit.
  if (delays > 0 && history.most(LONG_MS) * delayedMs < LONG_MS * ALIKE)
    return `takes about ${rateInWords(1000 / delayedMs, what)}, and lets others wait`
  // Such refusals come by chance, not from a limit.
  return refusals ? `turned ${what}s away now and then (${refusals})` : ''
}

/** Says how many a second that are, or a minute. */
function rateInWords(rate: number, what: string): string {
  const [each, unit] = rate >= 1 ? [rate, 'second'] : [rate * 60, 'minute']
  const number = Number(each.toPrecision(2))
  return `${count(number, what)} a ${unit}`
}
