/** Sends requests, and repeats them. Over 250 lines, since each decision to repeat depends on the counts of the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import type { AnswerBook } from './answers.js'
import { BanLooks } from './ban-looks.js'
import type { ConnectionLease, Connections } from './connections.js'
import {
  type EarlierTry,
  type Exchange,
  isDelivered,
  summary,
  type WireRequest,
  type WireResponse,
} from './exchange.js'
import { KeptConnection } from './kept-connection.js'
import { KINDS, type Mark, type Paced, type Pacer, type Use } from './pacer.js'
import { type Loss, OutOfPatience } from './patience.js'
import { isPutOff, mayBeChance, type PauseAsked, pauseAsked } from './pause.js'
import type { SessionOptions } from './session-options.js'

/**
 * How often a request is sent before its drops are judged. A drop that repeats on new connections is the Core's own.
 */
export const TRIES = 3
/** How many stale kept connections one request may meet: a lease holds two. */
const MOST_STALE = 2
/** Pauses between tries that dropped. The first pause is short, since most drops are chance. */
const DROP_PAUSES_MS = [50, 400]
const LONGEST_DROP_PAUSE_MS = 1000
/** Pauses between tries to connect. */
const CONNECT_PAUSES_MS = [50, 200, 400, 800, 1500]
/**
 * How long the run tries to reach a Core again that it reached before: a device restarts in that time. After that the Core
 * counts as gone, and the run ends.
 */
const GONE_AFTER_MS = 30_000
/** How long the run tries a Core that it never reached: the user should learn of a wrong address soon. */
const NEVER_THERE_MS = 700
/** Most time of the first try to connect. A connection that was swallowed on the way never ends by itself. */
const FIRST_CONNECT_MS = 3000
/**
 * An answer is late after this many times what the first answers of its kind took, and in no case before the second number:
 * small devices were seen to take that long. That is their median: the Core may have stopped for a while among them. No whole second,
 * either: what holds answers back does so for whole ones, and an answer that is given up a moment before it comes tells nothing.
 */
const LATE_FACTOR = 4
const LATE_AFTER_MS = 2400
/** An answer later than this is late for any Core. */
const LATE_AT_MOST_MS = 5000
/** How many answers of a kind show how long those of this Core take: about as many as the survey gets. */
const FIRST_ANSWERS = 12
/**
 * This many tries in a row without a whole answer, over at least this time, end
 * the run. No network that drops 5 in 100 causes that, nor does a restart: a restart refuses connections.
 */
const MOST_SILENT = 12
const SILENT_MS = 60_000
/**
 * While a run is being ended: this many requests in a row without an answer show that no more answers will come. Two
 * for each connection.
 */
const MOST_UNHEARD = 8
/** Longest pause, in real time, when the run is over. */
const LAST_PAUSE_MS = 1000
/**
 * How often in a row a request is turned away, though all others are answered meanwhile, until that is this Core's answer
 * to it: no limit turns away the one and serves the others so often.
 */
const TURNED_AWAY_ALONE = 2
/** The same where a limit is known: by chance it may serve the others, and not this one. */
const ALONE_WITH_LIMIT = 5
/**
 * After so many requests of a kind that never got an answer, or only a 5xx, as often as they were sent, this Core serves none of them:
 * the next is sent once, and nobody waits for its answer longer than answers take, or half a second where that is more.
 */
const UNSERVED = 2
/**
 * After this many requests whose connection was closed each time, while others were served beside them, this Core is known to close on
 * what it does not take. Else each further one would look like a limit.
 */
const CLOSED_ALONE = 3
/**
 * How often a request is turned away without a time where nothing tells whether others are answered: no request ever was, or
 * there is none to send.
 */
const UNKNOWN = 3
/** How long the run waits for a Core that answered whatever it was asked so far with a 5xx. */
const NEVER_ANSWERED_MS = 60_000
/** A pause of the pace up to this long keeps the connection: a request may depend on those before it on the same one. */
const KEPT_MS = 3000

type Kind = Exclude<Paced, 'connection'>

/** Parts of the run that a {@link Sender} works with. */
export interface SenderOptions
  extends Pick<SessionOptions, 'transport' | 'pause' | 'courtesy' | 'silences' | 'wasBan'> {
  connections: Connections
  pacer: Pacer
  /** Whether the run is being ended early, so that no try may take long. */
  isEnding: () => boolean
  /** What the answers of this Core mean, as far as is known. */
  answers: () => AnswerBook
  /** Whether an answer is known to be that of a limit, beside those that the answers tell; absent: none is. */
  isLimit?: (exchange: Exchange) => boolean
  /** Whether a request counts as a logon for what limits those; absent: no other does. */
  countsAsLogon?: (request: WireRequest) => boolean
}

/** How one request is sent. */
export interface Sending {
  /** The connections that it is sent on; absent: a connection of its own. */
  on?: ConnectionLease | KeptConnection | undefined
  /** Whether it goes on a connection of its own, and not on the kept one. */
  isNew?: boolean | undefined
  /**
   * Whether it is a right logon and the run holds tokens now. Other specs may have logged on since the caller asked.
   */
  holdsTokens?: () => boolean
  /** How long there is no room for the token that it asks for, in milliseconds; undefined where nobody knows. */
  fullForMs?: () => number | undefined
  /** Sends a request beside it that any Core answers, on these connections; absent: none is sent. */
  control?: ((on: ConnectionLease) => Promise<Exchange>) | undefined
  /** Whether it is sent once, also where a limit turns it away. A control is. */
  isOnce?: boolean | undefined
  /** Whether it cleans up. Clean-up goes on when the run is over or out of patience. */
  isCleaning?: boolean | undefined
  /** Whether it may be sent again after a drop, though the dropped try may have had its effect. */
  mayRepeat: (dropped: Exchange) => boolean | Promise<boolean>
  /**
   * Called right before each try, and right after it, with the tries before it and the connections that it holds. @throws where it may
   * not be sent; then the last try counts
   */
  before?: () => void
  after?: (exchange: Exchange, lease: ConnectionLease) => void | Promise<void>
}

/** One request that is being sent, and how it was turned away so far. */
interface Errand {
  request: WireRequest
  kind: Kind
  how: Sending
  lease: ConnectionLease
  /** When it was sent. */
  triesMs: number[]
  /** When it was sent on kept connections that were closed, and the next try was not served either. */
  staleMs: number[]
  /** How often in a row all others were answered since the try before. */
  alone: number
  /** What the pacer had counted before the first of these tries, and after the last. */
  first?: Mark
  last?: Mark
  /** Notes of drops that the next try may explain: by being served, or by being refused. */
  unsure: { note: () => void; unless: 'served' | 'refused' }[]
}

/**
 * Sends requests, and repeats those that the wire or a limit stopped: the Core asks to slow down, a connection is not
 * made, or a connection drops. It repeats only where that does no harm.
 */
export class Sender {
  /** When connecting began to fail, by the real clock; undefined where the last connection was made. */
  private goneSinceMs: number | undefined
  private wasReached = false
  private slowestConnectMs = 0
  /** How long the first whole answers took, up to {@link FIRST_ANSWERS} of a kind. A logon may take longer than others. */
  private readonly tookMs: Readonly<Record<Kind, number[]>> = { logon: [], any: [] }
  /**
   * Tries in a row without a whole answer, when the first of them was sent (clock of the run), and how many requests fell into the
   * end of the run.
   */
  private silent = 0
  private silentSinceMs = 0
  private unheard = 0
  /** How many requests of a kind were not served, as often as they were sent, since one of them was. See {@link servedAs}. */
  private readonly unserved = new Map<string, number>()
  /**
   * Statuses of requests that were turned away: whether that was this Core's answer to one, or one with it was ever served when it was
   * sent again.
   */
  private readonly statuses = new Map<number, 'own' | 'passing'>()
  /** Successes with another value than accepted requests get that turned out to be this Core's answer to a request, not that of a limit. */
  private readonly own = new Set<string>()
  /** Whether the Core was known to take fewer connections than the run wanted. */
  private wereShort = false
  /** Whether a request got no answer until its deadline. */
  private hasHung = false
  /** How many requests were answered by closing their connection, while others were served beside them. */
  private closedAlone = 0
  private readonly bans = new BanLooks()

  constructor(private readonly options: SenderOptions) {}

  private kindOf(request: WireRequest): Kind {
    return isLogon(request) || this.options.countsAsLogon?.(request) ? 'logon' : 'any'
  }

  /** Whether an answer of this status may be that of a ban or a limit that was met. */
  mayBeBan(status: number): boolean {
    return this.bans.hasStatus(status)
  }

  /**
   * Sends a request, and repeats it where needed.
   * @returns the try that counts, with the tries before it
   * @throws OutOfPatience where nothing more is to be sent: patience is over (unless this request cleans up), or the
   *   Core does not answer any more
   */
  async send(request: WireRequest, how: Sending): Promise<Exchange> {
    const { connections, pacer } = this.options
    if (!how.isCleaning) pacer.patience.check()
    if (this.unheard >= MOST_UNHEARD) throw new OutOfPatience('the Core does not answer any more')
    const lease = how.on && !(how.on instanceof KeptConnection) ? how.on : connections.lease()
    try {
      const away = { triesMs: [], staleMs: [], alone: 0, unsure: [] }
      const exchange = await this.repeat({ request, kind: this.kindOf(request), how, lease, ...away })
      this.listen(exchange)
      // The Core is not judged by what could not be sent. The run ends, and a resumed one sends it again.
      if (!how.isCleaning && !isDelivered(exchange)) pacer.patience.check()
      return exchange
    } finally {
      if (lease !== how.on) lease.give()
    }
  }

  private async repeat(errand: Errand): Promise<Exchange> {
    const { pacer, connections } = this.options
    const { request, kind, how, lease } = errand
    const earlier: EarlierTry[] = []
    let last: Exchange | undefined
    let connects = 0
    let stale = 0
    const startMs = performance.now()
    for (;;) {
      const opens = await this.admitted(errand)
      const left = lease.isUrgent ? undefined : await this.options.courtesy?.enter()
      try {
        how.before?.()
      } catch (error) {
        left?.()
        if (last) return last
        throw error
      }
      const openedMs = pacer.nowMs
      const exchange = await this.once(errand, connects, last?.error?.kind === 'deadline').finally(left)
      last = earlier.length ? { ...exchange, earlier: [...earlier] } : exchange
      await how.after?.(last, lease)
      if (request.breaksOff && isDelivered(exchange)) return last
      const isRefusal = this.isRefusal(last)
      this.listenToTry(exchange, isRefusal)
      const isBan = !isRefusal && (await this.isBanned(errand, exchange))
      const asked = exchange.response && !exchange.error && !isRefusal && this.pauseAsked(exchange)
      const isServed = isRefusal || (!exchange.error && !asked)
      const isItself = !isRefusal && (await this.isClosedAlone(errand, exchange))
      for (const { note, unless } of errand.unsure.splice(0))
        if (!isItself && !(unless === 'served' ? isServed : isRefusal)) note()
      if (asked && exchange.response) {
        if (!isPutOff(exchange.response) && !(await how.mayRepeat(exchange))) return last
        if (!(await this.isSentAgain(errand, exchange, asked.ms))) return last
      } else if (isBan) {
        if (!(await this.isSentAfterDrop(errand, exchange, { opens, openedMs }))) {
          if (!how.isOnce) this.bans.forget(exchange)
          return last
        }
      } else if (!exchange.error || isRefusal) {
        pacer.taken(kind, exchange.sentAt, { opens, openedMs, refused: this.options.answers().refusalOf(last) })
        this.bans.answered(exchange)
        for (const { status } of earlier) if (status !== undefined) this.statuses.set(status, 'passing')
        return last
      } else if (isItself) {
        if (earlier.length + 1 >= TRIES || !(await how.mayRepeat(exchange))) return last
      } else if (!isDelivered(exchange)) {
        if (this.wasReached && !connections.areShort) pacer.unconnected(exchange.sentAt)
        if (!this.isWorthConnecting(exchange, startMs)) return last
        await this.rest(CONNECT_PAUSES_MS[connects++] ?? 2000, exchange, lease)
      } else if (exchange.isStale && stale++ < MOST_STALE) {
        // The Core most likely closed the connection before the request arrived. Every client sends again then (RFC
        // 9110 9.2.2). Or a limit closed it: then the next try is not served either, and the history shows which.
        this.noteDrop(errand, exchange, () => {
          errand.first ??= pacer.mark
          errand.staleMs.push(exchange.sentAt)
          pacer.dropped(kind, exchange.sentAt)
        })
      } else {
        if (exchange.error.kind === 'oversized' || !(await how.mayRepeat(exchange))) return last
        const use = { opens: opens && !connections.areShort, openedMs }
        if (!(await this.isSentAfterDrop(errand, exchange, use))) return last
      }
      earlier.push(toEarlier(exchange))
    }
  }

  /** Notes a drop, where the next try does not explain it. */
  private noteDrop({ unsure }: Errand, dropped: Exchange, note: () => void): void {
    if (dropped.isStale) unsure.push({ note, unless: 'served' })
    else if (this.mayBeRefusal(dropped)) unsure.push({ note, unless: 'refused' })
    else note()
  }

  /**
   * Waits for connections, then for the pace of the run: what is admitted is sent at once. A long pause gives the
   * connections back.
   * @returns whether it will open a connection
   */
  private async admitted({ kind, how, lease }: Pick<Errand, 'kind' | 'how' | 'lease'>): Promise<boolean> {
    await this.room(how, lease)
    const others = how.isCleaning ? undefined : lease.makeWay?.()
    if (others) await lease.lend(others)
    // A caller with a pace of its own keeps its connections: its pauses are short.
    if (lease.pace) await (how.isCleaning ? lease.pace.admit().catch(() => {}) : lease.pace.admit())
    for (;;) {
      await lease.take()
      const isOver = await this.admit(kind, how, lease)
      await lease.take()
      // Meanwhile the Core may have asked others to pause.
      if (isOver || !this.options.pacer.isPutOff(kind)) return opens(how, lease)
    }
  }

  /**
   * Waits until something may be sent in addition to the next request: another one, right before it on the same connection, or what
   * opens a connection.
   */
  async reserve(lease: ConnectionLease, what: 'request' | 'connection'): Promise<void> {
    await this.admitted({ kind: 'any', lease, how: { on: lease, isNew: what === 'connection', mayRepeat: () => true } })
  }

  /** Waits until there is room for the token that a logon asks for. */
  private async room({ fullForMs }: Sending, lease: ConnectionLease): Promise<void> {
    for (let ms = fullForMs?.(); ms !== undefined; ms = fullForMs?.()) {
      this.options.pacer.patience.pause('limit', ms)
      if (ms > KEPT_MS) lease.give()
      await this.options.pause(ms)
    }
  }

  /** @returns whether the run is over, so that nobody waits any more */
  private admit(kind: Kind, how: Sending, lease: ConnectionLease): Promise<boolean> {
    const { pacer, pause } = this.options
    const pass = async (ms: number) => {
      if (ms > KEPT_MS) lease.give()
      if (!how.isCleaning) {
        pacer.patience.pause('limit', ms)
        await pause(ms)
        return false
      }
      // When the run is over its clock has stopped, and the user waits for the end.
      const passed = pacer.patience.isOver ? Promise.reject() : pause(ms)
      const isOver = await passed.then(
        () => false,
        () => true,
      )
      if (isOver) await sleep(Math.min(ms, LAST_PAUSE_MS))
      return isOver
    }
    return pacer.admit(kind, pass, { opens: () => opens(how, lease), isUrgent: lease.isUrgent })
  }

  /** Sends a request once. @param isHung whether the try before it got no answer until its deadline */
  private async once({ request, kind, how, lease }: Errand, connects: number, isHung: boolean): Promise<Exchange> {
    const { transport, pacer } = this.options
    const own = how.on instanceof KeptConnection ? how.on : undefined
    const kept = how.on === undefined ? undefined : (own ?? lease.for(how.isNew === true))
    const connectMs = Math.max(FIRST_CONNECT_MS, this.slowestConnectMs * 4) * 2 ** connects
    const startMs = performance.now()
    const lateMs = this.lateMs(kind)
    let sentMs: number | undefined
    let timer: NodeJS.Timeout | undefined
    const sent = () => {
      const atMs = pacer.sent(kind)
      sentMs = atMs
      // What may well be refused by silence shows no limit.
      if (request.omitHost) return
      // The run slows down before the deadline is over, where a limit explains that no answer comes.
      timer = setTimeout(() => {
        timer = undefined
        pacer.unanswered(kind, atMs)
      }, lateMs)
      timer.unref()
    }
    const due = async () => {
      // A Core may not wait for long for the request of a connection.
      const ms = Math.min(pacer.dueMs(kind), KEPT_MS)
      // The run may be over meanwhile.
      if (ms > 0) await this.options.pause(ms).catch(() => {})
      const { meet } = lease
      lease.meet = undefined
      await meet?.()
    }
    const on = how.isNew ? undefined : kept
    // Where a limit leaves requests without an answer, or this Core such ones, an answer that is late will not come.
    const isLeft = (pacer.isDropping && this.hasHung && !how.isCleaning) || (request.omitHost && isHung)
    const deadline = this.isNeverServed(request)
      ? { deadlineMs: lateMs / LATE_FACTOR }
      : isLeft && { deadlineMs: lateMs }
    const exchange = await transport
      .exchange(request, on, { connectMs, sent, due, bodyDue: lease.bodyDue, ...deadline })
      .finally(() => {
        if (sentMs !== undefined) pacer.landed(sentMs)
        if (sentMs !== undefined && !timer) pacer.forget(sentMs)
        clearTimeout(timer)
      })
    // What the run itself broke off says nothing of the Core.
    if (request.breaksOff) return exchange
    if (exchange.response && !this.pauseAsked(exchange)) this.unserved.delete(servedAs(request))
    this.noteBeside(exchange)
    this.noteLost(exchange, lateMs)
    this.hasHung ||= exchange.error?.kind === 'deadline'
    this.options.silences?.note(exchange, exchange.receivedAt - (performance.now() - startMs), lateMs)
    if (isDelivered(exchange)) {
      this.goneSinceMs = undefined
      this.wasReached = true
      // An estimate: connecting takes at most as long as the whole exchange.
      if (!exchange.error) this.slowestConnectMs = Math.max(this.slowestConnectMs, performance.now() - startMs)
    } else this.goneSinceMs ??= performance.now()
    return exchange
  }

  /** Notes how many are served at a time. A logon may be turned away for want of room, too. */
  private noteBeside(exchange: Exchange): void {
    const { request, sentAt: sentMs, receivedAt: receivedMs, response, error } = exchange
    const { pacer, connections } = this.options
    if (connections.areShort && !this.wereShort) pacer.explained(['connection'])
    this.wereShort = connections.areShort
    const isServed = this.pauseAsked(exchange) === undefined
    if (error || !response || (!isServed && isLogon(request))) return
    if (connections.served({ sentMs, receivedMs, isServed }, () => pacer.mayBeRate)) pacer.explained()
  }

  /** Notes the time lost to a try without a whole answer, or to a late answer. */
  private noteLost(exchange: Exchange, lateMs: number): void {
    const { request, sentAt, receivedAt, error, isStale } = exchange
    const { patience } = this.options.pacer
    if (isStale) return
    if (error) {
      patience.lost(lossOf(exchange), sentAt, receivedAt)
      return
    }
    const first = this.tookMs[this.kindOf(request)]
    if (first.length < FIRST_ANSWERS) first.push(receivedAt - sentAt)
    this.options.pacer.waited(this.kindOf(request), sentAt, receivedAt, !exchange.response?.bodyBytes)
    patience.lost('wire', sentAt + lateMs, receivedAt)
  }

  /** How long the next answer of this kind may take before it is late. The first of a kind is compared with the others. */
  private lateMs(kind: Kind): number {
    const { [kind]: own, logon, any } = this.tookMs
    const known = own.length > 0 ? own : [...logon, ...any]
    const usualMs = [...known].sort((a, b) => a - b)[(known.length - 1) >> 1]
    if (usualMs === undefined) return LATE_AT_MOST_MS
    return Math.min(Math.max(usualMs * LATE_FACTOR, LATE_AFTER_MS), LATE_AT_MOST_MS)
  }

  /** Notes whether the Core still answers, and ends the run where it cannot be reached. */
  private listen(exchange: Exchange): void {
    const { pacer, isEnding } = this.options
    const { error } = exchange
    if (!error || this.isRefusal(exchange)) {
      this.unheard = 0
      return
    }
    if (isEnding()) this.unheard++
    if (!isDelivered(exchange)) {
      const goneMs = this.wasReached ? performance.now() - (this.goneSinceMs ?? Number.POSITIVE_INFINITY) : 0
      if (goneMs >= GONE_AFTER_MS)
        pacer.patience.end(
          `the Core cannot be reached any more, for ${duration(goneMs)} now (${error.message}): the rest was left out`,
        )
    }
  }

  /** Notes whether a try was answered, and ends the run where none is any more. */
  private listenToTry(exchange: Exchange, isRefusal: boolean): void {
    if (!exchange.error || isRefusal) this.silent = 0
    if (!exchange.error || isRefusal || exchange.isStale || !isDelivered(exchange)) return
    if (this.silent++ === 0) this.silentSinceMs = exchange.sentAt
    const silentMs = exchange.receivedAt - this.silentSinceMs
    if (this.silent < MOST_SILENT || silentMs < SILENT_MS) return
    this.options.pacer.patience.end(
      `none of the last ${count(this.silent, 'request')} got a whole answer, in ${duration(silentMs)} (${summary(exchange)}): the Core does not answer any more, so the rest was left out`,
    )
  }

  /**
   * Notes that a request was turned away. Returns whether to send it again: not, where this is the Core's answer to it.
   */
  private async isSentAgain(errand: Errand, exchange: Exchange, askedMs: number | undefined): Promise<boolean> {
    const { pacer } = this.options
    const { kind, how, lease, triesMs } = errand
    const { sentAt, response } = exchange
    if (how.fullForMs?.() !== undefined) return !how.isOnce
    errand.first ??= pacer.mark
    const isUsual = !how.isOnce && this.isNeverServed(exchange.request) && (await this.isServedBeside(errand))
    if (isUsual || (await this.isAlone(errand, exchange))) {
      this.noteUnserved(exchange.request)
      // A 429 and a 503 say what they are.
      if (response && mayBeChance(response) && !this.statuses.has(response.status))
        this.statuses.set(response.status, 'own')
      if (response && response.status < 300) this.own.add(saidTo(exchange.request, response))
      pacer.takeBack(kind, errand.first, [...errand.staleMs, ...triesMs])
      return false
    }
    const tries = triesMs.push(sentAt)
    if (response && askedMs === undefined && (tries === 1 || errand.alone > 0) && mayBeChance(response)) {
      // What is served at once when it is sent again was chance, and where others are served meanwhile, no limit answers so. Only
      // what stays turned away like all others shows one.
      pacer.lost(kind, sentAt)
      errand.last = pacer.mark
      if (how.isOnce) return false
      await this.rest(DROP_PAUSES_MS[tries - 1] ?? LONGEST_DROP_PAUSE_MS, exchange, lease)
      return true
    }
    try {
      pacer.refused(kind, sentAt, askedMs)
    } catch (error) {
      if (how.isCleaning && error instanceof OutOfPatience) return triesMs.length === 1
      throw error
    }
    errand.last = pacer.mark
    if (how.isOnce) return false
    if (how.isCleaning && this.options.isEnding()) return triesMs.length === 1
    // Where nothing was ever answered, the user should learn that soon.
    const isLong = sentAt - (triesMs[0] ?? sentAt) + (askedMs ?? 0) > NEVER_ANSWERED_MS
    if (!pacer.isAnswered && isLong && (response?.status ?? 0) >= 500) return false
    const isKnown = askedMs !== undefined || (how.control !== undefined && errand.last.answered > 0)
    return isKnown || triesMs.length < UNKNOWN
  }

  private async isBanned({ how, lease }: Errand, exchange: Exchange): Promise<boolean> {
    const control = how.isOnce ? undefined : how.control
    const { answers, wasBan } = this.options
    const { probe } = answers()
    const isBan = await this.bans.isBan(exchange, { probe, control: control && (() => control(lease)), wasBan })
    if (isBan) wasBan?.(exchange)
    return isBan
  }

  /**
   * Notes that a request was dropped. Returns whether to send it again: not, where others are answered beside it time after
   * time, so that this is the Core's answer to it.
   * @param use when its connection was opened for it
   */
  private async isSentAfterDrop(errand: Errand, exchange: Exchange, use: Use): Promise<boolean> {
    const { kind, how, lease, triesMs } = errand
    const { pacer, isEnding } = this.options
    errand.first ??= pacer.mark
    const isBan = exchange.response !== undefined && !exchange.error
    if (isBan) pacer.banned(exchange.sentAt)
    if (!isBan && !exchange.request.omitHost)
      this.noteDrop(errand, exchange, () => pacer.dropped(kind, exchange.sentAt, use))
    const tries = triesMs.push(exchange.sentAt)
    if (how.isOnce) return false
    // A user who ends the run does not wait for a second try of a late answer, or for many of any other.
    if (isEnding() && (exchange.error?.kind === 'deadline' || tries === TRIES)) return false
    const pauseMs = DROP_PAUSES_MS[tries - 1]
    const isUsual = this.isNeverServed(exchange.request)
    if (tries > 1 || isUsual) {
      const isServed = pacer.isAnswered && (await this.isServedBeside(errand))
      if (isServed === undefined) {
        if (tries >= TRIES) return false
      } else if (isServed) {
        // What is full answers, or closes the connection.
        const mayBeFull = exchange.error?.kind === 'closed' && (how.holdsTokens?.() ?? false)
        const most = isBan ? ALONE_WITH_LIMIT : this.mostAlone(errand.first, mayBeFull)
        if (++errand.alone >= (isUsual ? 1 : most)) {
          // To wait for a whole deadline time after time costs most.
          const times = exchange.error?.kind === 'deadline' ? UNSERVED : 1
          if (exchange.request.omitHost) this.noteUnserved(exchange.request, times)
          // Others that were closed at the same time keep it from being taken back, so all that was believed goes.
          else if (exchange.error?.kind === 'closed' && ++this.closedAlone === CLOSED_ALONE) pacer.explained()
          pacer.takeBack(kind, errand.first, [...errand.staleMs, ...triesMs])
          return false
        }
      } else {
        if (!pacer.isAnswered && tries >= TRIES) return false
        errand.alone = 0
        try {
          pacer.putOff()
        } catch (error) {
          if (how.isCleaning && error instanceof OutOfPatience) return false
          throw error
        }
        return true
      }
    }
    // Time does not help where it is refused.
    if (!this.mayBeRefusal(exchange)) await this.rest(pauseMs ?? LONGEST_DROP_PAUSE_MS, exchange, lease)
    return true
  }

  /** Whether this Core is known to close on what it does not take, and closed on this request while another is served beside it. */
  private async isClosedAlone(errand: Errand, { request, response, error, isStale }: Exchange): Promise<boolean> {
    if (response || error?.kind !== 'closed' || isStale || request.omitHost || errand.how.isOnce) return false
    return this.closedAlone >= CLOSED_ALONE && this.options.pacer.isAnswered && !!(await this.isServedBeside(errand))
  }

  /** Whether a request that was dropped may have been refused. As long as nobody knows how this Core refuses, as another was. */
  private mayBeRefusal(dropped: Exchange): boolean {
    return this.options.answers().mayBeRefusal(dropped) ?? this.closedAlone > 0
  }

  /** Whether an exchange, with its earlier tries, is how this Core refuses, so that it is not repeated. */
  private isRefusal(exchange: Exchange): boolean {
    return this.options.answers().isOddRefusal(exchange)
  }

  /** Whether this Core serves no request of this kind, as far as was seen. */
  private isNeverServed(request: WireRequest): boolean {
    return (this.unserved.get(servedAs(request)) ?? 0) >= UNSERVED
  }

  private noteUnserved(request: WireRequest, times = 1): void {
    const kind = servedAs(request)
    this.unserved.set(kind, (this.unserved.get(kind) ?? 0) + times)
  }

  /**
   * How often a request is turned away, while all others are answered, until that is this Core's answer to it.
   * @param first what was believed before its first try
   * @param status of what it was turned away with: no limit is known to answer with one that never passed
   */
  private mostAlone(first: Mark | undefined, mayBeFull: boolean, status = 0): number {
    const { isBanning } = this.options.pacer
    if (mayBeFull && !isBanning) return 1
    const isLimited = first && KINDS.some(each => first.limits[each].spacingMs > 0)
    // What limits here answers with another status, and never with this one so far.
    const isOther = !this.statuses.has(status) && [...this.statuses.values()].includes('passing')
    const mayBeLimit = (isLimited || isBanning) && !isOther && this.statuses.get(status) !== 'own'
    return mayBeLimit ? ALONE_WITH_LIMIT : TURNED_AWAY_ALONE
  }

  private pauseAsked(exchange: Exchange): PauseAsked | undefined {
    const { response } = exchange
    const { answers, isLimit } = this.options
    const isBrief = this.options.pacer.bansAreBrief && this.bans.isKnown(exchange)
    const isAway = response && (isBrief || answers().turnsAway(exchange) || isLimit?.(exchange))
    const isOwn = isAway && this.own.has(saidTo(exchange.request, response))
    return response && pauseAsked(response, isAway && !isOwn)
  }

  /** Whether another request is answered now; undefined where there is none to send. */
  private async isServedBeside({ how, lease }: Errand): Promise<boolean | undefined> {
    const control = await how.control?.(lease)
    if (!control) return undefined
    const isAnswered = control.response && !control.error && !this.pauseAsked(control) && !this.bans.isKnown(control)
    return isAnswered || this.isRefusal(control)
  }

  /** Whether a request was turned away again and again, while all others were answered. */
  private async isAlone(errand: Errand, { request, response }: Exchange): Promise<boolean> {
    const { pacer } = this.options
    const { how, lease } = errand
    // Giving tokens back may help, and no time does: the caller that logs on finds that out.
    const mayBeFull = how.holdsTokens?.() ?? false
    const since = errand.last ?? (mayBeFull ? errand.first : undefined)
    if (!since) return false
    // Others that were turned away meanwhile may have been so for the same reason: for what they are, as without Host.
    const isOdd = request.omitHost || (response !== undefined && mayBeChance(response))
    const isServed = isOdd ? await this.isServedBeside(errand) : undefined
    if (isServed === undefined && pacer.isServedBeside(since) === undefined) await how.control?.(lease)
    errand.alone = (isServed ?? pacer.isServedBeside(since)) ? errand.alone + 1 : 0
    return errand.alone >= this.mostAlone(errand.first, mayBeFull, response?.status)
  }

  /** Whether to try to connect again. */
  private isWorthConnecting({ error }: Exchange, startMs: number): boolean {
    if (error?.isLasting) return false
    const nowMs = performance.now()
    const sinceMs = nowMs - startMs
    if (this.options.isEnding()) return sinceMs < NEVER_THERE_MS
    // A connection that is only slow gets twice the time, as far as the transport allows.
    const isSlow = sinceMs >= FIRST_CONNECT_MS && 2 * sinceMs < this.options.transport.connectMs
    if (!this.wasReached) return sinceMs < NEVER_THERE_MS || isSlow
    return nowMs - (this.goneSinceMs ?? nowMs) < GONE_AFTER_MS && sinceMs < 3 * GONE_AFTER_MS
  }

  /** Pauses in real time between tries. A long pause gives the connections back. */
  private async rest(ms: number, exchange: Exchange, lease: ConnectionLease): Promise<void> {
    this.options.pacer.patience.lost(lossOf(exchange), exchange.receivedAt, exchange.receivedAt + ms)
    if (ms >= 400) lease.give()
    await sleep(ms)
  }
}

/** Whether a request would open a connection now. */
function opens({ on, isNew }: Sending, lease: ConnectionLease): boolean {
  return on === undefined || isNew === true || !(on instanceof KeptConnection ? on : lease.kept).isIdle
}

/** Names an answer to requests of a method, byte for byte. */
function saidTo({ method }: WireRequest, { status, body }: WireResponse): string {
  return `${method} ${status} ${body}`
}

/** Names what a Core serves alike, or not at all: requests without Host, and those of a method to a path. */
function servedAs({ omitHost, method, path }: WireRequest): string {
  return omitHost ? 'without Host' : `${method} ${path.split('?')[0]}`
}

/** Says what the time of a try without an answer is lost to. */
function lossOf(exchange: Exchange): Loss {
  return isDelivered(exchange) ? 'wire' : 'gone'
}

/** Whether a request is a logon, right or wrong: a limit on logons counts both. */
export function isLogon({ method }: WireRequest): boolean {
  return method === 'POST'
}

/** Reduces a try to its entry in the exchange that counts. */
export function toEarlier({ sentAt, receivedAt, wall, response, error }: Exchange): EarlierTry {
  return {
    sentAt,
    receivedAt,
    ...(wall && { wall }),
    ...(response && { status: response.status }),
    ...(error && { error: { kind: error.kind, message: error.message } }),
  }
}
