import { duration } from '../duration.js'
import { Patience, type PatienceOptions } from './patience.js'

/** What a limit is to: logons, or every request. */
export type Paced = 'logon' | 'any'

/** How long a Core means that does not say; then twice as long each time, up to the second number. */
const PAUSE_MS = 1000
const LONGEST_UNASKED_MS = 30_000
/** A Core that asks to come back at once, and refuses again, is not asked as fast as the network goes. */
const SHORTEST_MS = 100
/** A limit counts requests in some span of time: what it asks to wait, in whole seconds, but hardly less or more than these. */
const SHORTEST_SPAN_MS = 1000
const LONGEST_SPAN_MS = 10_000
/** Room under a limit, since both clocks and the way there vary. */
const SLOWER = 1.1
/** How much slower still, when a pace that was lowered is too fast. */
const SLOWER_AGAIN = 1.5
/** A pace that was learnt from fewer than this is a guess: it is raised again as long as nothing is refused. */
const FEW = 3
const GUESSED_TOO_SLOW = 0.6
/**
 * A busy machine or network bunches what was sent at an even pace, so the Core refuses what keeps under its limit, and the pace
 * gets slower than it need be. After so many that were taken in a row it is raised a little, up to the one that was learnt.
 */
const RAISED_AFTER = 8
const RAISED = 0.8
/** A refusal at the pace that was learnt, or nearly so, says that it was learnt wrongly. */
const NEARLY = 1.3
/**
 * One refusal may be chance, and would slow down all that follows. So a pace that was learnt is tried at twice the speed after
 * so many that were taken in a row, and twice as many after each further refusal: a limit is met so seldom that it does not matter.
 */
const TRIED_FASTER_AFTER = 32
const FASTER = 0.5
/** So much after the one before it somebody in line looks whether it is the first now. */
const LOOK_MS = 2
/** A pace as fast as this slows nobody down. */
const NO_PACE_MS = 20
/** So many of the latest are remembered. */
const REMEMBERED = 64

/** One limit of the Core, and the pace that keeps under it. */
class Limit {
  /** Nothing is sent before this. */
  openAtMs = 0
  /** When the next may be sent, at this pace. */
  nextAtMs = 0
  /** Least time between two; 0 where there is no limit. */
  spacingMs = 0
  /** Less than this was seen to be too little; 0 where that was never counted. */
  leastMs = 0
  /** Taken since the pace was last changed. */
  takenInARow = 0
  /** Taken since the last refusal, or since it was last tried faster. */
  takenSince = 0
  /** How often it was slowed down. */
  slowedDown = 0
  /** What {@link leastMs} was before it was tried faster; 0 where it is not. */
  knownMs = 0
  isGuess = false
  refusals = 0
  /** Refusals since the last that was taken. */
  inARow = 0
  /** When the pace was last changed: what was sent before says nothing of the new one. */
  changedAtMs = Number.NEGATIVE_INFINITY
  readonly taken: number[] = []
}

/**
 * The pace of a whole run. When the Core asks to slow down, nobody sends before the time that it asks for (no logon, when a
 * logon was refused; nothing, when another request was), and from then on less often, so that it need not ask again.
 */
export class Pacer {
  private readonly limits: Record<Paced, Limit> = { logon: new Limit(), any: new Limit() }
  /** Who waits to send something, in the order of coming. */
  private readonly lines: Record<Paced, symbol[]> = { logon: [], any: [] }
  /** What all pauses of the run may take together, and whatever else is lost. */
  readonly patience: Patience

  constructor(private readonly options: PatienceOptions) {
    this.patience = new Patience(options)
  }

  /** The line that says that the run was slowed down, and by what; undefined where that is not so. */
  get notice(): string | undefined {
    const { logon, any } = this.limits
    if (logon.refusals + any.refusals === 0) return undefined
    const told = [describe(logon, 'logon'), describe(any, 'request')].filter(Boolean).join(' and ')
    return `the Core limits ${told}; the run slowed down, and spent ${duration(this.patience.limitMs)} on that`
  }

  /** Least time between two of a kind, at the pace of now; 0 where there is no limit. */
  spacingMs(kind: Paced): number {
    return Math.max(this.limits[kind].spacingMs, this.limits.any.spacingMs)
  }

  /**
   * Waits until something of this kind may be sent.
   * @param pause lets time pass; called only where there is something to wait for. True: the run is over, so no more is waited for
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
        // Nobody's time is fixed before it has come: the pace may get faster or slower, and a refusal may put everything off.
        // So all look again whenever the first in line may have gone.
        isOver = await pause(Math.max(first - nowMs, 0) + before * LOOK_MS)
        if (isOver) break
      }
      for (const limit of limits) if (limit.spacingMs) limit.nextAtMs = this.options.now() + limit.spacingMs
      return isOver
    } finally {
      line.splice(line.indexOf(place), 1)
    }
  }

  /** Whether nothing of this kind may be sent yet, since the Core asked for a pause. */
  isPutOff(kind: Paced): boolean {
    return Math.max(this.limits[kind].openAtMs, this.limits.any.openAtMs) > this.options.now()
  }

  /** Notes that something of this kind was taken. @param sentMs when it was sent */
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

  /** Whether others of this kind were taken while one was refused so many times. */
  tookOthers(kind: Paced, times: number): boolean {
    return this.limits[kind].inARow < times
  }

  /** Whether so many of this kind were taken right before that a limit would explain a refusal. @param sentMs when it was sent */
  tookMany(kind: Paced, sentMs: number): boolean {
    return this.takenBefore(this.limits[kind], sentMs, SHORTEST_SPAN_MS) >= FEW
  }

  /**
   * Notes that something of this kind is refused for now.
   * @param sentMs when it was sent
   * @param askedMs how long the Core asks to wait; undefined where it does not say
   * @throws OutOfPatience when that is longer than the run has patience for
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

  private slowDown(limit: Limit, sentMs: number, askedMs = SHORTEST_SPAN_MS): void {
    limit.inARow++
    const spanMs = askedMs < SHORTEST_SPAN_MS * 2 ? SHORTEST_SPAN_MS : Math.min(askedMs, LONGEST_SPAN_MS)
    // Whether a limit refused may be known some seconds later only, when others were taken.
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
  // What was chance is no pace.
  if (spacingMs < NO_PACE_MS) return `${what}s now and then (${refusals} refused)`
  return `${what}s to one in ${duration(Math.ceil(spacingMs))} or so (${refusals} refused)`
}
