import { setTimeout as sleep } from 'node:timers/promises'
import { stringAt } from './candidates.js'
import { type Exchange, header, isCut, type Reading, type WireRequest, type WireResponse } from './exchange.js'
import { pauseAsked } from './pause.js'
import type { Redactor } from './redact.js'
import { SENDABLE, Token, type TokenState } from './token.js'
import { tokenLike } from './token-like.js'
import type { KeptConnection, Transport } from './transport.js'

/** How often an exchange is repeated because the Core asks to slow down. */
const MAX_REPEATS = 3
/** How long a pause is when the run is being ended, on the real clock. */
const LAST_PAUSE_MS = 1000

/** Something that was not sent, since it could do harm. The spec that asked for it is skipped for this reason. */
export class NotSent extends Error {}

/** Whoever writes down what a session must not forget, should its process die. Each is told before anything else happens. */
export interface SessionJournal {
  /** A token was issued. */
  issued(token: Token): void
  /** A token was given back, or was found to live on. */
  changed(token: Token): void
  /** A logon is about to be sent that may issue a token; call back when it has been answered. */
  loggingOn(): () => void
  /** A logon is about to be sent that is to be refused. @param owner on whose behalf */
  refusing(owner: string): void
}

/** What a {@link Session} needs of the run. */
export interface SessionOptions {
  transport: Transport
  redactor: Redactor
  /** Runs one exchange when there is a free slot for it. */
  slot: <T>(exchange: () => Promise<T>) => Promise<T>
  /** Lets time pass on the clock of the run. */
  pause: (ms: number) => Promise<void>
  /** The logon with the right credentials. */
  logonRequest: () => WireRequest
  /** The request that revokes the token it carries. */
  revokeRequest: () => WireRequest
  /** Whether a token had certainly been unused for longer than its lifetime by then. */
  hasLapsed?: (token: Token, by: Reading) => boolean
  /** How many logons may be refused in this run. */
  maxRefusedLogons: number
  journal?: SessionJournal
}

/**
 * All talk with one target. Every token that the Core issues is counted here, so that every token can be given back.
 */
export class Session {
  /** Every token issued to this run. */
  readonly tokens: Token[] = []
  private pointer: string | undefined
  /** What tells the journal that a logon was answered whose token nobody has found yet. */
  private readonly unread: (() => void)[] = []
  /** Logons with anything but the right credentials; each may count towards the locking of an account. */
  refusedLogons = 0
  /** Whether the last logon was one of those. */
  private lastRefused = false
  /** Logons that issued a token, most likely, which did not arrive. */
  private lost = 0
  /** Logons with wrong credentials go one after another. */
  private turn: Promise<unknown> = Promise.resolve()

  constructor(private readonly options: SessionOptions) {}

  /** Where the token stands in a logon response (see `Candidate`); set by the survey, which at once adds the token that it found. */
  get tokenPointer(): string | undefined {
    return this.pointer
  }

  set tokenPointer(pointer: string | undefined) {
    this.pointer = pointer
    for (const answered of this.unread.splice(0)) setImmediate(answered)
  }

  /**
   * Sends a request. When the Core answers that it limits the rate (429, or 503 with Retry-After), waits as long as it
   * asks and sends it again, a few times: limits are not in the reference, so they are respected and not judged.
   */
  exchange(request: WireRequest, kept?: KeptConnection, pause = this.options.pause): Promise<Exchange> {
    return this.repeat(request, kept, pause, request.method === 'POST' ? this.options.journal : undefined)
  }

  private async repeat(
    request: WireRequest,
    kept: KeptConnection | undefined,
    pause: (ms: number) => Promise<void>,
    journal: SessionJournal | undefined,
  ): Promise<Exchange> {
    for (let repeat = 0; ; repeat++) {
      const exchange = await this.options.slot(() => this.send(request, kept, journal))
      const pauseMs = this.pauseMs(exchange)
      if (pauseMs === undefined || repeat === MAX_REPEATS) return exchange
      await pause(pauseMs)
    }
  }

  private async send(
    request: WireRequest,
    kept: KeptConnection | undefined,
    journal: SessionJournal | undefined,
  ): Promise<Exchange> {
    const answered = journal?.loggingOn()
    if (request.method === 'DELETE') this.revocations++
    const exchange = await this.options.transport.exchange(request, kept)
    if (request.method === 'DELETE') this.revocations++
    // Only now that whoever asked had time to take the token out of it.
    if (answered && this.pointer === undefined && exchange.response && exchange.response.status < 300) {
      this.unread.push(answered)
    } else if (answered) setImmediate(answered)
    return exchange
  }

  /** Lets time pass on the clock of the run. @throws whatever ends the run */
  pause(ms: number): Promise<void> {
    return this.options.pause(ms)
  }

  /** Notes that a logon with the right credentials gave a token: the Core's count of failures starts anew. */
  loggedOn(): void {
    this.lastRefused = false
  }

  /**
   * Sends a logon that is to be refused. Accounts lock after some failures, so their number is bounded, and between two of
   * them there is always a logon that succeeds.
   * @param owner on whose behalf, for the journal
   * @throws NotSent when the budget of refused logons is used up
   */
  wrongLogon(request: WireRequest, exchanges: Exchange[], owner = ''): Promise<Exchange> {
    const attempt = this.turn.then(async () => {
      if (this.refusedLogons >= this.options.maxRefusedLogons) {
        throw new NotSent(
          `the budget of ${this.options.maxRefusedLogons} refused logons is used up (--max-refused-logons)`,
        )
      }
      if (this.lastRefused) await this.reassure(exchanges)
      this.options.journal?.refusing(owner)
      this.refusedLogons++
      this.lastRefused = true
      return this.repeat(request, undefined, this.options.pause, undefined)
    })
    this.turn = attempt.catch(() => {})
    return attempt
  }

  /** Logs on rightly and gives the token back, for no other end than to have logged on. */
  private async reassure(exchanges: Exchange[]): Promise<void> {
    const exchange = await this.exchange(this.options.logonRequest())
    exchanges.push(exchange)
    const token = this.take(exchange, 'token between refused logons')
    if (!token) throw new NotSent('a logon between two refused ones gave no token, and the account might lock')
    this.loggedOn()
    await this.giveBack([token], exchanges)
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
    this.refusedLogons = refusedLogons
    // Whatever came last: one good logon more does no harm.
    this.lastRefused = refusedLogons > 0
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
   * @param kept the connection to do it on
   */
  async giveBack(tokens: Token[], exchanges: Exchange[], kept?: KeptConnection): Promise<void> {
    const distinct = new Map(tokens.filter(({ givenBack }) => !givenBack).map(token => [token.value, token]))
    for (const token of distinct.values()) await this.revoke(token, exchanges, kept)
  }

  /** How many tokens could not be given back, and may be live on the Core still. */
  get left(): number {
    // A Core may issue the same one again; then the last time counts.
    const last = new Map(this.tokens.map(token => [token.value, token]))
    return [...last.values()].filter(({ givenBack }) => !givenBack).length + this.lost
  }

  /** How long the Core asks to wait; undefined when it does not, or when giving tokens back is what would help. */
  private pauseMs({ request, response }: Exchange): number | undefined {
    if (!response) return undefined
    const isTokenLimit = request.method === 'POST' && this.live > 0 && header(response, 'retry-after') === undefined
    return isTokenLimit ? undefined : pauseAsked(response)
  }

  /** Changes whenever a revocation is sent, and when it has been answered: in between, the Core may have got room. */
  revocations = 0

  /** The most tokens that were live at a time. */
  peak = 0

  /** The pauses before each further try to give a token back; set by the survey where one more try is not enough. */
  giveBackPausesMs: readonly number[] = [0]

  /** How many tokens of this run may be live. */
  get live(): number {
    const open = this.tokens.filter(({ givenBack, seenDead }) => !givenBack && !seenDead)
    return new Set(open.map(({ value }) => value)).size
  }

  private async revoke(token: Token, exchanges: Exchange[], kept: KeptConnection | undefined): Promise<void> {
    const request = withToken(this.options.revokeRequest(), token.value)
    for (let attempt = 0; attempt <= this.giveBackPausesMs.length && !token.givenBack; attempt++) {
      const pauseMs = this.giveBackPausesMs[attempt - 1] ?? 0
      if (pauseMs) await this.lastPause(pauseMs)
      // Once more on a new connection: the kept one may be what is broken.
      const exchange = await this.exchange(request, attempt ? undefined : kept, ms => this.lastPause(ms))
      exchanges.push(exchange)
      const { response } = exchange
      // A refusal of a token that was seen dead, or has expired, is no surprise; it was worth trying, since Cores revive tokens.
      const isExpected = token.seenDead || this.options.hasLapsed?.(token, exchange)
      const isDead = isExpected && response !== undefined && response.status >= 400 && response.status < 500
      if (isRevocation(exchange) || isDead) token.givenBack = true
    }
  }

  /** A pause that does not end in an error when the run is over, and then is short: somebody waits for its end. */
  private async lastPause(ms: number): Promise<void> {
    try {
      await this.options.pause(ms)
    } catch {
      await sleep(Math.min(ms, LAST_PAUSE_MS))
    }
  }
}

/** The request with this token in its Authorization header. */
export function withToken(request: WireRequest, token: string): WireRequest {
  return { ...request, headers: [...request.headers, ['Authorization', `Bearer ${token}`]] }
}

/** Whether a revocation was answered with success. */
export function isRevocation({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}
