import { setTimeout as sleep } from 'node:timers/promises'
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { ConnectionLease, Connections } from './connections.js'
import { type EarlierTry, type Exchange, isDelivered, summary, type WireRequest } from './exchange.js'
import type { Paced, Pacer } from './pacer.js'
import { OutOfPatience } from './patience.js'
import { pauseAsked } from './pause.js'
import { KeptConnection, type Transport } from './transport.js'

/** What repeats so many times on new connections is the Core's, and judged. */
export const TRIES = 3
/** As many of the connections that were kept open may have been closed meanwhile: a lease holds two. */
const MOST_STALE = 2
/** Between tries of what dropped: the first right away, more or less, since most drops are chance. */
const DROP_PAUSES_MS = [50, 400]
/** Between tries of a connection that did not come about. */
const CONNECT_PAUSES_MS = [50, 200, 400, 800, 1500]
/** How long a Core that was reached before is tried to be reached again; then it is gone until somebody gets through. */
const GONE_AFTER_MS = 10_000
/** How long one that was never reached is tried: a wrong address is to be told soon. */
const NEVER_THERE_MS = 700
/** How long a first try to connect may take, before it is given up for another: what was swallowed on the way never ends. */
const FIRST_CONNECT_MS = 3000
/** An answer may take so many times as long as the slowest of the first ones, and what a small device was seen to take in any case. */
const LATE_FACTOR = 4
const LATE_AFTER_MS = 2000
/** Later than this is late for any Core. */
const LATE_AT_MOST_MS = 5000
/** So many answers tell how long those of this Core take: about as many as the survey gets. */
const FIRST_ANSWERS = 12
/**
 * So many requests one after another that got on their way and no whole answer, each tried as often as it may be, and for at
 * least so long: no network that drops 5 in 100 does that, nor does a restart, at which no connection comes about.
 */
const MOST_SILENT = 12
const SILENT_MS = 60_000
/** When a run is being ended, so many without an answer in a row show that no more will come: two for each connection. */
const MOST_UNHEARD = 8
/** How long a pause is when the run is being ended, on the real clock. */
const LAST_PAUSE_MS = 1000
/** How often a logon is put off for its rate while tokens are held: what is meant may be a limit of tokens. */
const PUT_OFF_WITH_TOKENS = 2
/** How often one request is put off while others like it are taken: then it is not the rate that is refused. */
const PUT_OFF_ALONE = 6

/** What a {@link Sender} works with. */
export interface SenderOptions {
  transport: Transport
  connections: Connections
  pacer: Pacer
  /** Lets time pass on the clock of the run. */
  pause: (ms: number) => Promise<void>
  /** Whether the run is being ended early, so that nothing is tried for long. */
  isEnding: () => boolean
}

/** How one request is to be sent. */
export interface Sending {
  /** What it is sent on: somebody's connections; without any it gets one of its own. */
  on?: ConnectionLease | KeptConnection | undefined
  /** Not on the kept connection, but on one of its own. */
  isNew?: boolean | undefined
  /** Whether it is a right logon, and tokens are held now: others may have logged on since it was asked for. */
  holdsTokens?: () => boolean
  /** Whether it cleans up, which is done also when the run is over, or out of patience. */
  isCleaning?: boolean | undefined
  /** Whether it may be sent again after it dropped, and may have had its effect. */
  mayRepeat: (dropped: Exchange) => boolean
  /** Called right before each try, and right after it. @throws where it may not be sent; then the last try counts */
  before?: () => void
  after?: (exchange: Exchange) => void | Promise<void>
}

/**
 * Sends requests, and sends them again where the wire or a limit is what answered: when the Core asks to slow down, when a
 * connection does not come about, and when one drops, as far as that does no harm.
 */
export class Sender {
  /** Since when nothing came about, by the real clock; undefined where the last connection did. */
  private goneSinceMs: number | undefined
  private wasReached = false
  private slowestConnectMs = 0
  /** So many whole answers came, up to {@link FIRST_ANSWERS}, and the slowest of them took so long. */
  private answers = 0
  private slowestAnswerMs = 0
  /** Requests in a row without a whole answer, since when on the clock of the run, and how many of them while the run was being ended. */
  private silent = 0
  private silentSinceMs = 0
  private unheard = 0

  constructor(private readonly options: SenderOptions) {}

  /**
   * @returns the try that counts, with those before it
   * @throws OutOfPatience where nothing more is to be sent: patience is over, unless this cleans up, or nothing is answered any more
   */
  async send(request: WireRequest, how: Sending): Promise<Exchange> {
    const { connections, pacer } = this.options
    if (!how.isCleaning) pacer.patience.check()
    if (this.unheard >= MOST_UNHEARD) throw new OutOfPatience('the Core does not answer any more')
    const lease = how.on && !(how.on instanceof KeptConnection) ? how.on : connections.lease()
    try {
      const exchange = await this.repeat(request, how, lease)
      this.listen(exchange)
      return exchange
    } finally {
      if (lease !== how.on) lease.give()
    }
  }

  private async repeat(request: WireRequest, how: Sending, lease: ConnectionLease): Promise<Exchange> {
    const { pacer } = this.options
    const kind: Paced = isLogon(request) ? 'logon' : 'any'
    const earlier: EarlierTry[] = []
    let last: Exchange | undefined
    let drops = 0
    let connects = 0
    let putOff = 0
    let stale = 0
    const startMs = performance.now()
    for (;;) {
      await this.admitted(kind, how, lease)
      try {
        how.before?.()
      } catch (error) {
        if (last) return last
        throw error
      }
      const exchange = await this.once(request, how, lease, connects)
      last = earlier.length ? { ...exchange, earlier: [...earlier] } : exchange
      await how.after?.(exchange)
      const asked = exchange.response && !exchange.error && pauseAsked(exchange.response)
      if (asked) {
        if (!this.isPutOff(kind, exchange, asked.ms, how, putOff++)) return last
      } else if (!exchange.error) {
        pacer.taken(kind, exchange.sentAt)
        return last
      } else if (!isDelivered(exchange)) {
        if (!this.isWorthConnecting(exchange, startMs)) return last
        await this.rest(CONNECT_PAUSES_MS[connects++] ?? 2000, exchange, lease)
      } else if (exchange.isStale && stale++ < MOST_STALE) {
        // The Core closed it before the request came, most likely: what every client sends again (RFC 9110 9.2.2).
        earlier.push(toEarlier(exchange))
        continue
      } else {
        if (exchange.error.kind === 'oversized' || ++drops === TRIES || !how.mayRepeat(exchange)) return last
        // Whoever ends the run does not wait for an answer that others would have been given time for.
        if (exchange.error.kind === 'deadline' && this.options.isEnding()) return last
        await this.rest(DROP_PAUSES_MS[drops - 1] ?? 0, exchange, lease)
      }
      earlier.push(toEarlier(exchange))
    }
  }

  /** Waits for the pace of the run, and for a connection; the Core may have refused others while one was waited for. */
  private async admitted(kind: Paced, how: Sending, lease: ConnectionLease): Promise<void> {
    for (;;) {
      const isOver = await this.admit(kind, how, lease)
      await lease.take()
      if (isOver || !this.options.pacer.isPutOff(kind)) return
    }
  }

  /** @returns whether the run is over, so that nothing is waited for any more */
  private async admit(kind: Paced, how: Sending, lease: ConnectionLease): Promise<boolean> {
    const { pacer, pause } = this.options
    // Whoever is slow by choice keeps its connection: the pauses are short.
    const others = how.isCleaning ? undefined : lease.makeWay?.()
    if (others) await lease.lend(others)
    if (lease.pace) await (how.isCleaning ? lease.pace.admit().catch(() => {}) : lease.pace.admit())
    return pacer.admit(kind, async ms => {
      lease.give()
      if (!how.isCleaning) {
        pacer.patience.pause('limit', ms)
        await pause(ms)
        return false
      }
      // When the run is over, its clock is too, and somebody waits for the end.
      const passed = pacer.patience.isOver ? Promise.reject() : pause(ms)
      const isOver = await passed.then(
        () => false,
        () => true,
      )
      if (isOver) await sleep(Math.min(ms, LAST_PAUSE_MS))
      return isOver
    })
  }

  private async once(request: WireRequest, how: Sending, lease: ConnectionLease, connects: number): Promise<Exchange> {
    const { transport } = this.options
    const own = how.on instanceof KeptConnection ? how.on : undefined
    const kept = how.on === undefined ? undefined : (own ?? lease.for(how.isNew === true))
    const connectMs = Math.max(FIRST_CONNECT_MS, this.slowestConnectMs * 4) * 2 ** connects
    const startMs = performance.now()
    const exchange = await transport.exchange(request, how.isNew ? undefined : kept, connectMs)
    this.noteLost(exchange)
    if (isDelivered(exchange)) {
      this.goneSinceMs = undefined
      this.wasReached = true
      // As far as it can be told from here: it is at most as long as the whole exchange.
      if (!exchange.error) this.slowestConnectMs = Math.max(this.slowestConnectMs, performance.now() - startMs)
    } else this.goneSinceMs ??= performance.now()
    return exchange
  }

  /** Notes the time of a try that got no whole answer, and that by which an answer was late. */
  private noteLost({ sentAt, receivedAt, error, isStale }: Exchange): void {
    const { patience } = this.options.pacer
    if (isStale) return
    if (error) {
      patience.lost('wire', sentAt, receivedAt)
      return
    }
    const tookMs = receivedAt - sentAt
    if (this.answers < FIRST_ANSWERS) {
      this.answers++
      this.slowestAnswerMs = Math.max(this.slowestAnswerMs, tookMs)
    }
    const allowedMs = Math.min(Math.max(this.slowestAnswerMs * LATE_FACTOR, LATE_AFTER_MS), LATE_AT_MOST_MS)
    patience.lost('wire', sentAt + allowedMs, receivedAt)
  }

  /** Hears whether the Core still answers, and ends the run where it does not. */
  private listen(exchange: Exchange): void {
    const { pacer, isEnding } = this.options
    const { error, earlier: [first = exchange] = [] } = exchange
    if (!error) {
      this.silent = 0
      this.unheard = 0
      return
    }
    if (isEnding()) this.unheard++
    // What cannot be reached fails soon, and may be back soon: a device that restarts.
    if (!isDelivered(exchange)) return
    if (this.silent++ === 0) this.silentSinceMs = first.sentAt
    const silentMs = exchange.receivedAt - this.silentSinceMs
    if (this.silent < MOST_SILENT || silentMs < SILENT_MS) return
    pacer.patience.end(
      `none of the last ${count(this.silent, 'request')} got a whole answer, in ${duration(silentMs)} (${summary(exchange)}): the Core does not answer any more, so the rest was left out`,
    )
  }

  /** Whether a request that is refused for now is sent again. */
  private isPutOff(
    kind: Paced,
    exchange: Exchange,
    askedMs: number | undefined,
    how: Sending,
    before: number,
  ): boolean {
    const { pacer } = this.options
    // Without a time, giving tokens back may be what would help: whoever logs on finds that out.
    if (how.holdsTokens?.() && (askedMs === undefined || before === PUT_OFF_WITH_TOKENS)) return false
    try {
      pacer.refused(kind, exchange.sentAt, askedMs)
    } catch (error) {
      if (how.isCleaning && error instanceof OutOfPatience) return before === 0
      throw error
    }
    if (how.isCleaning && this.options.isEnding()) return before === 0
    return !(before >= PUT_OFF_ALONE && pacer.tookOthers(kind, before))
  }

  /** Whether to try to connect again. */
  private isWorthConnecting({ error }: Exchange, startMs: number): boolean {
    if (error?.isLasting) return false
    const nowMs = performance.now()
    const sinceMs = nowMs - startMs
    if (this.options.isEnding()) return sinceMs < NEVER_THERE_MS
    // One that is only slow gets twice the time, as far as there is so much.
    const isSlow = sinceMs >= FIRST_CONNECT_MS && 2 * sinceMs < this.options.transport.connectMs
    if (!this.wasReached) return sinceMs < NEVER_THERE_MS || isSlow
    return nowMs - (this.goneSinceMs ?? nowMs) < GONE_AFTER_MS && sinceMs < 3 * GONE_AFTER_MS
  }

  /** A pause that the wire needs, in real time. Nobody holds a connection for long meanwhile. */
  private async rest(ms: number, { receivedAt }: Exchange, lease: ConnectionLease): Promise<void> {
    this.options.pacer.patience.lost('wire', receivedAt, receivedAt + ms)
    if (ms >= 400) lease.give()
    await sleep(ms)
  }
}

/** Whether it is a logon, right or wrong: a limit to logons counts both. */
function isLogon({ method }: WireRequest): boolean {
  return method === 'POST'
}

/** A try as it stands in the one that counts. */
export function toEarlier({ sentAt, receivedAt, wall, response, error }: Exchange): EarlierTry {
  return {
    sentAt,
    receivedAt,
    ...(wall && { wall }),
    ...(response && { status: response.status }),
    ...(error && { error: { kind: error.kind, message: error.message } }),
  }
}
