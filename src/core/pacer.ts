/** The pace of a run. Over 250 lines, since each limit is told from the others by what all requests met. */
import { duration } from '../duration.js'
import { count } from '../ground/count.js'
import { LOGON_SPANS_MS } from '../ground/logon-spans.js'
import { Ban } from './ban.js'
import { type Belief, beliefOf, describe, FEW, Limit, SHORTEST_SPAN_MS } from './limit.js'
import { Patience, type PatienceOptions } from './patience.js'
import { Queueing } from './queueing.js'
import { type Fit, RateHistory } from './rate-history.js'
import { Room } from './room.js'
import { Turnover } from './turnover.js'

/** Which requests a limit counts: logons, those that open a connection, or every request. */
export type Paced = 'logon' | 'connection' | 'any'

/** What is known of a request beside its kind. */
export interface Use {
  /** Whether it was sent on a connection of its own, and since when that was being opened; absent: since it was sent. */
  opens?: boolean
  openedMs?: number
  /** Present where it was refused: whether for its token or its credentials. */
  refused?: { isRefusal: boolean } | undefined
}

/**
 * Pause before a further try where the Core does not say how long; doubled each time, up to the second number. Most limits
 * count in seconds, so that the third try most likely gets through.
 */
const PAUSE_MS = 250
const LONGEST_UNASKED_MS = 30_000
/** By how much each pause is longer than the one before where nothing is served: that tells how long a ban lasts, too. */
const LONGER = 1.5
/** How often in a row a pause that is longer than the whole patience is tried sooner, each time later: for some 8 s in all. */
const TRIED_SOONER = 5
/** Shortest pause where the Core asks to come back at once, and refuses again. */
const SHORTEST_MS = 100
/** What was not answered shows a limit where it explains this part of it, and there is as much of it at least. */
const DROPS_EXPLAINED = 0.8
const FEWEST_DROPS = 3
/** How long after the caller before it each waiting caller looks whether it is first in line. */
const LOOK_MS = 2
/** So many requests a second may by themselves be too many for a Core that bans. */
const FLOOD = 10
/** After so many bans at a pace that explains none it is no flood; after each before that the run goes by this much slower. */
const FLOODS = 2
const FLOOD_SLOWER = 0.8
/** A rate is believed where a count of errors leaves at least so many times as many bans unexplained. */
const BETTER = 2
/** After no more bans than these only a fast rate is believed: a slow one explains a few by chance. */
const SURE_AFTER = 3
/** What serves again within this time turned single requests away, as a limit of the rate does. */
const BRIEF_MS = 250
/** So many more of the bans have to be that brief. */
const MOSTLY_BRIEF = 3
/** Whose number in a while may lead to a ban. */
const BANNED_FOR = ['any', 'logon'] as const
/** All of them. */
export const KINDS = ['logon', 'connection', 'any'] as const
/** Makes a limit of which nothing is known. */
const fresh = (counted: Paced) => new Limit(counted === 'logon' ? new RateHistory(LOGON_SPANS_MS) : undefined)

/** What a {@link Pacer} had counted at some time, and believed. */
export interface Mark {
  answered: number
  away: number
  limits: Record<Paced, Belief>
}

/**
 * The pace of a whole run. When the Core asks to slow down, nothing is sent before the time that it asks for: no logon
 * where a logon was refused, no request where another request was. From then on requests are sent less often, so that
 * the Core need not ask again. `sentMs` is when a request was sent, on the clock of the run.
 */
export class Pacer {
  private readonly limits: Record<Paced, Limit> = {
    logon: fresh('logon'),
    connection: fresh('connection'),
    any: fresh('any'),
  }
  /** The callers that wait to send something, in the order of their arrival. */
  private readonly lines: Record<Paced, symbol[]> = { logon: [], connection: [], any: [] }
  private readonly ban = new Ban()
  /** The number of requests, or of logons, that is believed to lead to bans; undefined where there is no reason to. */
  private flood: { of: Paced; fit: Fit } | undefined
  /** How many bans in a row it did not explain. */
  private floods = 0
  /** How many more bans were over soon than were not. */
  private briefly = 0
  /** When the request was sent that met the latest ban first. */
  private bannedMs = 0
  private readonly turnover = new Turnover()
  private readonly room = new Room()
  private readonly queueing = { logon: new Queueing('logon'), any: new Queueing('any') }
  /** How often in a row nothing was served. */
  private unserved = 0
  /** How often a limit was believed for what was lost on the way: each time it takes twice as much of that to believe in the next. */
  private mistaken = 0
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
    const { logon, connection, any } = this.limits
    const { belief } = this.ban
    const parts = [describe(logon, 'logon'), describe(connection, 'new connection'), describe(any, 'request')]
    if (belief) parts.push(`serves nothing for about ${duration(belief.forMs)} after ${belief.after} ${belief.counted}`)
    const turned = this.turnover.belief
    if (turned) parts.push(`serves nothing for about ${duration(turned.forMs)} after ${count(turned.after, 'answer')}`)
    const held = this.room.belief
    if (held)
      parts.push(
        `has room for ${count(held.tokens, 'token')}, and none for another until about ${duration(held.heldMs)} after one is given back`,
      )
    const told = parts.filter(Boolean).join(' and ')
    if (!told) return undefined
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
   * @param opens whether it opens a connection now
   * @param isUrgent whether it goes before all that wait
   * @param pause lets time pass; called only where the caller has to wait. It returns true where the run is over, which
   *   ends the wait
   * @returns whether the run is over
   */
  async admit(
    kind: Paced,
    pause: (ms: number) => Promise<boolean>,
    { opens = () => false, isUrgent = false }: { opens?: () => boolean; isUrgent?: boolean } = {},
  ): Promise<boolean> {
    const { connection } = this.limits
    const limits = () => this.used(kind, opens()).map(each => this.limits[each])
    const line = this.lines[kind !== 'logon' && connection.spacingMs > 0 && opens() ? 'connection' : kind]
    const place = Symbol(kind)
    if (isUrgent) line.unshift(place)
    else line.push(place)
    let isOver = false
    try {
      for (;;) {
        const nowMs = this.options.now()
        const each = limits().map(({ nextAtMs, openAtMs }) => Math.max(nextAtMs, openAtMs))
        const first = Math.max(this.ban.openAtMs(nowMs), ...each)
        const before = line.indexOf(place)
        if (before === 0 && first <= nowMs) break
        // No caller gets a fixed time in advance: the pace may change, and a refusal may put all callers off. So each
        // caller looks again when the first in line may have gone.
        isOver = await pause(Math.max(first - nowMs, 0) + before * LOOK_MS)
        if (isOver) break
      }
      for (const limit of limits()) limit.admitted(this.options.now())
      return isOver
    } finally {
      line.splice(line.indexOf(place), 1)
    }
  }

  /** The time on the clock of the run. */
  get nowMs(): number {
    return this.options.now()
  }

  /** Whether no request of this kind may be sent yet, since the Core asked for a pause. */
  isPutOff(kind: Paced): boolean {
    const nowMs = this.options.now()
    return Math.max(this.limits[kind].openAtMs, this.limits.any.openAtMs, this.ban.openAtMs(nowMs)) > nowMs
  }

  /** Notes that the Core let a request of this kind through. */
  taken(kind: Paced, sentMs = this.options.now(), { opens, openedMs = sentMs, refused }: Use = {}): void {
    this.unserved = 0
    const hadTurned = this.turnover.belief !== undefined
    this.turnover.served(sentMs, this.options.now())
    if (this.turnover.belief && !hadTurned) this.explainedByBan()
    const before = this.ban.belief
    const beganMs = this.ban.answered(sentMs, this.options.now(), refused)
    const after = this.ban.belief
    if (beganMs !== undefined) this.briefly += this.options.now() - beganMs < BRIEF_MS ? 1 : -1
    if (beganMs !== undefined && this.isRateOfBans(beganMs)) this.ban.setAside()
    else if (after?.pace && !before) {
      this.ban.takeUp(this.options.now())
      this.limits.any = new Limit(this.limits.any.history)
    } else if (after && !before) {
      // What a limit explains is no ban, and the other way round.
      if (this.explaining(['any'])) this.ban.forget()
      else this.explainedByBan()
    }
    if (kind === 'any') this.answered++
    const nowMs = this.options.now()
    if (kind === 'logon') this.limits.any.note(sentMs, nowMs)
    if (opens) this.limits.connection.taken(openedMs, sentMs, sentMs)
    this.limits[kind].taken(sentMs, nowMs)
  }

  /**
   * Notes the answer to a logon with the right credentials.
   * @param isServed whether it gave a token
   */
  loggedOn(sentMs: number, isServed: boolean): void {
    if (!isServed && this.isBanning) return
    const { history } = this.limits.logon
    const before = this.room.belief
    this.room.logon(sentMs, isServed, () => history.fit(0, true)?.wrong ?? history.away + 1)
    // What is explained by tokens is no limit on logons.
    if (this.room.belief && !before) this.limits.logon = fresh('logon')
  }

  /** Notes that a token was given back. @param issuedMs when its logon was sent */
  givenBack(issuedMs: number): void {
    this.room.givenBack(issuedMs, this.options.now())
  }

  /** Whether tokens that were given back are believed to take their room for a while. */
  get isRoomHeld(): boolean {
    return this.room.belief !== undefined
  }

  /** How long a logon has to wait for tokens that were given back, in milliseconds; undefined where that is not known. */
  get fullForMs(): number | undefined {
    const nowMs = this.options.now()
    const ms = this.room.openAtMs(nowMs) - nowMs
    return ms > 0 ? ms : undefined
  }

  /**
   * Whether a ban, or a limit of the rate, may explain what was turned away. A rate that is so fast that nobody notices is as well one of
   * the requests at a time.
   */
  get mayBeRate(): boolean {
    return this.isBanning || this.limits.any.mayBeRate
  }

  /** Notes that something else explains what was turned away so far: it shows no limit of the rate. */
  explained(limits: readonly Paced[] = KINDS): void {
    for (const each of limits) this.limits[each] = fresh(each)
  }

  private explainedByBan(): void {
    this.explained()
    this.room.explained()
  }

  /**
   * Returns how long an admitted request has to wait still, in milliseconds: those before it may have taken a while to connect, and
   * where no burst is left, each is as far from the one before as the pace asks for.
   */
  dueMs(kind: Paced): number {
    const nowMs = this.options.now()
    return Math.max(...this.used(kind, false).map(each => this.limits[each].due(nowMs))) - nowMs
  }

  /**
   * Notes that an admitted request goes out now: to connect may have taken a while, and its limits count from here.
   * @returns the time
   */
  sent(kind: Paced): number {
    const nowMs = this.options.now()
    this.ban.sent(nowMs)
    for (const each of this.used(kind, false)) this.limits[each].sent(nowMs)
    return nowMs
  }

  /** Notes that another admitted request goes out right before one, on the same connection. */
  sentBefore(): void {
    this.limits.any.note(this.options.now())
  }

  /** Notes that what came of a request that was {@link sent} then is known. */
  landed(sentMs: number): void {
    this.ban.landed(sentMs)
  }

  /** Notes that no answer has come yet, late as it is. See {@link forget}. */
  unanswered(kind: Paced, sentMs: number): void {
    this.noteDrop(this.used(kind, false), sentMs)
  }

  /** Takes back that no answer had come, once it is known what came of the request. */
  forget(sentMs: number): void {
    for (const { history } of Object.values(this.limits)) history.forget(sentMs)
  }

  /** Notes that no connection could be made. */
  unconnected(sentMs: number): void {
    this.ban.away(sentMs, this.options.now(), 'unconnected')
    this.noteDrop(['connection'], sentMs)
  }

  /** Notes how long an answer took: where requests wait for each other, they are sent one after another. See `Queueing.answered`. */
  waited(kind: 'logon' | 'any', ...answer: Parameters<Queueing['answered']>): void {
    const spacingMs = this.queueing[kind].answered(...answer)
    if (spacingMs !== undefined) this.limits[kind].delayed(spacingMs)
  }

  /** Whether anything was answered so far, logons aside. */
  get isAnswered(): boolean {
    return this.answered > 0
  }

  /** Whether a limit or a ban explains what got no answer. */
  isDropping = false

  /** Whether what looks like bans turns single requests away, so that it is a limit. */
  get bansAreBrief(): boolean {
    return this.briefly >= MOSTLY_BRIEF
  }

  /** Whether this Core is believed to serve nothing for a while after many refusals, or answers. */
  get isBanning(): boolean {
    return (this.ban.belief ?? this.turnover.belief) !== undefined
  }

  /**
   * Notes that a request got no answer: its connection was closed, or nothing came in time. That is a limit only where one
   * explains what was not answered so far; else it is chance, or the wire.
   */
  dropped(kind: Paced, sentMs: number, { opens = false, openedMs = sentMs }: Use = {}): void {
    if (kind === 'any') this.away++
    this.ban.away(sentMs, this.options.now(), 'unanswered')
    this.noteDrop(this.used(kind, opens), sentMs, openedMs)
  }

  /**
   * Notes that a request was turned away for the first time, in a way that may be chance. Where that took so long that a limit may have
   * room again, it counts as {@link dropped}: that the next try is served says nothing then.
   */
  lost(kind: Paced, sentMs: number): void {
    if (kind === 'any') this.away++
    const nowMs = this.options.now()
    this.ban.away(sentMs, nowMs, 'unanswered')
    if (nowMs - sentMs >= SHORTEST_SPAN_MS) this.noteDrop(this.used(kind, false), sentMs)
  }

  private noteDrop(used: readonly Paced[], sentMs: number, openedMs = sentMs): void {
    for (const each of used) {
      const ms = each === 'connection' ? openedMs : sentMs
      this.limits[each].history.note(ms, false, 0, ms, sentMs)
    }
    this.turnover.away(sentMs, this.options.now())
    if (this.isBanning) {
      this.isDropping = true
      return
    }
    for (const each of used) this.limits[each].lost(sentMs)
    const refuted = used.filter(each => this.limits[each].isRefuted)
    if (refuted.length) {
      this.mistaken++
      this.explained(refuted)
      this.isDropping = KINDS.some(each => this.limits[each].drops > 0)
      return
    }
    const explained = this.explaining(used)
    if (!explained) {
      const believed = used.find(each => this.limits[each].drops > 0)
      if (believed) this.limits[believed].unexplained(this.options.now(), sentMs)
      return
    }
    const { limit, fit } = explained
    this.isDropping = true
    limit.drops++
    if (sentMs > limit.changedAtMs) limit.slowDown(this.options.now(), undefined, fit, sentMs)
  }

  /** Notes the answer of a ban. */
  banned(sentMs = this.options.now()): void {
    this.away++
    const nowMs = this.options.now()
    const wasMet = this.ban.isMet
    this.ban.away(sentMs, nowMs, 'told')
    if (wasMet || !this.ban.isMet) return
    // Only the first of a ban tells of what is counted: some Cores count the requests in a while, or the logons, and then serve nothing
    // for some seconds.
    for (const each of BANNED_FOR) {
      const { history, spacingMs } = this.limits[each]
      history.note(sentMs, false, spacingMs, nowMs)
    }
    this.bannedMs = sentMs
  }

  /**
   * Whether the number of requests in a while, or of logons, explains a ban that is over, and not that of errors. If so, the run slows
   * down. After the first both do, mostly: to be wrong in this costs another ban, to be wrong in the other the whole run, since errors are
   * kept far apart.
   * @param beganMs when it began
   */
  private isRateOfBans(beganMs: number): boolean {
    const { flood, limits, ban } = this
    const best = this.fitOfBans()
    const left = ban.fit?.wrong ?? limits.any.history.away
    const isBetter = best && (best.fit.away === 1 || (best.fit.wrong < left && best.fit.wrong * BETTER <= left))
    if (flood && limits[flood.of].history.explains(flood.fit, this.bannedMs)) this.floods = 0
    else if (flood && ++this.floods < FLOODS) {
      const [rate, most] = [flood.fit.rate * FLOOD_SLOWER, flood.fit.most * FLOOD_SLOWER]
      // Some that met the ban may have been taken for served.
      this.flood = { ...flood, fit: { ...flood.fit, rate, most, away: FLOODS } }
    } else this.flood = isBetter && (best.fit.away > SURE_AFTER || best.fit.rate > FLOOD) ? best : undefined
    if (flood && flood.of !== this.flood?.of) limits[flood.of] = new Limit(limits[flood.of].history)
    if (!this.flood) return false
    const limit = limits[this.flood.of]
    limit.drops++
    limit.banMs = this.options.now() - beganMs
    limit.slowDown(beganMs, undefined, this.flood.fit)
    return true
  }

  /** Returns what explains most of the bans so far; of several that explain as many the number of requests. */
  private fitOfBans(): { of: Paced; fit: Fit } | undefined {
    const fits = BANNED_FOR.flatMap(of => {
      const fit = this.limits[of].fitOfBans
      return fit ? [{ of, fit }] : []
    })
    return fits.sort((one, other) => one.fit.wrong - other.fit.wrong)[0]
  }

  /** Lets no request of this kind go for a while. */
  hold(kind: Paced, ms: number): void {
    const limit = this.limits[kind]
    limit.openAtMs = Math.max(limit.openAtMs, this.options.now() + ms)
  }

  /** Puts everything off for a while, since nothing was served; longer each time. @throws OutOfPatience as {@link refused} does */
  putOff(): void {
    const { any } = this.limits
    const nowMs = this.options.now()
    const pauseMs = Math.min((any.spacingMs || PAUSE_MS) * LONGER ** this.unserved, LONGEST_UNASKED_MS)
    if (any.openAtMs > nowMs) return
    this.unserved++
    this.patience.pause('limit', pauseMs)
    any.openAtMs = nowMs + pauseMs
  }

  /** Returns the limits that a request counts for, the narrowest first. */
  private used(kind: Paced, opens: boolean): Paced[] {
    const own: Paced[] = kind === 'any' ? [] : [kind]
    return [...own, ...(opens && kind !== 'connection' ? (['connection'] as const) : []), 'any']
  }

  /** Returns the limit that explains best what was not answered: the fewest requests contradict it. Of several the narrowest. */
  private explaining(used: readonly Paced[]): { limit: Limit; fit: Fit } | undefined {
    const { any } = this.limits
    let best: { limit: Limit; fit: Fit } | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const each of used) {
      const { history, drops } = this.limits[each]
      const isNew = drops === 0
      const fit =
        history.away >= FEWEST_DROPS * 2 ** this.mistaken
          ? history.fit(isNew ? DROPS_EXPLAINED : undefined, true, isNew)
          : undefined
      const wrong = fit && fit.wrong + Math.max(any.history.away - history.away, 0)
      if (!fit || wrong === undefined || wrong >= fewest) continue
      fewest = wrong
      best = { limit: this.limits[each], fit }
    }
    return best
  }

  /** Counts for {@link isServedBeside}, and for {@link takeBack}. */
  get mark(): Mark {
    const { answered, away } = this
    const { logon, connection, any } = this.limits
    return {
      answered,
      away,
      limits: { logon: beliefOf(logon), connection: beliefOf(connection), any: beliefOf(any) },
    }
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
    for (const each of KINDS) Object.assign(this.limits[each], limits[each], { inARow: 0 })
    this.away = away
  }

  /** Whether so many requests of this kind were let through right before that a limit would explain a refusal. */
  tookMany(kind: Paced, sentMs: number): boolean {
    return this.limits[kind].history.served(sentMs, SHORTEST_SPAN_MS) >= FEW
  }

  /**
   * Notes that the Core refused a request of this kind for now.
   * @param askedMs how long the Core asks to wait; undefined where it does not say
   * @throws OutOfPatience where the pause is longer than the patience of the run
   */
  refused(kind: Paced, sentMs: number, askedMs: number | undefined): void {
    const limit = this.limits[this.limitOf(kind)]
    const nowMs = this.options.now()
    if (kind === 'any') this.away++
    this.ban.away(sentMs, nowMs, 'said')
    this.turnover.away(sentMs, nowMs)
    const isExplained = this.isBanning || (kind === 'logon' && this.isRoomHeld)
    if (!isExplained) limit.refusals++
    if (sentMs > limit.changedAtMs && !isExplained && !limit.wasTooSoon(sentMs)) {
      limit.history.note(sentMs, false, limit.spacingMs, nowMs)
      limit.refused(nowMs, sentMs, askedMs)
    }
    const longerMs = (limit.spacingMs || PAUSE_MS) * 2 ** Math.max(0, limit.inARow - 1)
    // A pace that is found to be much slower says nothing of how long to wait now.
    const mostMs = limit.inARow > 1 ? Math.max(limit.pausedMs, PAUSE_MS) * 2 : LONGEST_UNASKED_MS
    const unaskedMs = Math.min(longerMs, mostMs, LONGEST_UNASKED_MS)
    limit.pausedMs = unaskedMs
    // What cannot be waited for may be wrong: some Cores ask for an hour where a token given back is enough.
    const isTooLong = askedMs !== undefined && askedMs > this.options.patienceMs
    const isSooner = isTooLong && limit.inARow <= TRIED_SOONER && unaskedMs <= this.patience.leftMs
    const asked = isSooner ? undefined : askedMs
    const pauseMs = asked === undefined ? unaskedMs : Math.max(asked, SHORTEST_MS * 2 ** Math.min(limit.inARow, 8))
    this.patience.pause('limit', pauseMs)
    limit.close(nowMs + pauseMs)
  }

  /**
   * Notes that a limit refused a request of this kind, though its answer did not say so. It was counted as let through: with it
   * the pace would come out above the limit.
   * @throws OutOfPatience as {@link refused} does
   */
  refusedAfterAll(kind: Paced, sentMs: number): void {
    this.limits[kind].history.forget(sentMs)
    this.refused(kind, sentMs, 0)
  }

  /** Returns the limit that a refusal shows. A logon is a request, too: one limit explains both, and two have to be seen. */
  private limitOf(kind: Paced): Paced {
    const { logon, any } = this.limits
    if (kind === 'logon') return any.refusals > 0 && logon.refusals === 0 ? 'any' : 'logon'
    if (any.refusals === 0 && logon.refusals > 0 && logon.refusals <= FEW) {
      any.refusals = logon.refusals
      Object.assign(logon, beliefOf(new Limit()))
    }
    return 'any'
  }
}
