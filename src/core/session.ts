/**
 * All talk of a run with its Core. Over 250 lines, since every request, every token and every logon of a run is counted here and in no
 * other place: nothing is sent past it, so nothing is left behind.
 */
import { isSafe } from '../ground/methods.js'
import { CONFIGURATION } from '../settings/configuration.js'
import { stringAt } from './candidates.js'
import { ConnectionLease, Connections } from './connections.js'
import { type Exchange, isCut, isDelivered, type WireRequest, type WireResponse } from './exchange.js'
import { giveBack } from './give-back.js'
import { NotSent } from './not-sent.js'
import { Pacer } from './pacer.js'
import { Reclaim } from './reclaim.js'
import { RefusedLogons } from './refused-logons.js'
import { Sender, type Sending } from './sender.js'
import type { SessionJournal, SessionOptions } from './session-options.js'
import { SENDABLE, Token, type TokenState } from './token.js'
import { tokenLike } from './token-like.js'
import type { KeptConnection } from './transport.js'

export { isRevocation, withToken } from './give-back.js'
export { NotSent } from './not-sent.js'
export type { SessionJournal, SessionOptions } from './session-options.js'

/**
 * Without other settings: four connections, and a quarter of an hour of patience, in which a Core that takes a logon in two
 * seconds is judged, and which is over before most CI ends a job.
 */
export const DEFAULT_CONNECTIONS = CONFIGURATION.concurrency.usual
/** See {@link DEFAULT_CONNECTIONS}. */
export const DEFAULT_PATIENCE_MS = CONFIGURATION.patience.usual

/**
 * All talk with one target. Every token that the Core issues is counted here, so that every token can be given back.
 */
export class Session {
  /** Every token issued to this run. */
  readonly tokens: Token[] = []
  private pointer: string | undefined
  /** What tells the journal that a logon was answered whose token nobody has found yet. */
  private readonly unread: (() => void)[] = []
  private readonly refused: RefusedLogons
  /** Logons that issued a token, or may have, which did not arrive. */
  private lost = 0
  /** Whether the Core was seen to refuse logons by hanging up. */
  private hangsUp = false
  readonly connections: Connections
  readonly pacer: Pacer
  private readonly sender: Sender

  constructor(private readonly options: SessionOptions) {
    const { transport, pause, isEnding = () => false } = options
    this.connections = options.connections ?? new Connections(DEFAULT_CONNECTIONS)
    this.pacer = options.pacer ?? new Pacer({ now: () => performance.now(), patienceMs: DEFAULT_PATIENCE_MS })
    this.refused = new RefusedLogons(options)
    this.sender = new Sender({ transport, pause, isEnding, connections: this.connections, pacer: this.pacer })
  }

  /** A request as it goes out on a connection that is kept, for whoever writes it there. */
  whole(request: WireRequest): WireRequest {
    return this.options.transport.whole(request, true)
  }

  /** Where the token stands in a logon response (see `Candidate`); set by the survey, which at once adds the token that it found. */
  get tokenPointer(): string | undefined {
    return this.pointer
  }

  set tokenPointer(pointer: string | undefined) {
    this.pointer = pointer
    for (const answered of this.unread.splice(0)) setImmediate(answered)
  }

  /**
   * Sends a request. Where a limit or the wire is what answers, sends it again: after as long as the Core asks to wait (429,
   * or 503 with Retry-After), and on a new connection when one drops. What is not repeated when it dropped is a request that
   * may have changed something: one that is not safe, and carries a live token of this run. What is in the way of an answer
   * is in no reference, so it is respected or overcome, and not judged.
   * @param on whose connections it is sent on; without any it gets one of its own
   * @throws OutOfPatience when the Core asks to wait for too long; NotSent where connections are too few
   */
  async exchange(
    request: WireRequest,
    on?: ConnectionLease | KeptConnection,
    { isNew = false }: { isNew?: boolean } = {},
  ): Promise<Exchange> {
    const isRight = this.isRightLogon(request)
    const dropped: Exchange[] = []
    const lease = on instanceof ConnectionLease ? on : undefined
    const exchange = await this.send(request, {
      on,
      isNew,
      holdsTokens: () => isRight && this.live > 0,
      journal: request.method === 'POST' ? this.options.journal : undefined,
      after: async tried => {
        if (isRight && isDelivered(tried) && tried.error && !tried.isStale) dropped.push(tried)
        const isRefused = tried.response !== undefined && tried.response.status >= 400
        if (isRight && isRefused && this.live === 0) await this.makeRoom(lease)
      },
    })
    await this.collect(dropped, exchange, lease)
    return exchange
  }

  /** Gives back what the Core keeps alive, where it refuses a logon though nothing is held. */
  private async makeRoom(on: ConnectionLease | undefined): Promise<void> {
    const { isAlive } = this
    if (!isAlive) return
    await this.reclaim.look({
      tokens: () => this.tokens,
      isAlive: token => isAlive(token, on),
      giveBack: token => this.giveBack([token], [], on),
    })
  }

  /** Looks for the tokens of right logons that dropped: what came whole is given back, what did not arrive is counted. */
  private async collect(dropped: Exchange[], last: Exchange, on: ConnectionLease | undefined): Promise<void> {
    for (const tried of dropped) {
      if (!tried.response) this.lost += this.hangsUp ? 0 : 1
      // What came of the last one is for whoever asked.
      else if (tried.sentAt !== last.sentAt) {
        const token = this.take(tried, 'token of an answer that broke off')
        // On the connections of whoever asked: to wait for others while these are held could be for ever.
        if (token) await this.giveBack([token], [], on)
      }
    }
  }

  /** Takes back that so many logons may have issued tokens: the Core refuses by hanging up, and did so. */
  foundRefused(hungUps: number): void {
    if (hungUps === 0) return
    this.lost = Math.max(0, this.lost - hungUps)
    this.hangsUp = true
  }

  /** Whether a request logs on with the right credentials, and in the usual way. */
  isRightLogon({ method, omitHost, body }: WireRequest): boolean {
    return method === 'POST' && !omitHost && body === this.options.logonRequest().body
  }

  private send(
    request: WireRequest,
    { journal, after, ...how }: Partial<Sending> & { journal?: SessionJournal | undefined },
  ): Promise<Exchange> {
    let answered: (() => void) | undefined
    const isRevocation = request.method === 'DELETE'
    return this.sender.send(request, {
      mayRepeat: () => isSafe(request.method) || !this.carriesLive(request),
      ...how,
      before: () => {
        how.before?.()
        answered = journal?.loggingOn()
        if (isRevocation) this.revocations++
      },
      after: async exchange => {
        if (isRevocation) this.revocations++
        await after?.(exchange)
        // Only now that whoever asked had time to take the token out of it.
        if (answered && this.pointer === undefined && exchange.response && exchange.response.status < 300) {
          this.unread.push(answered)
        } else if (answered) setImmediate(answered)
      },
    })
  }

  /** Whether a request carries a token of this run that may be live. */
  private carriesLive({ headers, path, body = '' }: WireRequest): boolean {
    // As a word of its own: a token that was prolonged is none.
    const words = new Set([...headers.map(([, value]) => value), decoded(path), body].join('\n').split(/[\s"&/;?=]+/))
    return this.tokens.some(({ value, isLive }) => isLive && words.has(value))
  }

  /** Whether the run is being ended early. */
  get isEnding(): boolean {
    return this.options.isEnding?.() ?? false
  }

  /** Lets time pass on the clock of the run. @throws whatever ends the run */
  pause(ms: number): Promise<void> {
    return this.options.pause(ms)
  }

  /** Notes that a logon with the right credentials gave a token: the Core's count of failures starts anew. */
  loggedOn(): void {
    this.refused.loggedOn()
  }

  /** Logons with anything but the right credentials; each may count towards the locking of an account. */
  get refusedLogons(): number {
    return this.refused.count
  }

  /** How many more logons may be refused. */
  get refusalsLeft(): number {
    return this.options.maxRefusedLogons - this.refusedLogons
  }

  /**
   * Sends a logon that is to be refused.
   * @param exchanges gets those of a good logon that has to come before it
   * @param owner on whose behalf, for the journal
   * @param on whose connections it is sent on
   * @throws NotSent when the budget of refused logons is used up
   */
  wrongLogon(
    request: WireRequest,
    exchanges: Exchange[],
    owner = '',
    on?: ConnectionLease,
    { isNew = false }: { isNew?: boolean } = {},
  ): Promise<Exchange> {
    return this.refused.send({
      owner,
      on,
      send: hooks => this.send(request, { on, isNew, ...hooks }),
      reassure: () => this.reassure(exchanges, on),
    })
  }

  /** Logs on rightly and gives the token back, for no other end than to have logged on. */
  private async reassure(exchanges: Exchange[], on: ConnectionLease | undefined): Promise<void> {
    const exchange = await this.exchange(this.options.logonRequest(), on)
    exchanges.push(exchange)
    const token = this.take(exchange, 'token between refused logons')
    if (!token) throw new NotSent('a logon between two refused ones gave no token, and the account might lock')
    this.loggedOn()
    await this.giveBack([token], exchanges, on)
  }

  /**
   * The token in the response to a logon, now counted and hidden from every output.
   * @param label how reports call it, for example `token a`
   * @returns undefined where the response holds none; what looks like a part of one is hidden all the same
   */
  take(exchange: Exchange, label: string): Token | undefined {
    const { response } = exchange
    if (!response) return undefined
    const value = this.tokenPointer === undefined ? undefined : stringAt(response, this.tokenPointer)
    // What cannot stand in a header is no bearer token.
    if (!value || !SENDABLE.test(value)) {
      this.noteLost(exchange)
      return undefined
    }
    const token = this.add(value, label, exchange)
    // What else the logon gave (a refresh token, say) may be a secret too.
    this.hideTokenLike(response)
    return token
  }

  /** Hides what a logon gave that nobody can use, and counts it where the part is missing that holds the token. */
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

  private readonly changed = (token: Token) => this.options.journal?.changed(token)

  /** Takes over the tokens and the count of an earlier process; the tokens in the order of their numbers. */
  restore(tokens: TokenState[], refusedLogons: number): void {
    this.tokens.push(...tokens.map((state, number) => Token.from(state, number, this.changed)))
    this.refused.restore(refusedLogons)
  }

  /** Hides a value from every output, as `[label]`. */
  hide(value: string, label: string): void {
    this.options.redactor.hide(value, label)
  }

  /** Hides whatever in a logon response could be a token, or the part of one that a cut response left. */
  hideTokenLike(response: WireResponse): void {
    for (const found of tokenLike(response)) this.options.redactor.hide(found, 'withheld')
  }

  /**
   * Revokes the given tokens of this run, except those that were revoked before.
   * @param exchanges gets the exchanges that this takes
   * @param on whose connections to do it on; without any they share one
   */
  async giveBack(tokens: Token[], exchanges: Exchange[], on?: ConnectionLease): Promise<void> {
    const distinct = new Map(tokens.filter(({ givenBack }) => !givenBack).map(token => [token.value, token]))
    const lease = on ?? this.connections.lease()
    try {
      const { revokeRequest, pause, hasLapsed } = this.options
      const means = {
        revokeRequest,
        pause,
        hasLapsed,
        pausesMs: this.giveBackPausesMs,
        send: (request: WireRequest, isNew: boolean) =>
          this.send(request, { on: lease, isNew, isCleaning: true, mayRepeat: () => false }),
      }
      for (const token of distinct.values()) await giveBack(token, exchanges, lease, means)
    } finally {
      if (lease !== on) lease.give()
    }
  }

  /** How many tokens could not be given back, and may be live on the Core still. */
  get left(): number {
    // A Core may issue the same one again; then the last time counts.
    const last = new Map(this.tokens.map(token => [token.value, token]))
    return [...last.values()].filter(({ givenBack }) => !givenBack).length + this.lost
  }

  /** Changes whenever a revocation is sent, and when it has been answered: in between, the Core may have got room. */
  revocations = 0

  /** With how many live tokens the Core was seen to have no room for another; undefined where it was not. */
  fullAt: number | undefined

  /** Tells whether a token is accepted; set when the survey has seen what that looks like. */
  isAlive?: (token: Token, on: ConnectionLease | undefined) => Promise<boolean>

  /** Finds tokens that live on though they were revoked. */
  readonly reclaim = new Reclaim()

  /** The most tokens that were live at a time. */
  peak = 0

  /** The pauses before each further try to give a token back; set by the survey where one more try is not enough. */
  giveBackPausesMs: readonly number[] = [0]

  /** How many tokens of this run may be live. */
  get live(): number {
    const open = this.tokens.filter(({ isLive }) => isLive)
    return new Set(open.map(({ value }) => value)).size
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
