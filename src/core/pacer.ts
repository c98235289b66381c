import { duration } from '../duration.js'
import { Patience, type PatienceOptions } from './patience.js'

/** Which requests a limit counts: logons, or every request. */
export type Paced = 'logon' | 'any'

/** Pause before a further try where the Core does not say how long; doubled each time, up to the second number. */
const PAUSE_MS = 1000
const LONGEST_UNASKED_MS = 30_000
/** Shortest pause where the Core asks to come back at once, and refuses again. */
const SHORTEST_MS = 100
/**
 * Bounds of the time span in which a limit counts requests. The span is the pause that the Core asks for, in whole
 * seconds, within these bounds.
 */
const SHORTEST_SPAN_MS = 1000
const LONGEST_SPAN_MS = 10_000
/** How much slower than a limit the run goes. The clocks and the time on the way vary. */
const SLOWER = 1.1
/** How much slower the run goes when a lowered pace is still too fast. */
const SLOWER_AGAIN = 1.5
/**
 * A pace learnt from fewer requests is a guess. It rises by the factor below with each request that the Core lets
 * through.
 */
const FEW = 3
const GUESSED_TOO_SLOW = 0.6
/**
 * After this many requests let through in a row the pace rises a little, up to the learnt one. A busy machine or
 * network bunches requests that were sent at an even pace. Then the Core refuses a run that keeps under its limit, and
 * the pace drops lower than necessary.
 */
const RAISED_AFTER = 8
const RAISED = 0.8
/** How near to the learnt pace a refusal shows that the pace was learnt wrongly. */
const NEARLY = 1.3
/**
 * After this many requests let through in a row the run tries twice its learnt pace; after each further refusal the
 * number doubles. One refusal may be chance, and would slow down the rest of the run. With a real limit, such tries are
 * so rare that they do not matter.
 */
const TRIED_FASTER_AFTER = 32
const FASTER = 0.5
/** How long after the caller before it each waiting caller looks whether it is first in line. */
const LOOK_MS = 2
/** A spacing below this slows nobody down. */
const NO_PACE_MS = 20
/** How many of the latest requests let through are remembered. */
const REMEMBERED = 64

/** One limit of the Core, with the pace that keeps under it. */
class Limit {
  /** Nothing is sent before this time. */
  openAtMs = 0
  /** When the next request may be sent at this pace. */
  nextAtMs = 0
  /** Least time between two requests; 0 where there is no limit. */
  spacingMs = 0
  /** A shorter spacing was seen to be too short; 0 where that was never measured. */
  leastMs = 0
  /** Requests let through since the pace last changed. */
  takenInARow = 0
  /** Requests let through since the last refusal or the last faster try. */
  takenSince = 0
  /** How often the pace was lowered. */
  slowedDown = 0
  /** The value of {@link leastMs} before the faster try; 0 where no faster try is under way. */
  knownMs = 0
  isGuess = false
  refusals = 0
  /** Refusals since the last request let through. */
  inARow = 0
  /** When the pace last changed. Requests sent before that say nothing about the new pace. */
  changedAtMs = Number.NEGATIVE_INFINITY
  readonly taken: number[] = []
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
    return `the Core limits ${told}; the run slowed down, and spent ${duration(this.patience.limitMs)} on that`
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
    limit.inARow = 0
    limit.takenInARow++
    if (limit.isGuess) limit.spacingMs *= GUESSED_TOO_SLOW
    else if (limit.takenInARow >= RAISED_AFTER && limit.spacingMs > limit.leastMs) {
      limit.spacingMs = Math.max(limit.leastMs, limit.spacingMs * RAISED)
      limit.takenInARow = 0
    }
    if (!limit.isGuess && limit.leastMs && ++limit.takenSince >= TRIED_FASTER_AFTER * 2 ** (limit.slowedDown - 1)) {
      limit.takenSince = 0
      limit.knownMs = limit.leastMs
      limit.leastMs *= FASTER
      limit.spacingMs = limit.leastMs
    }
    limit.taken.push(sentMs)
    if (limit.taken.length > REMEMBERED) limit.taken.shift()
  }

  /** Whether the Core let others of this kind through while it refused one this many times. */
  tookOthers(kind: Paced, times: number): boolean {
    return this.limits[kind].inARow < times
  }

  /**
   * Whether so many requests of this kind were let through right before that a limit would explain a refusal.
   * @param sentMs when the refused one was sent
   */
  tookMany(kind: Paced, sentMs: number): boolean {
    return this.takenBefore(this.limits[kind], sentMs, SHORTEST_SPAN_MS) >= FEW
  }

  /**
   * Notes that the Core refused a request of this kind for now.
   * @param sentMs when it was sent
   * @param askedMs how long the Core asks to wait; undefined where it does not say
   * @throws OutOfPatience where the pause is longer than the patience of the run
   */
  refused(kind: Paced, sentMs: number, askedMs: number | undefined): void {
    const limit = this.limits[kind]
    const nowMs = this.options.now()
    limit.refusals++
    if (sentMs > limit.changedAtMs) this.slowDown(limit, sentMs, askedMs)
    const unaskedMs = Math.min(PAUSE_MS * 2 ** (limit.inARow - 1), LONGEST_UNASKED_MS)
    const pauseMs = askedMs === undefined ? unaskedMs : Math.max(askedMs, SHORTEST_MS * 2 ** Math.min(limit.inARow, 8))
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
    const { taken } = this.limits[kind]
    const place = taken.lastIndexOf(sentMs)
    if (place >= 0) taken.splice(place, 1)
    this.refused(kind, sentMs, 0)
  }

  private slowDown(limit: Limit, sentMs: number, askedMs = SHORTEST_SPAN_MS): void {
    limit.inARow++
    const spanMs = askedMs < SHORTEST_SPAN_MS * 2 ? SHORTEST_SPAN_MS : Math.min(askedMs, LONGEST_SPAN_MS)
    // The run may learn of a refusal some seconds late, after it let other requests through.
    const inSpan = this.takenBefore(limit, sentMs, spanMs)
    limit.isGuess = inSpan < FEW
    const learnt = (spanMs / Math.max(inSpan, 1)) * SLOWER
    const isNearLeast = limit.spacingMs <= limit.leastMs * NEARLY
    if (limit.knownMs) limit.leastMs = limit.knownMs
    else if (!limit.isGuess && isNearLeast) limit.leastMs = limit.leastMs ? limit.leastMs / RAISED : learnt
    limit.knownMs = 0
    limit.takenInARow = 0
    limit.takenSince = 0
    limit.slowedDown++
    limit.spacingMs = Math.min(Math.max(learnt, limit.spacingMs * SLOWER_AGAIN, limit.leastMs), spanMs * SLOWER)
    limit.changedAtMs = this.options.now()
  }

  private takenBefore({ taken }: Limit, sentMs: number, spanMs: number): number {
    return taken.filter(ms => ms > sentMs - spanMs && ms <= sentMs).length
  }
}

function describe({ refusals, spacingMs }: Limit, what: string): string {
  if (!refusals) return ''
  // Such a spacing comes from chance refusals, not from a limit.
  if (spacingMs < NO_PACE_MS) return `${what}s now and then (${refusals} refused)`
  return `${what}s to one in ${duration(Math.ceil(spacingMs))} or so (${refusals} refused)`
}
