import type { ExploreSetting } from '../result.js'

/** Requests that a Core gets during the waits of a run by default. */
const REQUESTS = 1500
/** Most requests to confirm and shorten one contradiction. */
const PURSUIT_REQUESTS = 900
/** The same in virtual time, where nobody waits. */
const PURSUIT_VIRTUAL = 3000
/** Most time for that where a user waits, in milliseconds: enough for some hundred requests. */
const PURSUIT_MS = 8 * 60_000

/** The quantities that a {@link Budget} counts. */
export interface Counted {
  isVirtual: boolean
  /** When the specs have waited, on the clock of the run. */
  endsMs: number
  now: () => number
  /** Returns the number of requests sent so far. */
  sent: () => number
  /** Requests that an earlier process sent. */
  before: number
}

/** Limits the requests and the time for exploring. */
export class Budget {
  private readonly startMs: number
  private readonly untilMs: number
  private readonly most: number
  /** Requests spent on pursuits, which do not count as exploring. */
  private spent = 0

  constructor(
    private readonly setting: ExploreSetting,
    private readonly counted: Counted,
  ) {
    const { isVirtual, endsMs, now, before } = counted
    const { requests, durationMs } = setting
    const isDefault = requests === null && durationMs === null
    this.startMs = now()
    this.most = Math.max(0, (requests ?? (isDefault ? REQUESTS : Number.POSITIVE_INFINITY)) - before)
    const end = durationMs === null ? undefined : this.startMs + durationMs
    this.untilMs = end ?? (isDefault && !isVirtual ? endsMs : Number.POSITIVE_INFINITY)
  }

  /** Number of requests left. */
  get left(): number {
    return this.most + this.spent - this.counted.sent()
  }

  /** Whether enough is left for another sequence. @param sent by the caller, which may use this share of all requests */
  mayGoOn(sent: number, share: number): boolean {
    return this.counted.now() < this.untilMs && sent < this.most * share && this.left > 0
  }

  /** Returns the requests that there is time for, if a sequence needs as many looks after them. */
  requestsIn(requestMs: number): number {
    if (!Number.isFinite(this.untilMs)) return Number.POSITIVE_INFINITY
    return Math.floor((this.untilMs - this.counted.now()) / requestMs / 2)
  }

  /** The part of the time that has passed, from 0 to 1; 1 where the time has no end. */
  get part(): number {
    const { isVirtual, now } = this.counted
    if (isVirtual || !Number.isFinite(this.untilMs)) return 1
    return Math.min(1, (now() - this.startMs) / Math.max(1, this.untilMs - this.startMs))
  }

  /** How much time is left, in milliseconds: without end where the clock leaps. */
  get leftMs(): number {
    const { now, isVirtual, endsMs } = this.counted
    if (isVirtual && this.setting.durationMs === null) return Number.POSITIVE_INFINITY
    const untilMs = Number.isFinite(this.untilMs) ? this.untilMs : Math.max(endsMs, now() + PURSUIT_MS)
    return untilMs - now()
  }

  /** Begins to pursue a contradiction. @returns a function that says whether time and requests are left to go on */
  pursuit(): () => boolean {
    const { now, sent, isVirtual } = this.counted
    const [fromMs, from, spent] = [now(), sent(), this.spent]
    return () => {
      this.spent = spent + sent() - from
      return (
        sent() - from < (isVirtual ? PURSUIT_VIRTUAL : PURSUIT_REQUESTS) && (isVirtual || now() - fromMs < PURSUIT_MS)
      )
    }
  }

  /** Lets the Core rest, so that the requests are spread over the time. */
  async rest(pause: (ms: number) => Promise<void>): Promise<void> {
    const { isVirtual, now, sent } = this.counted
    if (isVirtual || !Number.isFinite(this.untilMs) || !Number.isFinite(this.most)) return
    const dueMs = this.startMs + ((this.untilMs - this.startMs) * (sent() - this.spent)) / this.most
    if (dueMs > now()) await pause(dueMs - now())
  }
}
