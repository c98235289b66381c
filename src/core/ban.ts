/** Learns a ban: after so many refusals a Core serves nothing for a while, and then everything. Pure: it reads no clock. */

/** What a Core may count: refusals for the token or the credentials, or any answer that is an error of the client. */
type Counted = 'refusals' | 'errors'

/** A stretch in which nothing was served. */
interface Stretch {
  /** What was counted since the stretch before it. */
  counts: Record<Counted, number>
  /** How many requests were answered since then. */
  answered: number
  /** When the first of them was answered, and when nothing was served any more. */
  firstMs: number
  fromMs: number
  /** How long nothing was served. */
  forMs: number
}

/** What is believed of a ban. */
export interface Banned {
  counted: Counted
  /** After this many nothing is served. */
  after: number
  /** For how long, in milliseconds. */
  forMs: number
  /** They were counted over this time, or a longer one. */
  withinMs: number
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
/** Spans of time over which a Core may count, in milliseconds. */
const SPANS_MS = [1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000]
/** How much longer than a ban the run waits. */
const LONGER = 1.1
/** After so many waits the run tries whether there still is a ban; where there is, the number doubles. */
const TRIED_AFTER = 8

/** Finds out whether refusals are followed by a ban, and when to wait so that nothing is sent into one. */
export class Ban {
  /** What is believed; undefined where there is no reason to. */
  belief: Banned | undefined
  private counts: Record<Counted, number> = { refusals: 0, errors: 0 }
  /** When what is believed to be counted was answered. */
  private countedMs: number[] = []
  private answers = 0
  private firstMs: number | undefined
  private readonly stretches: Stretch[] = []
  /** The stretch that goes on. */
  private open: (Stretch & { tries: number }) | undefined
  private restUntilMs = Number.NEGATIVE_INFINITY
  private rests = 0
  private triedAfter = TRIED_AFTER
  private contradicted = 0

  /**
   * Notes a request that was answered.
   * @param sentMs when it was sent
   * @param as how it was refused; absent where it was not
   */
  answered(sentMs: number, nowMs: number, as?: { isRefusal: boolean }): void {
    const { open } = this
    if (open && sentMs > open.fromMs) this.close(open, nowMs)
    this.answers++
    this.firstMs ??= nowMs
    if (!as) return
    this.counts.errors++
    if (as.isRefusal) this.counts.refusals++
    const { belief } = this
    if (!belief || (belief.counted === 'refusals' && !as.isRefusal)) return
    this.countedMs.push(nowMs)
    this.rest(belief, nowMs)
  }

  /** Notes a request that was turned away. @param isSaid whether an answer said so */
  away(nowMs: number, isSaid: boolean): void {
    // What was under way when the run began to wait.
    if (nowMs <= this.restUntilMs) return
    const tries = isSaid ? DROPS : 1
    if (this.open) {
      this.open.tries += tries
      return
    }
    const { counts, answers: answered, firstMs = nowMs } = this
    this.open = { counts, answered, firstMs, fromMs: nowMs, forMs: 0, tries }
  }

  /** When the next request may be sent, so that it meets no ban. */
  get openAtMs(): number {
    const { belief, open, restUntilMs } = this
    return Math.max(restUntilMs, belief && open && open.tries <= DROPS ? open.fromMs + belief.forMs : restUntilMs)
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
    if (!isLong) this.begin()
  }

  private close(open: Stretch & { tries: number }, nowMs: number): void {
    this.open = undefined
    if (open.tries < DROPS) return
    const { tries: _, ...stretch } = { ...open, forMs: nowMs - open.fromMs }
    this.begin()
    const { belief } = this
    if (belief && Math.abs(stretch.counts[belief.counted] - belief.after) <= UNDER_WAY) {
      if (this.rests >= this.triedAfter) this.triedAfter *= 2
      this.rests = 0
      this.contradicted = 0
      belief.forMs = Math.max(belief.forMs, stretch.forMs)
      return
    }
    if (belief && ++this.contradicted < CONTRADICTED) return
    if (belief) this.forget()
    this.stretches.push(stretch)
    if (this.stretches.length > ALIKE) this.stretches.shift()
    this.learn()
  }

  /** Believes in a ban where the latest stretches began after as many refusals, and not after as many requests. */
  private learn(): void {
    const { stretches } = this
    if (stretches.length < ALIKE) return
    const differ = (numbers: number[]) => Math.max(...numbers) - Math.min(...numbers)
    const counted = (['refusals', 'errors'] as const).find(
      each => differ(stretches.map(({ counts }) => counts[each])) <= UNDER_WAY,
    )
    if (!counted || differ(stretches.map(({ answered }) => answered)) <= UNDER_WAY) return
    const after = Math.min(...stretches.map(({ counts }) => counts[counted]))
    if (after < FEW) return
    const spanMs = Math.max(...stretches.map(({ firstMs, fromMs }) => fromMs - firstMs))
    this.belief = {
      counted,
      after,
      forMs: Math.max(...stretches.map(({ forMs }) => forMs)),
      withinMs: SPANS_MS.find(each => each >= spanMs) ?? spanMs,
    }
  }

  private forget(): void {
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
