/**
 * All requests of a run to its Core. Over 250 lines, since every request, token and logon of a run is counted here and
 * nowhere else. So no request goes uncounted, and no token stays behind.
 */
import { isDeepStrictEqual } from 'node:util'
import { decoded } from '../ground/decoded.js'
import { isSafe } from '../ground/methods.js'
import { CONFIGURATION } from '../settings/configuration.js'
import { type Answer, type AnswerBook, alike, answerOf, UNKNOWN_ANSWERS } from './answers.js'
import { type Candidate, candidates, isTelling, mayBeToken, stringAt } from './candidates.js'
import { ConnectionLease, Connections } from './connections.js'
import { type Exchange, isCut, isDelivered, type WireRequest, type WireResponse } from './exchange.js'
import { giveBack, Reclaim, withToken } from './give-back.js'
import type { KeptConnection } from './kept-connection.js'
import { NotSent } from './not-sent.js'
import { Pacer } from './pacer.js'
import { turnsAway } from './pause.js'
import { type RefusedLogon, RefusedLogons } from './refused-logons.js'
import { Sender, type Sending, toEarlier } from './sender.js'
import type { SessionJournal, SessionOptions } from './session-options.js'
import { Token, type TokenState } from './token.js'
import { isPlain, tokenLike } from './token-like.js'

/** Pauses before a revocation that was refused is sent again. A limit counts over some seconds. */
const REVOKED_LATER_MS = [1000, 2000, 4000]
/** Most texts of logons that a run tries as tokens at another place: a Core whose logons give none would cost some each time. */
const MOST_PLACES = 12
/** The number of an item of a list, in a JSON Pointer. */
const ITEM = /\/\d+(?=\/|$)/g

/** Connections without other settings. See {@link DEFAULT_PATIENCE_MS} for the patience. */
export const DEFAULT_CONNECTIONS = CONFIGURATION.concurrency.usual
/**
 * Patience without other settings: a quarter of an hour. A Core that needs two seconds for a logon is judged within it,
 * and it is over before most CI systems end a job.
 */
export const DEFAULT_PATIENCE_MS = CONFIGURATION.patience.usual

type WrongLogonHow = Partial<Pick<RefusedLogon, 'owner' | 'on' | 'isPaced' | 'isAgain'>> & { isNew?: boolean }

/** Talks to one target, and counts every token that the Core issues, so that every token can be given back. */
export class Session {
  /** Every token issued to this run. */
  readonly tokens: Token[] = []
  /** Further names that this Core gives to a token with every use of it. */
  readonly renewals: string[] = []
  private pointer: string | undefined
  private readonly otherPlaces: string[] = []
  /** Whether what limits logons limits revocations, too. How this Core refuses those for good. */
  private countsRevocations = false
  private readonly revocationRefusals: Answer[] = []
  private placesTried = 0
  /** Functions that tell the journal that a logon was answered. They wait for the survey to find the token. */
  private readonly unread: (() => void)[] = []
  /** The logons that should be refused. Each may count towards a lock of the account. */
  readonly refused: RefusedLogons
  /** The answers by which this Core was seen to refuse right credentials for a while only. */
  private readonly logonLimits: Answer[] = []
  /** Logons that issued a token that did not arrive, and those that may have: they were dropped. */
  private lost = 0
  private dropped = 0
  /** Whether the Core was seen to refuse logons by closing the connection. */
  private hangsUp = false
  readonly connections: Connections
  readonly pacer: Pacer
  private readonly sender: Sender

  constructor(private readonly options: SessionOptions) {
    this.connections = options.connections ?? new Connections(DEFAULT_CONNECTIONS)
    this.pacer = options.pacer ?? new Pacer({ now: () => performance.now(), patienceMs: DEFAULT_PATIENCE_MS })
    const { connections, pacer } = this
    const isLimit = (exchange: Exchange) => this.isLogonLimit(exchange)
    this.refused = new RefusedLogons(options, () => pacer.nowMs, isLimit)
    this.sender = new Sender({
      ...options,
      connections,
      pacer,
      isEnding: () => this.isEnding,
      answers: () => this.answers,
      isLimit: exchange =>
        (this.isRightLogon(exchange.request) || this.countsAsLogon(exchange.request)) && this.isLogonLimit(exchange),
      countsAsLogon: request => this.countsAsLogon(request),
    })
  }

  /** Returns a request as it goes out on a kept connection, for a caller that writes it there itself. */
  whole(request: WireRequest): WireRequest {
    return this.options.transport.whole(request, true)
  }

  /** Takes an exchange that a caller wrote itself, the answer without its body: it counts like any other. */
  tookPlace(exchange: Exchange): void {
    const { response } = exchange
    this.options.tried?.(exchange)
    if (response && this.mayBeBan(response.status)) this.options.wasBan?.(exchange)
  }

  /** Whether an answer of this status may be that of a ban or a limit that was met. */
  mayBeBan(status: number): boolean {
    return this.sender.mayBeBan(status)
  }

  /**
   * Place of the token in a logon response (see `Candidate`). The survey sets it, and adds the token that it found
   * right away.
   */
  get tokenPointer(): string | undefined {
    return this.pointer
  }

  set tokenPointer(pointer: string | undefined) {
    this.pointer = pointer
    for (const answered of this.unread.splice(0)) setImmediate(answered)
  }

  /**
   * Sends a request, and sends it again where a limit or the wire stopped it. Where it was turned away (429
   * or any 5xx) it waits as long as the Core asks. After a drop it takes a new connection. A dropped request is not
   * repeated where it may have changed something: its method is not safe, and it carries a live token of this run. The
   * reference says nothing about limits and the wire, so they are respected or overcome, and not judged.
   * @param on the connections to use; absent: a connection of its own
   * @param how `isUnwaited`: right credentials that look locked out are not sent again a while later
   * @throws OutOfPatience where the Core asks to wait for too long; NotSent where connections are too few
   */
  async exchange(
    request: WireRequest,
    on?: ConnectionLease | KeptConnection,
    {
      isNew = false,
      isOnce = false,
      isUnwaited = isOnce,
    }: { isNew?: boolean; isOnce?: boolean; isUnwaited?: boolean } = {},
  ): Promise<Exchange> {
    const isRight = this.isRightLogon(request)
    // Who logs on with a token gives none back to find out whether there is room.
    const isPlain = isRight && !request.headers.some(([name]) => name.toLowerCase() === 'authorization')
    const dropped: Exchange[] = []
    const noteDrop = (tried: Exchange) => {
      if (isRight && isDelivered(tried) && tried.error && !tried.isStale && !request.breaksOff) dropped.push(tried)
    }
    const lease = on instanceof ConnectionLease ? on : undefined
    const exchange = await this.send(request, {
      on,
      isNew,
      isOnce,
      holdsTokens: () => isPlain && this.live > 0,
      ...(isRight && { fullForMs: () => this.pacer.fullForMs }),
      journal: request.method === 'POST' ? this.options.journal : undefined,
      after: async (tried, held) => {
        noteDrop(tried)
        const isRefused = tried.response !== undefined && tried.response.status >= 400
        if (isRight && tried.response && !this.countsRevocations) this.pacer.loggedOn(tried.sentAt, !isRefused)
        // On the connections that it holds: there may be no others.
        if (isRight && isRefused && this.live === 0) await this.makeRoom(held)
      },
    })
    await this.collect(dropped.splice(0), exchange, lease)
    if (lease && !isOnce && this.isOddlyRefused(request, exchange)) return this.revokedLater(request, exchange, lease)
    const isRefused = (tried: Exchange) => this.answers.effectOf(tried) === 'refused'
    // In another form it may be refused for that, as the wrong one before. Who sends it once does so to stop at the first sign of a lock.
    const isUsual = isRight && isDeepStrictEqual(request.headers, this.options.logonRequest().headers)
    if (!isUsual || isUnwaited || !isRefused(exchange) || !this.refused.looksLockedOut(exchange)) return exchange
    return this.refused.waitOut(exchange, {
      pause: async ms => {
        if (ms > 0) lease?.give()
        await this.options.pause(ms)
      },
      send: async () => {
        // What came before on the connection may be the reason, and not the account.
        const again = await this.send(request, { on, isNew: true, journal: this.options.journal, after: noteDrop })
        await this.collect(dropped.splice(0), again, lease)
        return again
      },
      isRefused,
    })
  }

  private countsAsLogon({ method }: WireRequest): boolean {
    return this.countsRevocations && method === 'DELETE'
  }

  /** Returns the live token that a request revokes in the usual way; undefined for any other. */
  private revokedBy(request: WireRequest): Token | undefined {
    const { method, path, headers, body } = this.options.revokeRequest()
    if (request.method !== method || request.path !== path || request.omitHost || request.body !== body)
      return undefined
    const own = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization')
    const [token, ...more] = this.carriedBy(request)
    return more.length === 0 && isDeepStrictEqual(own, headers) ? token : undefined
  }

  /** Whether the revocation of a live token was refused, and not as this Core refuses anything else: a limit may have done that. */
  private isOddlyRefused(request: WireRequest, { response }: Exchange): boolean {
    if (!response || response.status < 400 || turnsAway(response.status)) return false
    if (this.isEnding || !this.answers.probe.tells) return false
    const own = [...this.answers.probe.refusals, ...this.answers.of(request).refusals, ...this.revocationRefusals]
    return this.revokedBy(request) !== undefined && !own.some(each => alike(each, answerOf(response)))
  }

  /**
   * Sends a revocation that was refused again, as long as its token is alive. Where it is taken a while later, in the same form, a limit
   * turned it away, as it does logons.
   */
  private async revokedLater(
    request: WireRequest,
    refused: Exchange,
    lease: ConnectionLease,
    how: Partial<Sending> = { on: lease },
  ): Promise<Exchange> {
    const { response } = refused
    const token = this.revokedBy(request)
    if (!response || !token) return refused
    const away = [refused]
    for (const ms of REVOKED_LATER_MS) {
      if (!(await this.areAlive([token], lease))) return refused
      lease.give()
      const isOver = await this.options.pause(ms).then(
        () => false,
        error => {
          // Who cleans up goes on with the other tokens.
          if (!how.isCleaning) throw error
          return true
        },
      )
      if (isOver) return refused
      const again = await this.send(request, how)
      if (!again.response || again.response.status >= 400) {
        away.push(again)
        continue
      }
      this.countsRevocations = true
      this.logonLimits.push(answerOf(response))
      for (const each of away) this.options.wasBan?.(each)
      return { ...again, earlier: [toEarlier(refused), ...(again.earlier ?? [])] }
    }
    this.revocationRefusals.push(answerOf(response))
    return refused
  }

  /**
   * Notes that a logon with the right credentials was refused at once again, and taken a while later, for none of the tokens alive.
   * @param tried its tries, the first of which was refused
   */
  limitsLogons(...tried: readonly [Exchange, ...Exchange[]]): void {
    const [exchange] = tried
    const { response } = exchange
    if (!response || this.refused.answeredSo(answerOf(response))) return
    if (!this.isLogonLimit(exchange)) this.logonLimits.push(answerOf(response))
    for (const each of tried) if (this.isLogonLimit(each)) this.options.wasBan?.(each)
  }

  /** Whether the answer to a logon is known to be that of a limit, and not of the credentials. */
  isLogonLimit(exchange: Exchange): boolean {
    const { response } = exchange
    if (!response || this.answers.isEmptySuccess(exchange)) return false
    return this.logonLimits.some(each => alike(each, answerOf(response)))
  }

  /** Gives back tokens that the Core keeps alive, where it refuses a logon though the run holds no token. */
  private async makeRoom(on: ConnectionLease): Promise<void> {
    const { isAlive } = this
    if (!isAlive) return
    await this.reclaim.look({
      tokens: () => this.tokens,
      isAlive: token => isAlive(token, on),
      giveBack: token => this.giveBack([token], [], on),
    })
  }

  /**
   * Handles the tokens of right logons that dropped: gives back those that arrived whole, and counts the others as
   * lost.
   */
  private async collect(dropped: Exchange[], last: Exchange, on: ConnectionLease | undefined): Promise<void> {
    for (const tried of dropped) {
      if (!tried.response) this.dropped += this.hangsUp ? 0 : 1
      // The last try belongs to the caller.
      else if (tried.sentAt !== last.sentAt) {
        const token = this.take(tried, 'token of an answer that broke off')
        // Uses the caller's connections. To wait for others while holding these could deadlock.
        if (token) await this.giveBack([token], [], on)
      }
    }
  }

  /** These logons were refused, so they left no token: the Core refuses logons by closing the connection. */
  foundRefused(hungUps: number): void {
    if (hungUps === 0) return
    this.dropped = Math.max(0, this.dropped - hungUps)
    this.hangsUp = true
  }

  /** Whether a request logs on with the right credentials in the usual way. */
  isRightLogon({ method, omitHost, body }: WireRequest): boolean {
    return method === 'POST' && !omitHost && body === this.options.logonRequest().body
  }

  private send(
    request: WireRequest,
    { journal, after, ...how }: Partial<Sending> & { journal?: SessionJournal | undefined },
  ): Promise<Exchange> {
    let answered: (() => void) | undefined
    const isRevocation = request.method === 'DELETE'
    const { controlRequest } = this.options
    return this.sender.send(request, {
      // Where a refusal looks like a drop, nothing is known of the control either.
      ...(controlRequest &&
        !this.answers.refusesByClosing && {
          control: on => this.send(controlRequest(), { on, isOnce: true, mayRepeat: () => false }),
        }),
      // A Core that refuses by closing connections most likely refused it, and only a second time tells.
      mayRepeat: async () => {
        if (isSafe(request.method) || this.answers.refusesByClosing) return true
        const carried = this.carriedBy(request)
        return carried.length === 0 || (how.on instanceof ConnectionLease && (await this.areAlive(carried, how.on)))
      },
      ...how,
      before: () => {
        how.before?.()
        answered = journal?.loggingOn()
        if (isRevocation) this.revocations++
      },
      after: async (exchange, held) => {
        if (isRevocation) this.revocations++
        if (this.isRightLogon(request)) await this.findPlace(exchange, held)
        this.options.tried?.(exchange)
        await after?.(exchange, held)
        // Wait until the caller had time to take the token from the answer.
        if (answered && this.pointer === undefined && exchange.response && exchange.response.status < 300) {
          this.unread.push(answered)
        } else if (answered) setImmediate(answered)
      },
    })
  }

  /** Whether all of these tokens are still alive, so that a request had no effect on them. In the survey nobody knows how to tell. */
  private async areAlive(tokens: readonly Token[], on: ConnectionLease): Promise<boolean> {
    if (!this.isAlive) return false
    for (const token of tokens) if (!(await this.isAlive(token, on))) return false
    return true
  }

  /** Returns the tokens of this run that a request carries and that may be live. */
  carriedBy({ headers, path, body = '' }: WireRequest): Token[] {
    // Only as a whole word: a prolonged token is another token.
    const words = new Set([...headers.map(([, value]) => value), decoded(path), body].join('\n').split(/[\s"&/;?=]+/))
    return this.tokens.filter(({ value, isLive }) => isLive && words.has(value))
  }

  /** Whether the run is being ended early. */
  get isEnding(): boolean {
    return this.options.isEnding?.() ?? false
  }

  /** See `Sender.reserve`. */
  reserve(...of: Parameters<Sender['reserve']>): Promise<void> {
    return this.sender.reserve(...of)
  }

  /** Lets time pass on the clock of the run. @throws the error that ends the run */
  pause(ms: number): Promise<void> {
    return this.options.pause(ms)
  }

  /**
   * Sends a logon that should be refused.
   * @param how see {@link RefusedLogon}. Where it is paced, neither it nor the good logon that may have to come first is sent
   *   again where it is turned away, which may be the first sign of a lock
   * @throws NotSent when the budget of refused logons is used up
   */
  wrongLogon(
    request: WireRequest,
    { owner = '', on, isPaced = false, isAgain = false, isNew = false }: WrongLogonHow = {},
  ): Promise<Exchange> {
    return this.refused.send({
      owner,
      on,
      isPaced,
      isAgain,
      send: hooks => this.send(request, { on, isNew, isOnce: isPaced, ...hooks }),
      reassure: () => this.reassure(on, isPaced),
    })
  }

  /** Logs on with the right credentials and gives the token back, so that the Core sees a good logon. */
  private async reassure(on: ConnectionLease | undefined, isOnce: boolean): Promise<void> {
    const logOn = async (isNew: boolean) => {
      const exchange = await this.exchange(this.options.logonRequest(), on, { isOnce, isNew })
      return this.take(exchange, 'token between refused logons')
    }
    // What came before on the connection may be the reason that it gave none.
    const token = (await logOn(false)) ?? (isOnce ? undefined : await logOn(true))
    if (!token) throw new NotSent('a logon between two refused ones gave no token, and the account might lock')
    this.refused.loggedOn()
    await this.giveBack([token], [], on)
  }

  /**
   * Takes the token from the response to a logon: counts it, and hides it from every output.
   * @param label its name in reports, for example `token a`
   * @returns undefined where the response holds no token. Strings that look like a part of one are hidden all the same
   */
  take(exchange: Exchange, label: string): Token | undefined {
    const { response } = exchange
    if (!response) return undefined
    const value = this.tokenIn(response)
    if (value === undefined) {
      this.noteLost(exchange)
      return undefined
    }
    const token = this.add(value, label, exchange)
    // Other strings of the logon, such as a refresh token, may be secret too.
    this.hideTokenLike(response)
    return token
  }

  /** Returns the token in the answer to a logon. A string that cannot stand in a header is no bearer token. */
  tokenIn(response: WireResponse): string | undefined {
    for (const place of this.places) {
      const value = stringAt(response, place)
      if (value && mayBeToken(value) && !this.isWord({ pointer: place, value }, response)) return value
    }
    return this.inOtherItem(response)
  }

  /** Returns the token where it stands in another item of a list than before: some Cores answer with all sessions of the user. */
  private inOtherItem(response: WireResponse): string | undefined {
    const lists = this.places.map(withoutItem).filter((list, at) => list !== this.places[at])
    if (!lists.length) return undefined
    const found = candidates(response).filter(
      each => lists.includes(withoutItem(each.pointer)) && !this.isWord(each, response),
    )
    const fresh = found.filter(({ value }) => this.tokens.every(token => token.value !== value))
    const [one, ...others] = found.length > 1 ? fresh : found
    return others.length ? undefined : one?.value
  }

  /**
   * Whether a string is one of the words of an error, and no token: it consists of words, as no token of this Core does; or neither its
   * name tells that it is one, nor was one about as long.
   */
  isWord({ pointer, value }: Candidate, { status }: WireResponse): boolean {
    if (status < 400) return false
    const tokens = this.tokens.map(token => token.value)
    const isAsLong = ({ length }: string) => Math.abs(value.length - length) <= length / 4
    return (isPlain(value) && !tokens.some(isPlain)) || !(isTelling(pointer) || tokens.some(isAsLong))
  }

  /** Whether a token may stand at this place of the answer to a logon. */
  isPlace(pointer: string): boolean {
    return this.places.includes(pointer)
  }

  private get places(): string[] {
    return this.pointer === undefined ? [] : [this.pointer, ...this.otherPlaces]
  }

  /**
   * Finds the token of a logon at another place than before: behind one address there may be several versions of a Core. Nothing
   * but a use tells.
   */
  private async findPlace({ request, response }: Exchange, on: ConnectionLease): Promise<void> {
    const { probeRequest } = this.options
    const { probe } = this.answers
    if (!response || response.status >= 400 || !probeRequest || !probe.tells) return
    if (this.pointer === undefined || this.tokenIn(response) !== undefined) return
    for (const { pointer, value } of candidates(response)) {
      if (this.placesTried++ >= MOST_PLACES) return
      const look = withToken({ ...probeRequest(), httpVersion: request.httpVersion }, value)
      const use = await this.sender.send(look, { on, isOnce: true, mayRepeat: () => false })
      if (!probe.accepts(use)) continue
      this.otherPlaces.push(pointer)
      return
    }
  }

  /** Hides the strings of a logon without a usable token. Counts a lost token where the response was cut. */
  noteLost(logon: Exchange): void {
    if (logon.response) this.hideTokenLike(logon.response)
    if (isCut(logon)) this.lost++
  }

  /** Counts a token, and hides it. */
  add(value: string, label: string, { sentAt, receivedAt, wall }: Exchange): Token {
    this.options.redactor.hide(value, label)
    const isNew = this.tokens.every(token => token.value !== value)
    const reading = { sentAt, receivedAt, ...(wall && { wall }) }
    const token = new Token(label, value, reading, isNew, this.tokens.length, this.changed)
    this.tokens.push(token)
    this.options.journal?.issued(token)
    this.peak = Math.max(this.peak, this.live)
    return token
  }

  private readonly changed = (token: Token) => {
    if (token.givenBack) this.pacer.givenBack(token.issued.sentAt)
    this.options.journal?.changed(token)
  }

  /** Takes over the tokens, in the order of their numbers, and the count of refused logons of an earlier process. */
  restore(tokens: TokenState[], refusedLogons: number): void {
    this.tokens.push(...tokens.map((state, number) => Token.from(state, number, this.changed)))
    this.refused.restore(refusedLogons)
  }

  /** Hides a value from every output, as `[label]`. */
  hide(value: string, label: string): void {
    this.options.redactor.hide(value, label)
  }

  /** Returns a text without the secrets that are known so far. */
  text(text: string): string {
    return this.options.redactor.text(text)
  }

  /** Hides every string of a logon response that could be a token, or the rest of one in a cut response. */
  hideTokenLike(response: WireResponse): void {
    for (const found of tokenLike(response)) this.options.redactor.hide(found, 'withheld')
  }

  /**
   * Revokes the given tokens of this run, except those revoked before.
   * @param exchanges receives the exchanges of the revocations
   * @param on the connections to use; absent: all share one
   */
  async giveBack(tokens: Token[], exchanges: Exchange[], on?: ConnectionLease): Promise<void> {
    const distinct = new Map(tokens.filter(({ givenBack }) => !givenBack).map(token => [token.value, token]))
    const lease = on ?? this.connections.lease()
    try {
      const means = {
        ...this.options,
        effectOf: (exchange: Exchange) => this.answers.effectOf(exchange),
        pausesMs: this.giveBackPausesMs,
        send: async (request: WireRequest, isNew: boolean) => {
          const how = { on: lease, isNew, isCleaning: true, mayRepeat: () => true }
          const exchange = await this.send(request, how)
          return this.isOddlyRefused(request, exchange) ? this.revokedLater(request, exchange, lease, how) : exchange
        },
      }
      for (const token of distinct.values()) await giveBack(token, exchanges, lease, means)
    } finally {
      if (lease !== on) lease.give()
    }
  }

  /** How many tokens could not be given back, and may still be live on the Core. */
  get left(): number {
    // A Core may issue the same token again. Then its last entry counts.
    const last = new Map(this.tokens.map(token => [token.value, token]))
    // What a limit dropped was not dealt with.
    const dropped = this.pacer.isDropping ? 0 : this.dropped
    return [...last.values()].filter(({ givenBack }) => !givenBack).length + this.lost + dropped
  }

  /** Counts each revocation when it is sent, and again when it was answered: in between, the Core may have got room. */
  revocations = 0

  /** Number of live tokens at which the Core was seen to have no room for another; undefined where it was not seen. */
  fullAt: number | undefined

  /** Whether logons were seen to be refused for what came before on their connection. */
  refusesByConnection = false
  /** Whether a logon finds out what a refusal means, so that others wait. */
  isFindingOut = false

  /** How many tokens of a user the Core keeps; undefined where it was seen to keep all. */
  keeps: number | undefined

  /** Tells whether the Core accepts a token; set when the survey has seen its answers. */
  isAlive?: (token: Token, on: ConnectionLease | undefined) => Promise<boolean>

  /** What the answers of this Core mean; set when the survey has seen them. */
  answers: AnswerBook = UNKNOWN_ANSWERS

  /** Finds tokens that the Core still accepts after their revocation. */
  readonly reclaim = new Reclaim()

  /** Most tokens that were live at the same time. */
  peak = 0

  /**
   * Pauses before each further try to give a token back, in milliseconds. The survey sets them where one more try is
   * not enough.
   */
  giveBackPausesMs: readonly number[] = [0]

  /** How many tokens of this run may be live. */
  get live(): number {
    const open = this.tokens.filter(({ isLive }) => isLive)
    return new Set(open.map(({ value }) => value)).size
  }
}

/** Returns a JSON Pointer without the numbers of the items that it leads to. */
function withoutItem(pointer: string): string {
  return pointer.replace(ITEM, '/')
}
