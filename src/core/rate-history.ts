/** Learns a rate from what was served and what was turned away. Pure: it reads no clock. */

/** How many of the latest requests are remembered: a request without an answer is noted late. And how many are looked at else. */
const REMEMBERED = 1536
const LATEST = 256
/** Rates of a bucket that are tried, in requests a second: each is this much faster than the one before. */
const STEP = 1.1
const SLOWEST = 0.05
const BUCKETS = Array.from({ length: 100 }, (_, index) => SLOWEST * STEP ** index)
/** Spans of a window that are tried. */
const WINDOWS_MS = [1000, 10_000, 60_000]
/** A burst comes within this time. */
const AT_ONCE_MS = 1000
/** What fewer requests show of a window is chance. */
const FEW = 3
/** In a longer gap the run did something else. */
const LONGEST_GAP_MS = 10_000
/** A limit is believed where it explains this part of what was turned away; the rest is chance. */
const EXPLAINED = 0.5

/** The limit that explains best what was turned away. */
export interface Fit {
  /** Requests a second. */
  rate: number
  /** How many requests contradict it. */
  wrong: number
  /** How many may be sent at once, after a while without any, where the rate is kept from then on. */
  burst: number
  /** How many it counts before the first of them is forgotten. */
  counted: number
}

/** A request that was served or turned away. */
interface Entry {
  ms: number
  isServed: boolean
  /** The pace of the run then: the least time between two requests. */
  spacingMs: number
}

/**
 * Remembers which requests were served and which were turned away, and finds the rate that separates them: what was turned
 * away found more of the limit in use than what was served.
 *
 * Two kinds of limits are tried: a bucket that each request fills and that empties at its rate, as nginx has it, and a
 * window of time with so many requests.
 */
export class RateHistory {
  private readonly entries: Entry[] = []

  /** Notes a request. @param ms when it was sent @param spacingMs the pace of the run: the least time between two requests */
  note(ms: number, isServed: boolean, spacingMs = 0): void {
    const { entries } = this
    let at = entries.length
    while (at > 0 && (entries[at - 1]?.ms ?? 0) > ms) at--
    entries.splice(at, 0, { ms, isServed, spacingMs })
    if (entries.length > REMEMBERED) entries.shift()
  }

  /** Forgets the request that was sent then. */
  forget(ms: number): void {
    const at = this.entries.findLastIndex(entry => entry.ms === ms)
    if (at >= 0) this.entries.splice(at, 1)
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

  /** How many were turned away. */
  get away(): number {
    return this.entries.filter(({ isServed }) => !isServed).length
  }

  /**
   * Returns the limit that explains best what was turned away; undefined where none does. Of several the fastest: where it is
   * wrong, one more request is turned away and tells.
   * @param explained the part of what was turned away that it has to explain
   * @param isAll whether all count that are remembered, and not the latest only
   */
  fit(explained = EXPLAINED, isAll = false): Fit | undefined {
    const entries = isAll ? this.entries : this.entries.slice(-LATEST)
    let fewest = entries.filter(({ isServed }) => !isServed).length * (1 - explained)
    let best: Fit | undefined
    const consider = (fit: Fit) => {
      if (fit.wrong > fewest) return
      if (fit.wrong < fewest || fit.rate > (best?.rate ?? 0)) best = fit
      fewest = fit.wrong
    }
    // What was forgotten may have been in a longer window.
    const knownMs =
      entries.length < (isAll ? REMEMBERED : LATEST)
        ? Number.POSITIVE_INFINITY
        : (entries.at(-1)?.ms ?? 0) - (entries[0]?.ms ?? 0)
    const seenMs = (entries.at(-1)?.ms ?? 0) - (entries[0]?.ms ?? 0)
    for (const spanMs of WINDOWS_MS.filter(each => each * 2 <= knownMs)) {
      const { wrong, most } = separate(entries, inWindow(entries, spanMs))
      // Of a time that is not over nobody knows. A single refusal contradicts no shorter one: the Core may count those, too.
      const isUnseen = best !== undefined && spanMs > seenMs && wrong + 1 >= best.wrong
      if (most >= FEW && !isUnseen) consider({ wrong, rate: (most * 1000) / spanMs, burst: 1, counted: most })
    }
    // Of buckets the slowest: the faster ones say no more than that nothing is known of them.
    const buckets = BUCKETS.map(rate => ({ rate, ...separate(entries, inBucket(entries, rate)) }))
    const least = buckets.reduce((best, each) => (each.wrong < best.wrong ? each : best))
    if (least.rate > SLOWEST) {
      // What was served at once, and not little by little.
      const most = Math.max(
        ...inWindow(
          entries.filter(({ isServed }) => isServed),
          AT_ONCE_MS,
        ),
      )
      const burst = Math.min(least.most, most - (least.rate * AT_ONCE_MS) / 1000)
      consider({ wrong: least.wrong, rate: least.rate, burst, counted: 1 })
    }
    return best
  }
}

/** How full a bucket that empties at this rate was with each request. */
function inBucket(entries: readonly Entry[], rate: number): number[] {
  let level = 0
  let lastMs = Number.NEGATIVE_INFINITY
  return entries.map(({ ms, isServed }) => {
    level = Math.max(0, level - ((ms - lastMs) * rate) / 1000)
    lastMs = ms
    const filled = level + 1
    if (isServed) level = filled
    return filled
  })
}

/** How many requests were served within this span with each request. */
function inWindow(entries: readonly Entry[], spanMs: number): number[] {
  let first = 0
  let served = 0
  return entries.map(({ ms, isServed }) => {
    for (; (entries[first]?.ms ?? ms) <= ms - spanMs; first++) served -= Number(entries[first]?.isServed)
    if (isServed) served++
    return isServed ? served : served + 1
  })
}

/**
 * Finds the most use that is served, so that the fewest requests are on the wrong side of it.
 * @param use how much was in use with each request, itself included
 */
function separate(entries: readonly Entry[], use: readonly number[]): { wrong: number; most: number } {
  const sorted = entries.map(({ isServed }, at) => ({ isServed, used: use[at] ?? 0 })).sort((a, b) => a.used - b.used)
  // Everything is beyond the limit at first.
  let wrong = sorted.filter(({ isServed }) => isServed).length
  let best = { wrong, most: 0 }
  for (const [at, { isServed, used }] of sorted.entries()) {
    wrong += isServed ? -1 : 1
    if (wrong <= best.wrong && used !== sorted[at + 1]?.used) best = { wrong, most: used }
  }
  return best
}
