/**
 * Learns a ban: after so many refusals a Core serves nothing for a while, and then everything. Pure: it reads no clock.
 * Over 250 lines, since a count that starts anew and one that falls little by little are told apart by the same stretches.
 */
import { EvenPace, LOOK_MS } from './even-pace.js'
import { type Fit, RateHistory } from './rate-history.js'

/** What a Core may count: refusals for the token or the credentials, or any answer that is an error of the client. */
const COUNTED = ['refusals', 'errors'] as const
type Counted = (typeof COUNTED)[number]

/** A stretch in which nothing was served. */
interface Stretch {
  /** What was counted since the stretch before it. */
  counts: Record<Counted, number>
  /** How many requests were answered since then. */
  answered: number
  /** When the first of them was answered, and when nothing was served any more. */
  firstMs: number
  fromMs: number
  /** When the last before it was counted: it began then, or later. */
  countedMs: number
  /** For how long it was seen that nothing was served, and how long it may have been, until something was. */
  leastMs: number
  forMs: number
  /** Whether an answer said that it is none to its request. */
  isTold: boolean
}

/** A stretch that goes on. */
interface OpenStretch extends Stretch {
  tries: number
  /** How many of them were sent, and got no answer. */
  drops: number
  /** When the latest request was sent that was turned away. */
  triedMs: number
}

/** What is believed of a ban. */
export interface Banned {
  counted: Counted
  /** After this many nothing is served. */
  after: number
  /** For how long, in milliseconds: at least as was seen, and at most. */
  leastMs: number
  forMs: number
  /** They were counted over this time, or a longer one. */
  withinMs: number
  /**
   * Keeps what is counted apart, where the count falls little by little: over a span that slides, say. Absent where it starts
   * anew after each ban.
   */
  pace?: EvenPace
}

/** So many stretches in a row have to begin after the same number of refusals. */
const ALIKE = 3
/** So many drops make a stretch: fewer are chance, on a bad network. Of answers that say so one is enough. */
const DROPS = 3
/** So many stretches in a row that began after another number contradict a ban: other requests may have been refused beside. */
const CONTRADICTED = 3
/** After fewer refusals nobody is banned. */
const FEW = 4
/** By how much the numbers of refusals may differ: several requests are under way at a time. */
const UNDER_WAY = 1
/** What is not answered after this time may never be. */
const LONGEST_UNDER_WAY_MS = 1000
/** A shorter stretch may be a single answer. */
const SHORTEST_MS = 200
/** A limit of the rate serves again after the first pause, which is half as long. */
const SOON_MS = 500
/** How much slower than what a ban shows the run goes. */
const SLOWER = 1.05
/** Spans of time over which a Core may count, in milliseconds. */
const SPANS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000]
/** How much longer than a ban the run waits. */
const LONGER = 1.1
/** How far apart the tries are in a stretch without answers, after the first ones: each time doubled, up to the second number. */
const APART_MS = 125
const LONGEST_APART_MS = 4000
/** After so many waits the run tries whether there still is a ban; where there is, the number doubles. */
const TRIED_AFTER = 8

/** Finds out whether refusals are followed by a ban, and when to wait so that nothing is sent into one. `sentMs`: when a request was sent. */
export class Ban {
  /** What is believed; undefined where there is no reason to. */
  belief: Banned | undefined
  /** What was believed of the first ban, until it is known whether the number of requests explains it. */
  private aside: Banned | undefined
  private counts: Record<Counted, number> = { refusals: 0, errors: 0 }
  /** When what is believed to be counted was answered. */
  private countedMs: number[] = []
  private answers = 0
  private firstMs: number | undefined
  private readonly stretches: Stretch[] = []
  /** The stretch that goes on. */
  private open: OpenStretch | undefined
  /** Whether an answer told of a ban, and others too for a while. */
  private hasMet = false
  /** The pause after which something was served, at the end of the latest stretch: some Cores begin a ban anew with each try. */
  private quietMs = 0
  /** What was counted, and where the stretches began. */
  private readonly history: Record<Counted, RateHistory> = { refusals: new RateHistory(), errors: new RateHistory() }
  /** When the requests that are under way were sent. */
  private readonly underWayMs: number[] = []
  private restUntilMs = Number.NEGATIVE_INFINITY
  /** When the last ban that the run waited for began; undefined where one was met since. */
  private restFromMs: number | undefined
  private lastErrorMs: number | undefined
  private rests = 0
  private triedAfter = TRIED_AFTER
  private contradicted = 0
  /** When the latest that was answered had been sent. */
  private servedMs = Number.NEGATIVE_INFINITY

  /** Notes that a request goes out. */
  sent(nowMs: number): void {
    this.underWayMs.push(nowMs)
  }

  /** Notes that what came of a request is known. @param sentMs when it went out */
  landed(sentMs: number): void {
    const at = this.underWayMs.indexOf(sentMs)
    if (at >= 0) this.underWayMs.splice(at, 1)
  }

  /**
   * Notes a request that was answered.
   * @param as how it was refused; absent where it was not
   * @returns when the stretch began that has ended with it, where an answer told of that; else undefined
   */
  answered(sentMs: number, nowMs: number, as?: { isRefusal: boolean }): number | undefined {
    const { open } = this
    const beganMs = open?.isTold && sentMs > open.fromMs ? open.fromMs : undefined
    if (open && sentMs > open.fromMs) {
      this.quietMs = sentMs - open.triedMs
      this.close(open, nowMs)
    }
    if (sentMs > this.restUntilMs) this.restFromMs = undefined
    this.servedMs = Math.max(this.servedMs, sentMs)
    this.answers++
    this.firstMs ??= nowMs
    if (as) this.count(as, nowMs)
    return beganMs
  }

  private count(as: { isRefusal: boolean }, nowMs: number): void {
    this.lastErrorMs = nowMs
    for (const each of as.isRefusal ? (['refusals', 'errors'] as const) : (['errors'] as const)) {
      this.counts[each]++
      this.history[each].note(nowMs, true)
    }
    const { belief } = this
    if (!belief || (belief.counted === 'refusals' && !as.isRefusal)) return
    if (belief.pace) {
      belief.pace.note(nowMs)
      return
    }
    this.countedMs.push(nowMs)
    this.rest(belief, nowMs)
  }

  /**
   * Notes a request that was turned away.
   * @param how what it met: an answer that said so, or is even known to be none to its request, and no limit of the rate either; no answer; or
   *   no connection
   */
  away(sentMs: number, nowMs: number, how: 'told' | 'said' | 'unanswered' | 'unconnected'): void {
    // What was under way when the run began to wait, or when what was sent after it was answered.
    if (nowMs <= this.restUntilMs || sentMs < this.servedMs) return
    const isTold = how === 'told'
    const tries = isTold || how === 'said' ? DROPS : 1
    const drops = how === 'unanswered' ? 1 : 0
    if (this.open) {
      const { open } = this
      open.tries += tries
      open.drops += drops
      open.leastMs = Math.max(open.leastMs, sentMs - open.fromMs)
      open.triedMs = Math.max(open.triedMs, sentMs)
      open.isTold ||= isTold
      return
    }
    const { counts, answers: answered, firstMs = nowMs, lastErrorMs: countedMs = nowMs } = this
    this.open = {
      counts,
      answered,
      firstMs,
      fromMs: nowMs,
      countedMs,
      leastMs: 0,
      forMs: 0,
      isTold,
      tries,
      drops,
      triedMs: sentMs,
    }
    for (const history of Object.values(this.history)) history.note(nowMs, false)
  }

  /** Whether nothing is served now, as far as is known. */
  get isMet(): boolean {
    return this.open !== undefined
  }

  /** The limit of errors that explains best where the stretches began. */
  get fit(): Fit | undefined {
    return this.history.errors.fit(0, true)
  }

  /** When the next request may be sent, so that it meets no ban. */
  openAtMs(nowMs: number): number {
    const { belief, open, restUntilMs } = this
    const soon = this.underWayMs.filter(ms => ms > nowMs - LONGEST_UNDER_WAY_MS).length
    const paced = belief?.pace && !open ? belief.pace.openAtMs(nowMs, soon) : restUntilMs
    const forMs = belief?.pace?.settlingMs ?? belief?.forMs ?? (open?.isTold ? this.quietMs : 0)
    const over = open && open.tries <= DROPS ? open.fromMs + forMs : restUntilMs
    // One at a time finds out whether a ban is over: the others may be counted, too. Each try may begin it anew, so they come apart.
    const isMute = open !== undefined && open.drops > DROPS
    const first = (open?.isTold || isMute) && soon > 0 ? nowMs + LOOK_MS : restUntilMs
    const apart = isMute ? open.triedMs + Math.min(APART_MS * 2 ** (open.drops - DROPS), LONGEST_APART_MS) : restUntilMs
    return Math.max(restUntilMs, paced, over, first, apart)
  }

  private rest({ after, forMs, withinMs }: Banned, nowMs: number): void {
    const { countedMs } = this
    // A long ban is not waited for: there are fewer refusals in a while than lead to it.
    const isLong = forMs > withinMs
    const most = isLong ? after - 1 : after
    if (isLong) while (countedMs.length && nowMs - (countedMs[0] ?? 0) > withinMs) countedMs.shift()
    if (countedMs.length < most) return
    if (++this.rests >= this.triedAfter && !isLong) {
      if (countedMs.length > after * 2) this.forget()
      return
    }
    this.restUntilMs = isLong ? (countedMs[0] ?? nowMs) + withinMs * LONGER : nowMs + forMs * LONGER
    if (isLong) return
    this.restFromMs = nowMs
    this.begin()
  }

  private close(open: OpenStretch, nowMs: number): void {
    this.open = undefined
    // Where one is expected, fewer are enough.
    const isExpected = this.belief && !this.belief.pace && isAlike(open, this.belief)
    if (open.tries < DROPS && !isExpected) return
    this.hasMet ||= open.isTold && open.leastMs >= SHORTEST_MS
    const { tries: _, drops: __, triedMs: ___, ...stretch } = { ...open, forMs: nowMs - open.countedMs }
    this.begin()
    const { belief, restFromMs } = this
    this.restFromMs = undefined
    if (belief && restFromMs !== undefined && stretch.counts[belief.counted] <= UNDER_WAY) {
      // It had not ended when the run went on.
      belief.forMs = Math.max(belief.forMs, nowMs - restFromMs)
      return
    }
    if (belief && !belief.pace && isAlike(stretch, belief)) {
      if (this.rests >= this.triedAfter) this.triedAfter *= 2
      this.rests = 0
      this.contradicted = 0
      belief.forMs = shortest([belief, stretch])
      belief.leastMs = Math.max(belief.leastMs, stretch.leastMs)
      return
    }
    const isContradicted = belief?.pace ? this.isFar(belief, belief.pace, stretch) : belief !== undefined
    if (isContradicted && ++this.contradicted < CONTRADICTED) return
    if (isContradicted) this.forget()
    this.stretches.push(stretch)
    if (this.stretches.length > ALIKE) this.stretches.shift()
    this.learn(stretch, nowMs)
  }

  /** Whether a stretch began though much less was counted before than a falling count would take. */
  private isFar({ counted, withinMs }: Banned, pace: EvenPace, { fromMs }: Stretch): boolean {
    return this.history[counted].served(fromMs, withinMs) * pace.spacingMs * 2 < withinMs
  }

  /**
   * Believes in a ban where the latest stretches began after as many refusals, and not after as many requests. Else in a count
   * that falls little by little, where an answer told of a ban.
   */
  private learn(latest: Stretch, nowMs: number): void {
    const { stretches, belief } = this
    const differ = (numbers: number[]) => Math.max(...numbers) - Math.min(...numbers)
    const counted = COUNTED.find(
      each =>
        differ(stretches.map(({ counts }) => counts[each])) <= UNDER_WAY &&
        (!belief || Math.min(...stretches.map(({ counts }) => counts[each])) >= belief.after - UNDER_WAY),
    )
    const isChance = !counted || differ(stretches.map(({ answered }) => answered)) <= UNDER_WAY
    // What is served again at the first try, and soon, is turned away by a rate as well.
    const isSeen = stretches.every(
      ({ leastMs, countedMs, fromMs, forMs }) => leastMs >= SHORTEST_MS || countedMs + forMs - fromMs > SOON_MS,
    )
    if (stretches.length < ALIKE || isChance || !isSeen) {
      this.learnPace(latest, nowMs)
      return
    }
    const after = Math.min(...stretches.map(({ counts }) => counts[counted]))
    if (after < FEW) return
    this.belief = {
      counted,
      after,
      leastMs: Math.max(...stretches.map(({ leastMs }) => leastMs)),
      forMs: shortest(stretches),
      withinMs: spanOf(Math.max(...stretches.map(({ firstMs, fromMs }) => fromMs - firstMs))),
    }
  }

  private learnPace({ counts, firstMs, fromMs, leastMs, forMs, isTold }: Stretch, nowMs: number): void {
    const { belief } = this
    if (belief?.pace) {
      const rate = this.history[belief.counted].fit()?.rate
      // So few are no pace: the Core had not forgotten enough of those before.
      if (counts[belief.counted] >= FEW) belief.pace.slower(rate && (1000 / rate) * SLOWER)
      belief.pace.settle(nowMs)
      return
    }
    // Nobody knows yet which of them count, and all errors are at least as many.
    if (belief || !isTold || !this.hasMet || counts.errors < FEW) return
    // Those that were counted are forgotten at some time between the last try and the first that was served.
    const forgottenMs = Math.min(fromMs - firstMs, forMs) + (leastMs + forMs) / 2
    const pace = new EvenPace((forgottenMs / counts.errors) * SLOWER)
    pace.settle(nowMs)
    this.belief = { counted: 'errors', after: counts.errors, leastMs, forMs, withinMs: forgottenMs, pace }
  }

  /** Gives up what is believed for now, since something else may explain it. */
  setAside(): void {
    this.aside ??= this.belief
    this.forget()
  }

  /** Believes again what was set aside: of a later ban less is known, since a Core may not have forgotten what led to the one before. */
  takeUp(nowMs: number): void {
    if (!this.aside) return
    this.belief = this.aside
    this.aside = undefined
    this.belief.pace?.settle(nowMs)
  }

  /** Gives up what is believed. */
  forget(): void {
    this.belief = undefined
    this.stretches.length = 0
    this.contradicted = 0
    this.rests = 0
  }

  /** Counts anew. */
  private begin(): void {
    this.counts = { refusals: 0, errors: 0 }
    this.countedMs = []
    this.answers = 0
    this.firstMs = undefined
  }
}

/** Whether a stretch began after as many as a ban does. */
function isAlike({ counts }: Stretch, { counted, after }: Banned): boolean {
  return Math.abs(counts[counted] - after) <= UNDER_WAY
}

/** How long a ban lasts that each of these may have been: not shorter than any was seen to be, and not longer. In milliseconds. */
export function shortest(stretches: readonly { leastMs: number; forMs: number }[]): number {
  const least = Math.max(...stretches.map(({ leastMs }) => leastMs))
  return Math.max(least, Math.min(...stretches.map(({ forMs }) => forMs)))
}

function spanOf(ms: number): number {
  return SPANS_MS.find(each => each >= ms) ?? ms
}
