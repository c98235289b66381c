/**
 * Learns a rate from what was served and what was turned away. Pure: it reads no clock. Over 250 lines, since each kind of limit reads the
 * same requests twice: as early as they may have arrived, and as late.
 */

/** How many of the latest requests are remembered: a request without an answer is noted late. And how many are looked at else. */
const REMEMBERED = 1536
const LATEST = 256
/** So many that were turned away are looked at, as far as they are remembered. */
const ENOUGH_AWAY = 12
/** Rates of a bucket that are tried, in requests a second: each is this much faster than the one before. */
const STEP = 1.05
const SLOWEST = 0.05
const BUCKETS = Array.from({ length: 200 }, (_, index) => SLOWEST * STEP ** index)
/** Spans of a window that are tried, where no others are given. */
const WINDOWS_MS = [1000, 10_000, 60_000]
/** Spans that a Core may count in before a ban: of those that follow one another so many beginnings are tried for each. */
const SPANS_MS = [1000, 2000, 5000, 10_000, 60_000]
const BEGINNINGS = 50
/** A burst comes within this time. */
const AT_ONCE_MS = 1000
/** What fewer requests show of a window is chance. */
const FEW = 3
/** In a longer gap the run did something else. */
const LONGEST_GAP_MS = 10_000
/** A request arrives within this time after it was sent, or when its answer comes at the latest: the rest is work of the Core. */
const ARRIVES_WITHIN_MS = 250
/** A limit is believed where it explains this part of what was turned away; the rest is chance. */
const EXPLAINED = 0.5
/** So many of what was turned away no longer window need explain as long as it is not over. */
const CHANCE = 0.25

/** The limit that explains best what was turned away. */
export interface Fit {
  /** Requests a second. */
  rate: number
  /** The slowest rate that explains as much, and the fastest. */
  slowest: number
  fastest: number
  /** How many requests contradict it, and how many were turned away. */
  wrong: number
  away: number
  /** How many may be sent at once, after a while without any, where the rate is kept from then on. */
  burst: number
  /** How many it counts before the first of them is forgotten. */
  counted: number
  /** What it counts, and how much of it is served at most. */
  of: Counter
  most: number
}

/**
 * What a limit may count: requests in a bucket that empties at a rate, or in a span of time. `fromMs`: spans follow one another from
 * then on, and each counts from nothing.
 */
type Counter = { rate: number } | { spanMs: number; countsAway: boolean } | { spanMs: number; fromMs: number }

/** A request that was served or turned away. */
interface Entry {
  /** When it was sent. */
  ms: number
  /** When it had arrived for certain. */
  byMs: number
  /** When its request was sent: a connection is opened before. */
  requestMs: number
  isServed: boolean
  /** The pace of the run then: the least time between two requests. */
  spacingMs: number
}

/**
 * Remembers which requests were served and which were turned away, and finds the rate that separates them: what was turned
 * away found more of the limit in use than what was served.
 *
 * Three kinds of limits are tried: a bucket that each request fills and that empties at its rate, as nginx has it, a window
 * of time with so many requests, and one that counts also those that it turns away, as HAProxy has it.
 */
export class RateHistory {
  private readonly entries: Entry[] = []
  /** How many were turned away, those that are not remembered any more included. */
  turnedAway = 0

  /** @param windowsMs the spans of a window that are tried */
  constructor(private readonly windowsMs: readonly number[] = WINDOWS_MS) {}

  /**
   * Notes a request.
   * @param ms when it was sent
   * @param spacingMs the pace of the run: the least time between two requests
   * @param answeredMs when its answer came; absent where none did
   * @param requestMs when its request was sent, where it is the connection that counts
   * @returns when it had arrived for certain
   */
  note(ms: number, isServed: boolean, spacingMs = 0, answeredMs = ms, requestMs = ms): number {
    const { entries } = this
    if (!isServed) this.turnedAway++
    let at = entries.length
    while (at > 0 && (entries[at - 1]?.ms ?? 0) > ms) at--
    const byMs = Math.max(ms, Math.min(answeredMs, ms + ARRIVES_WITHIN_MS))
    entries.splice(at, 0, { ms, byMs, requestMs, isServed, spacingMs })
    if (entries.length > REMEMBERED) entries.shift()
    return byMs
  }

  /** Forgets the request that was sent then. */
  forget(ms: number): void {
    const at = this.entries.findLastIndex(entry => entry.requestMs === ms)
    if (at < 0) return
    if (!this.entries[at]?.isServed) this.turnedAway--
    this.entries.splice(at, 1)
  }

  /** Whether another was sent within this time before or after. */
  hasNear(ms: number, spanMs: number): boolean {
    return this.entries.some(entry => Math.abs(entry.ms - ms) < spanMs)
  }

  /** Most that were served within this time. */
  most(spanMs: number): number {
    return mostOf(this.entries, spanMs)
  }

  /** How many were served in this time up to then. */
  served(untilMs: number, spanMs: number): number {
    return this.entries.filter(({ ms, isServed }) => isServed && ms > untilMs - spanMs && ms <= untilMs).length
  }

  /**
   * How many a second were served: a run that is slowed down takes what the limit gives.
   * @param isBusy whether only the time counts in which the run sent as many as it could; after a longer pause than its pace
   *   asked for it had nothing to send
   */
  throughput(isBusy: boolean): number {
    let served = 0
    let spanMs = 0
    const entries = this.entries.slice(-LATEST)
    for (const [at, { ms, isServed, spacingMs }] of entries.entries()) {
      const before = entries[at - 1]
      if (!before || (isBusy && before.isServed && ms - before.ms > spacingMs * 2)) continue
      served += Number(isServed)
      spanMs += Math.min(ms - before.ms, LONGEST_GAP_MS)
    }
    return served >= FEW ? (served * 1000) / Math.max(spanMs, 1) : 0
  }

  /** Whether something was served after the first that was turned away: else the Core may be gone, which is no limit. */
  get servesAgain(): boolean {
    return this.entries.findLastIndex(({ isServed }) => isServed) > this.entries.findIndex(({ isServed }) => !isServed)
  }

  /** How many were turned away. */
  get away(): number {
    return this.entries.filter(({ isServed }) => !isServed).length
  }

  /** Returns the latest, with some that were turned away among them: a few of those are explained by any limit. */
  private latest(): Entry[] {
    const away = this.entries.flatMap(({ isServed }, at) => (isServed ? [] : [at]))
    return this.entries.slice(Math.min(Math.max(this.entries.length - LATEST, 0), away.at(-ENOUGH_AWAY) ?? 0))
  }

  /**
   * Returns the limit that explains best what was turned away; undefined where none does. Of several the fastest: where it is
   * wrong, one more request is turned away and tells.
   * @param explained the part of what was turned away that it has to explain
   * @param isAll whether all count that are remembered, and not the latest only
   * @param isStrict whether each counts as arrived when it was sent. With the time on its way anything explains what was sent right
   *   behind others: that is no reason to believe in a limit of which no answer told
   */
  fit(explained = EXPLAINED, isAll = false, isStrict = false): Fit | undefined {
    const all = isAll ? this.entries : this.latest()
    const entries = isStrict ? all.map(entry => ({ ...entry, byMs: entry.ms })) : all
    const away = entries.filter(({ isServed }) => !isServed).length
    let fewest = away * (1 - explained)
    let best: Fit | undefined
    const consider = (fit: Fit) => {
      if (fit.wrong > fewest) return
      const alike = best && fit.wrong === fewest ? [best, fit] : [fit]
      const slowest = Math.min(...alike.map(each => each.slowest))
      const fastest = Math.max(...alike.map(each => each.fastest))
      const faster = alike.reduce((one, other) => (other.rate > one.rate ? other : one))
      best = { ...faster, slowest, fastest }
      fewest = fit.wrong
    }
    const seenMs = (entries.at(-1)?.ms ?? 0) - (entries[0]?.ms ?? 0)
    // What was forgotten may have been in a longer window.
    const isWhole = all.length === this.entries.length && all.length < REMEMBERED
    const knownMs = isWhole ? Number.POSITIVE_INFINITY : seenMs
    const uses = usesOf(entries)
    const windows = this.windowsMs.filter(each => each * 2 <= knownMs)
    for (const of of windows.flatMap(spanMs => [false, true].map(countsAway => ({ spanMs, countsAway })))) {
      const { spanMs } = of
      const found = separate(entries, uses(of))
      // Of a time that is not over nobody knows. A few refusals contradict no shorter one: the Core may count those, too.
      const chance = Math.max(1, away * CHANCE)
      const isUnseen = best !== undefined && spanMs > seenMs && found.wrong + chance >= best.wrong
      if (found.most >= FEW && !isUnseen) consider(fitIn(of, found, away))
    }
    const buckets = BUCKETS.map(rate => ({ rate, ...separate(entries, uses({ rate })) }))
    const wrong = Math.min(...buckets.map(each => each.wrong))
    const alike = buckets.filter(each => each.wrong === wrong)
    const slowest = alike[0]?.rate ?? SLOWEST
    const least = alike[alike.length >> 1]
    if (least && slowest > SLOWEST) {
      const fastest = alike.at(-1)?.rate ?? slowest
      // What was served at once, and not little by little.
      const most = mostOf(entries, AT_ONCE_MS)
      const burst = Math.min(least.most, most - (least.rate * AT_ONCE_MS) / 1000)
      consider({ ...least, slowest, fastest, away, burst, counted: 1, of: { rate: least.rate } })
    }
    return best
  }

  /**
   * Returns the limit in spans of time that explains best what was turned away, all that are remembered; undefined for none. They slide,
   * or follow one another. There are so many that one explains a few requests by chance: for use where each that was turned away began a
   * while without any.
   */
  fitOfSpans(): Fit | undefined {
    const { entries, away } = this
    let best: Fit | undefined
    const sliding = SPANS_MS.map(spanMs => ({ spanMs, countsAway: false }))
    const uses = usesOf(entries)
    for (const of of [...sliding, ...fixedSpans(entries)]) {
      const found = separate(entries, uses(of))
      if (found.most >= FEW && found.wrong < (best?.wrong ?? away)) best = fitIn(of, found, away)
    }
    return best
  }

  /** Whether a limit may have turned away the request that was sent then: it may have arrived a little after others, or before. */
  explains({ of, most }: Fit, ms: number): boolean {
    const entries = this.entries.slice(-LATEST)
    const at = entries.findLastIndex(entry => entry.ms === ms && !entry.isServed)
    return (usesOf(entries)(of)[at] ?? 0) > most + ALIKE
  }
}

/** Returns the limit of so many in a span of time. */
function fitIn(
  of: Exclude<Counter, { rate: number }>,
  { wrong, most }: ReturnType<typeof separate>,
  away: number,
): Fit {
  const rate = (most * 1000) / of.spanMs
  return { wrong, away, rate, slowest: rate, fastest: rate, burst: 1, counted: most, of, most }
}

/** Levels of a bucket that differ by less are the same. */
const ALIKE = 1e-6

/**
 * Returns how much was in use with each request, itself included: of what was served the least that it may have been, of what was turned
 * away the most. Nobody knows when a request arrived between its sending and its answer.
 */
function usesOf(entries: readonly Entry[]): (of: Counter) => number[] {
  const byMs = entries.map((_, at) => at).sort((a, b) => (entries[a]?.byMs ?? 0) - (entries[b]?.byMs ?? 0))
  return of => {
    if ('rate' in of) return inBucket(entries, byMs, of.rate)
    return 'fromMs' in of ? inSpan(entries, of) : inWindow(entries, of.spanMs, of.countsAway)
  }
}

/** Returns the spans that may follow one another, each with the times at which one may have begun. */
function fixedSpans(entries: readonly Entry[]): { spanMs: number; fromMs: number }[] {
  return SPANS_MS.flatMap(spanMs =>
    Array.from({ length: BEGINNINGS }, (_, at) => ({
      spanMs,
      fromMs: (entries[0]?.ms ?? 0) + (at * spanMs) / BEGINNINGS,
    })),
  )
}

/** Counts those that were served in the span of each request, up to it. */
function inSpan(entries: readonly Entry[], { spanMs, fromMs }: { spanMs: number; fromMs: number }): number[] {
  let span = Number.NEGATIVE_INFINITY
  let served = 0
  return entries.map(({ ms, isServed }) => {
    const its = Math.floor((ms - fromMs) / spanMs)
    if (its !== span) served = 0
    span = its
    if (isServed) served++
    return isServed ? served : served + 1
  })
}

/** Most that were served within this time. */
function mostOf(entries: readonly Entry[], spanMs: number): number {
  const served = entries.filter(({ isServed }) => isServed)
  return Math.max(0, ...usesOf(served)({ spanMs, countsAway: false }))
}

/** @param byMs the requests in the order of when they had arrived for certain */
function inBucket(entries: readonly Entry[], byMs: readonly number[], rate: number): number[] {
  const uses: number[] = Array(entries.length).fill(0)
  let lastMs = Number.NEGATIVE_INFINITY
  // With all arrivals as late as they may be, and as early.
  let late = 0
  let early = 0
  let underWay = 0
  const passTo = (ms: number) => {
    const drained = ((ms - lastMs) * rate) / 1000
    late = Math.max(0, late - drained)
    early = Math.max(0, early - drained)
    lastMs = ms
  }
  const arrived = (at: number) => {
    const { ms, byMs, isServed } = entries[at] as Entry
    passTo(byMs)
    const drained = ((byMs - ms) * rate) / 1000
    if (isServed) {
      underWay--
      uses[at] = Math.max(0, (uses[at] ?? 0) - drained) + 1
      late++
      early += Math.max(0, 1 - drained)
    } else uses[at] = Math.max(uses[at] ?? 0, late + underWay + 1)
  }
  let landed = 0
  for (const [at, { ms, isServed }] of entries.entries()) {
    for (; (entries[byMs[landed] ?? -1]?.byMs ?? Number.POSITIVE_INFINITY) <= ms && (byMs[landed] ?? at) < at; landed++)
      arrived(byMs[landed] ?? 0)
    passTo(ms)
    uses[at] = isServed ? early : late + underWay + 1
    if (isServed) underWay++
  }
  for (; landed < byMs.length; landed++) arrived(byMs[landed] ?? 0)
  return uses
}

/** @param countsAway whether also those are counted that were turned away */
function inWindow(entries: readonly Entry[], spanMs: number, countsAway: boolean): number[] {
  const counted = entries.filter(({ isServed }) => countsAway || isServed)
  const sentMs = counted.map(({ ms }) => ms)
  const arrivedMs = counted.map(({ byMs }) => byMs).sort((a, b) => a - b)
  return entries.map(({ ms, byMs, isServed }) => {
    if (isServed) return Math.max(0, numberOf(arrivedMs, ms) - numberOf(sentMs, byMs - spanMs)) + (byMs > ms ? 1 : 0)
    return numberOf(sentMs, byMs) - numberOf(arrivedMs, ms - spanMs) + (countsAway ? 0 : 1)
  })
}

/** How many of these, in order, are not later. */
function numberOf(sortedMs: readonly number[], ms: number): number {
  let low = 0
  for (let high = sortedMs.length; low < high; ) {
    const middle = (low + high) >> 1
    const each = sortedMs[middle] ?? 0
    if (each <= ms) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Finds the most use that is served, so that the fewest requests are on the wrong side of it.
 * @param use how much was in use with each request, itself included
 */
export function separate(
  entries: readonly { isServed: boolean }[],
  use: readonly number[],
): { wrong: number; most: number } {
  // Sorted as plain numbers, in a loop: a limit is fitted with hundreds of uses of the same requests.
  const usedBy = (isServed: boolean) => {
    const found = new Float64Array(use.length)
    let length = 0
    for (let at = 0; at < use.length; at++) if (entries[at]?.isServed === isServed) found[length++] = use[at] ?? 0
    return found.subarray(0, length).sort()
  }
  const [served, away] = [usedBy(true), usedBy(false)]
  // Everything is beyond the limit at first.
  let best = { wrong: served.length, most: 0 }
  for (let [within, beyond] = [0, 0]; within < served.length || beyond < away.length; ) {
    const most = Math.min(served[within] ?? Number.POSITIVE_INFINITY, away[beyond] ?? Number.POSITIVE_INFINITY)
    while (served[within] === most) within++
    while (away[beyond] === most) beyond++
    const wrong = served.length - within + beyond
    if (wrong <= best.wrong) best = { wrong, most }
  }
  return best
}
