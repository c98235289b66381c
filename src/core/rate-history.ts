/** Learns a rate from what was served and what was turned away. Pure: it reads no clock. */

/** How many of the latest requests are remembered: a request without an answer is noted late. And how many are looked at else. */
const REMEMBERED = 1536
const LATEST = 256
/** So many that were turned away are looked at, as far as they are remembered. */
const ENOUGH_AWAY = 12
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
  /** How many requests contradict it, and how many were turned away. */
  wrong: number
  away: number
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
 * Three kinds of limits are tried: a bucket that each request fills and that empties at its rate, as nginx has it, a window
 * of time with so many requests, and one that counts also those that it turns away, as HAProxy has it.
 */
export class RateHistory {
  private readonly entries: Entry[] = []
  /** How many were turned away, those that are not remembered any more included. */
  turnedAway = 0

  /** Notes a request. @param ms when it was sent @param spacingMs the pace of the run: the least time between two requests */
  note(ms: number, isServed: boolean, spacingMs = 0): void {
    const { entries } = this
    if (!isServed) this.turnedAway++
    let at = entries.length
    while (at > 0 && (entries[at - 1]?.ms ?? 0) > ms) at--
    entries.splice(at, 0, { ms, isServed, spacingMs })
    if (entries.length > REMEMBERED) entries.shift()
  }

  /** Forgets the request that was sent then. */
  forget(ms: number): void {
    const at = this.entries.findLastIndex(entry => entry.ms === ms)
    if (at < 0) return
    if (!this.entries[at]?.isServed) this.turnedAway--
    this.entries.splice(at, 1)
  }

  /** Whether another was sent within this time before or after. */
  hasNear(ms: number, spanMs: number): boolean {
    return this.entries.some(entry => Math.abs(entry.ms - ms) < spanMs)
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
   */
  fit(explained = EXPLAINED, isAll = false): Fit | undefined {
    const entries = isAll ? this.entries : this.latest()
    const away = entries.filter(({ isServed }) => !isServed).length
    let fewest = away * (1 - explained)
    let best: Fit | undefined
    const consider = (fit: Fit) => {
      if (fit.wrong > fewest) return
      if (fit.wrong < fewest || fit.rate > (best?.rate ?? 0)) best = fit
      fewest = fit.wrong
    }
    // What was forgotten may have been in a longer window.
    const knownMs =
      entries.length === this.entries.length && entries.length < REMEMBERED
        ? Number.POSITIVE_INFINITY
        : (entries.at(-1)?.ms ?? 0) - (entries[0]?.ms ?? 0)
    const seenMs = (entries.at(-1)?.ms ?? 0) - (entries[0]?.ms ?? 0)
    const windows = WINDOWS_MS.filter(each => each * 2 <= knownMs)
    for (const [spanMs, countsAway] of windows.flatMap(each => [[each, false] as const, [each, true] as const])) {
      const { wrong, most } = separate(entries, inWindow(entries, spanMs, countsAway))
      // Of a time that is not over nobody knows. A single refusal contradicts no shorter one: the Core may count those, too.
      const isUnseen = best !== undefined && spanMs > seenMs && wrong + 1 >= best.wrong
      if (most >= FEW && !isUnseen) consider({ wrong, away, rate: (most * 1000) / spanMs, burst: 1, counted: most })
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
      consider({ wrong: least.wrong, away, rate: least.rate, burst, counted: 1 })
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

/** How many requests were counted within this span with each request. @param countsAway whether also those that were turned away */
function inWindow(entries: readonly Entry[], spanMs: number, countsAway = false): number[] {
  let first = 0
  let counted = 0
  const isCounted = (entry: Entry | undefined) => Number(countsAway || (entry?.isServed ?? false))
  return entries.map(entry => {
    const { ms } = entry
    for (; (entries[first]?.ms ?? ms) <= ms - spanMs; first++) counted -= isCounted(entries[first])
    counted += isCounted(entry)
    return isCounted(entry) ? counted : counted + 1
  })
}

/**
 * Finds the most use that is served, so that the fewest requests are on the wrong side of it.
 * @param use how much was in use with each request, itself included
 */
export function separate(
  entries: readonly { isServed: boolean }[],
  use: readonly number[],
): { wrong: number; most: number } {
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
