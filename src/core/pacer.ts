import { duration } from '../duration.js'
import { type Belief, beliefOf, describe, FEW, Limit, SHORTEST_SPAN_MS } from './limit.js'
import { Patience, type PatienceOptions } from './patience.js'

/** Which requests a limit counts: logons, or every request. */
export type Paced = 'logon' | 'any'

/**
 * Pause before a further try where the Core does not say how long; doubled each time, up to the second number. Most limits
 * count in seconds, so that the third try most likely gets through.
 */
const PAUSE_MS = 250
const LONGEST_UNASKED_MS = 30_000
/** How often in a row a pause that the run has no time for is tried sooner. */
const TRIED_SOONER = 2
/** Shortest pause where the Core asks to come back at once, and refuses again. */
const SHORTEST_MS = 100
/** How long after the caller before it each waiting caller looks whether it is first in line. */
const LOOK_MS = 2
/** What a {@link Pacer} had counted at some time, and believed. */
export interface Mark {
  answered: number
  away: number
  limits: Record<Paced, Belief>
}

/**
 * The pace of a whole run. When the Core asks to slow down, nothing is sent before the time that it asks for: no logon
 * where a logon was refused, no request where another request was. From then on requests are sent less often, so that
 * the Core need not ask again.
 */
export class Pacer {
  private readonly limits: Record<Paced, Limit> = { logon: new Limit(), any: new Limit() }
  /** The callers that wait to send something, in the order of their arrival. */
  private readonly lines: Record<Paced, symbol[]> = { logon: [], any: [] }
  /**
   * How many requests the Core has answered, and turned away, without logons: where it has no room for tokens it turns every
   * logon away.
   */
  private answered = 0
  private away = 0
  /** Limits the pauses of the run, and all other lost time. */
  readonly patience: Patience

  constructor(private readonly options: PatienceOptions) {
    this.patience = new Patience(options)
  }

  /** Says that the run was slowed down, and by which limits; undefined where it was not. */
  get notice(): string | undefined {
    const { logon, any } = this.limits
    if (logon.refusals + any.refusals === 0) return undefined
    const told = [describe(logon, 'logon'), describe(any, 'request')].filter(Boolean).join(' and ')
    return `the Core ${told}; the run slowed down, and spent ${duration(this.patience.limitMs)} on that`
  }

  /**
   * Returns the least time between two requests of a kind at the present pace, in milliseconds; 0 where there is no
   * limit.
   */
  spacingMs(kind: Paced): number {
    return Math.max(this.limits[kind].spacingMs, this.limits.any.spacingMs)
  }

  /**
   * Waits until a request of this kind may be sent.
   * @param pause lets time pass; called only where the caller has to wait. It returns true where the run is over, which
   *   ends the wait
   * @returns whether the run is over
   */
  async admit(kind: Paced, pause: (ms: number) => Promise<boolean>): Promise<boolean> {
    const limits = kind === 'logon' ? [this.limits.logon, this.limits.any] : [this.limits.any]
    const line = this.lines[kind]
    const place = Symbol(kind)
    line.push(place)
    let isOver = false
    try {
      for (;;) {
        const nowMs = this.options.now()
        const first = Math.max(...limits.map(({ nextAtMs, openAtMs }) => Math.max(nextAtMs, openAtMs)))
        const before = line.indexOf(place)
        if (before === 0 && first <= nowMs) break
        // No caller gets a fixed time in advance: the pace may change, and a refusal may put all callers off. So each
        // caller looks again when the first in line may have gone.
        isOver = await pause(Math.max(first - nowMs, 0) + before * LOOK_MS)
        if (isOver) break
      }
      for (const limit of limits) if (limit.spacingMs) limit.nextAtMs = this.options.now() + limit.spacingMs
      return isOver
    } finally {
      line.splice(line.indexOf(place), 1)
    }
  }

  /** Whether no request of this kind may be sent yet, since the Core asked for a pause. */
  isPutOff(kind: Paced): boolean {
    return Math.max(this.limits[kind].openAtMs, this.limits.any.openAtMs) > this.options.now()
  }

  /** Notes that the Core let a request of this kind through. @param sentMs when it was sent */
  taken(kind: Paced, sentMs = this.options.now()): void {
    const limit = this.limits[kind]
    if (kind === 'any') this.answered++
    if (kind === 'logon') this.limits.any.note(sentMs)
    limit.taken(sentMs)
  }

  /** Counts for {@link isServedBeside}, and for {@link takeBack}. */
  get mark(): Mark {
    const { answered, away } = this
    return { answered, away, limits: { logon: beliefOf(this.limits.logon), any: beliefOf(this.limits.any) } }
  }

  /**
   * Whether the Core answered other requests since, logons aside, and turned none of them away; undefined where there were
   * no others.
   */
  isServedBeside({ answered, away }: Mark): boolean | undefined {
    return this.away > away ? false : this.answered > answered ? true : undefined
  }

  /**
   * Takes back what was believed since, where the Core turned nothing away but the tries of one request: that is how it
   * answers that request.
   * @param kind of that request
   * @param triesMs when its tries were sent
   */
  takeBack(kind: Paced, { away, limits }: Mark, triesMs: readonly number[]): void {
    for (const { history } of Object.values(this.limits)) for (const ms of triesMs) history.forget(ms)
    if (this.away > away + (kind === 'any' ? triesMs.length : 0)) return
    for (const each of ['logon', 'any'] as const) Object.assign(this.limits[each], limits[each], { inARow: 0 })
    this.away = away
  }

  /**
   * Whether so many requests of this kind were let through right before that a limit would explain a refusal.
   * @param sentMs when the refused one was sent
   */
  tookMany(kind: Paced, sentMs: number): boolean {
    return this.limits[kind].history.served(sentMs, SHORTEST_SPAN_MS) >= FEW
  }

  /**
   * Notes that the Core refused a request of this kind for now.
   * @param sentMs when it was sent
   * @param askedMs how long the Core asks to wait; undefined where it does not say
   * @throws OutOfPatience where the pause is longer than the patience of the run
   */
  refused(kind: Paced, sentMs: number, askedMs: number | undefined): void {
    const limit = this.limits[this.limitOf(kind)]
    const nowMs = this.options.now()
    if (kind === 'any') this.away++
    limit.refusals++
    if (sentMs > limit.changedAtMs) limit.slowDown(sentMs, nowMs, askedMs)
    const unaskedMs = Math.min((limit.spacingMs || PAUSE_MS) * 2 ** Math.max(0, limit.inARow - 1), LONGEST_UNASKED_MS)
    // What cannot be waited for may be wrong: some Cores ask for an hour where a token given back is enough.
    const isTooLong = askedMs !== undefined && askedMs > this.patience.leftMs && limit.inARow <= TRIED_SOONER
    const asked = isTooLong ? undefined : askedMs
    const pauseMs = asked === undefined ? unaskedMs : Math.max(asked, SHORTEST_MS * 2 ** Math.min(limit.inARow, 8))
    this.patience.pause('limit', pauseMs)
    limit.openAtMs = Math.max(limit.openAtMs, nowMs + pauseMs)
    limit.nextAtMs = limit.openAtMs
  }

  /**
   * Notes that a limit refused a request of this kind, though its answer did not say so. It was counted as let through: with it
   * the pace would come out above the limit.
   * @param sentMs when it was sent
   * @throws OutOfPatience as {@link refused} does
   */
  refusedAfterAll(kind: Paced, sentMs: number): void {
    this.limits[kind].history.forget(sentMs)
    this.refused(kind, sentMs, 0)
  }

  /** Returns the limit that a refusal shows. A logon is a request, too: one limit explains both, and two have to be seen. */
  private limitOf(kind: Paced): Paced {
    const { logon, any } = this.limits
    if (kind === 'logon') return any.spacingMs > 0 && logon.refusals === 0 ? 'any' : 'logon'
    if (any.refusals === 0 && logon.refusals > 0 && logon.refusals <= FEW) {
      any.refusals = logon.refusals
      Object.assign(logon, beliefOf(new Limit()))
    }
    return 'any'
  }
}
