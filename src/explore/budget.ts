import type { ExploreSetting } from '../result.js'

/** As many requests as a live Core gets during the waits of a run, where nobody says otherwise. */
const REQUESTS = 1500
/** As many where time is virtual and nobody waits: a run on the embedded mock Core is to be over in seconds. */
const REQUESTS_VIRTUAL = 200
/** What one contradiction may cost until it is confirmed and as short as can be. */
const PURSUIT_REQUESTS = 900
/** How long that may take where somebody waits, milliseconds: some hundred requests. */
const PURSUIT_MS = 8 * 60_000

/** What a {@link Budget} counts. */
export interface Counted {
  isVirtual: boolean
  /** When the specs will have waited, on the clock of the run. */
  endsMs: number
  now: () => number
  /** How many requests were sent by now. */
  sent: () => number
  /** How many an earlier process sent. */
  before: number
}

/** How many requests, and how much time, there are to explore with. */
export class Budget {
  private readonly startMs: number
  private readonly untilMs: number
  private readonly most: number
  /** What pursuits took, which is no exploring. */
  private spent = 0

  constructor(
    private readonly setting: ExploreSetting,
    private readonly counted: Counted,
  ) {
    const { isVirtual, endsMs, now, before } = counted
    const { requests, durationMs } = setting
    const isDefault = requests === null && durationMs === null
    this.startMs = now()
    const usual = isVirtual ? REQUESTS_VIRTUAL : REQUESTS
    this.most = Math.max(0, (requests ?? (isDefault ? usual : Number.POSITIVE_INFINITY)) - before)
    const end = durationMs === null ? undefined : this.startMs + durationMs
    this.untilMs = end ?? (isDefault && !isVirtual ? endsMs : Number.POSITIVE_INFINITY)
  }

  /** How many requests are left. */
  get left(): number {
    return this.most + this.spent - this.counted.sent()
  }

  /** Whether there is enough left for another sequence. @param share of all requests, for whoever may not use all */
  mayGoOn(share: number): boolean {
    const { now, sent } = this.counted
    return now() < this.untilMs && sent() - this.spent < this.most * share && this.left > 0
  }

  /** How many requests there is time for, with as many looks after them as a sequence has. */
  requestsIn(requestMs: number): number {
    if (!Number.isFinite(this.untilMs)) return Number.POSITIVE_INFINITY
    return Math.floor((this.untilMs - this.counted.now()) / requestMs / 2)
  }

  /** How much of the time is over, from 0 to 1; 1 where there is no end to it. */
  get part(): number {
    const { isVirtual, now } = this.counted
    if (isVirtual || !Number.isFinite(this.untilMs)) return 1
    return Math.min(1, (now() - this.startMs) / Math.max(1, this.untilMs - this.startMs))
  }

  /** Whether what takes so long is over in time. */
  fits(ms: number): boolean {
    const { isVirtual, endsMs, now } = this.counted
    if (isVirtual && this.setting.durationMs === null) return true
    const untilMs = Number.isFinite(this.untilMs) ? this.untilMs : Math.max(endsMs, now() + PURSUIT_MS)
    return now() + ms <= untilMs
  }

  /** Begins to pursue a contradiction. @returns whether there is time and room to go on with that, from now on */
  pursuit(): () => boolean {
    const { now, sent, isVirtual } = this.counted
    const [fromMs, from, spent] = [now(), sent(), this.spent]
    return () => {
      this.spent = spent + sent() - from
      return sent() - from < PURSUIT_REQUESTS && (isVirtual || now() - fromMs < PURSUIT_MS)
    }
  }

  /** Lets the Core rest, so that what there is to send is spread over the time that there is. */
  async rest(pause: (ms: number) => Promise<void>): Promise<void> {
    const { isVirtual, now, sent } = this.counted
    if (isVirtual || !Number.isFinite(this.untilMs) || !Number.isFinite(this.most)) return
    const dueMs = this.startMs + ((this.untilMs - this.startMs) * (sent() - this.spent)) / this.most
    if (dueMs > now()) await pause(dueMs - now())
  }
}
