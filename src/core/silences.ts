/** Finds the stretches of a run in which the Core answered nothing, though it was asked. */
import { type Exchange, isDelivered, type WireRequest } from './exchange.js'

/** A stretch without any answer. Times are milliseconds on the clock of the run. */
export interface Silence {
  /** The last answer before it, or the first request that was sent in it. */
  fromMs: number
  /** The next answer; where nothing was asked for a while before that, or ever again, the end of the last try. */
  untilMs: number
  /** How many tries ended without a whole answer. */
  tries: number
  /** How the last of them ended; absent where all were answered late. */
  error?: string
  /** Present where no answer came after it. */
  isLast?: true
}

/** A silence that may go on. */
interface Open extends Silence {
  /** The requests that were not answered. */
  requests: Set<string>
  /** Whether a connection could not be made. */
  isAway: boolean
}

/**
 * Collects silences. Requests that get no answer because of what they ask are none: others are answered meanwhile, or
 * right afterwards.
 */
export class Silences {
  private readonly found: Silence[] = []
  private open: Open | undefined
  private answeredMs: number | undefined
  private shortestMs = Number.POSITIVE_INFINITY

  /**
   * Notes a try. Tries before the first answer of a Core are none: it may never have been there.
   * @param askedMs when its connection was asked for
   * @param lateMs how late an answer of this Core has to be to count as late: a shorter silence is none
   */
  note(exchange: Exchange, askedMs: number, lateMs: number): void {
    const { request, receivedAt, error, isStale } = exchange
    if (isStale) return
    this.shortestMs = lateMs
    const before = this.answeredMs
    if (!error) this.answeredMs = Math.max(before ?? 0, receivedAt)
    if (before === undefined) return
    const fromMs = Math.min(this.open?.fromMs ?? Number.POSITIVE_INFINITY, Math.max(before, askedMs))
    if (error) {
      this.open ??= { fromMs, untilMs: receivedAt, tries: 0, requests: new Set(), isAway: false }
      const { open } = this
      open.fromMs = fromMs
      open.untilMs = Math.max(open.untilMs, receivedAt)
      open.tries++
      open.error = error.message
      open.requests.add(nameOf(request))
      open.isAway ||= !isDelivered(exchange)
      return
    }
    const { open } = this
    const isLate = receivedAt - askedMs >= lateMs
    // This one is answered, and those were not: that is how the Core treats them.
    if (open && !isLate && !open.isAway && !open.requests.has(nameOf(request))) this.open = undefined
    else {
      const isAsked = !open || askedMs - open.untilMs < lateMs
      this.close({ ...(open ?? { tries: 0 }), fromMs, untilMs: isAsked ? receivedAt : open.untilMs })
    }
  }

  /** Returns all of them, in order. One that still goes on ends with its last try. */
  all(): Silence[] {
    const { open } = this
    if (open?.isAway) this.close({ ...open, isLast: true })
    return this.found
  }

  private close({ fromMs, untilMs, tries, error, isLast }: Silence): void {
    this.open = undefined
    if (untilMs - fromMs < this.shortestMs) return
    this.found.push({ fromMs, untilMs, tries, ...(error !== undefined && { error }), ...(isLast && { isLast }) })
  }
}

/** Names a request. A request with another token may be treated in another way. */
function nameOf({ method, path, headers, body, omitHost }: WireRequest): string {
  return JSON.stringify([method, path, headers, body, omitHost])
}
