/** The communication of one spec with the Core: exchanges, tokens, values and connections. */
import type { ConnectionLease } from '../../core/connections.js'
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { NotSent } from '../../core/not-sent.js'
import { changed, neverIssued, type Token } from '../../core/token.js'
import type { Facts } from '../../result.js'
import type { Role } from '../../suite/roles.js'
import type { SendStep, Spec } from '../../suite/spec.js'
import { type TokenRef, UNKNOWN_TOKEN } from '../../suite/step-words.js'
import type { RunContext } from '../context.js'
import type { Gate } from '../phases/quiet.js'
import { type Departure, makeRequest, pathOnly, roleRequest } from '../requests.js'
import { ShapeBook } from '../shape-book.js'

/** The access of one spec to the stretches between waits. Some never make way for others. */
export type StretchGate = Pick<Gate, 'enter' | 'leave'> & Partial<Pick<Gate, 'makeWay'>>

/** Called around every wait, so that another process can continue it; without these, none does. */
export interface WaitHooks {
  /** Keeps the stretches between waits apart from those of other specs. */
  gate?: StretchGate
  /** The steps so far are done, and a wait begins. */
  begins?(): void
  /** The wait is over. The following steps cannot be done twice. */
  ends?(): void
}

/** Keeps the tokens, the values and the exchanges of the steps of one spec. */
export class SpecTalk {
  readonly context: RunContext
  readonly exchanges: Exchange[] = []
  /** Every token issued to the steps, expected or not. */
  readonly issued: Token[]
  private readonly tokens: Map<string, Token>
  /** Values that steps saved from responses, by name. */
  readonly saved: Map<string, string>
  /** The connections of the spec: one that it keeps open, and others. */
  readonly lease: ConnectionLease
  /** When it began, on the clock of the run, in milliseconds. */
  readonly startMs: number
  /** Uses the tokens that it shares with other specs, where that was not done for a while; absent: it shares none. */
  keepAlive: (() => Promise<void>) | undefined
  /** The facts that it observed. */
  readonly facts: Facts

  /**
   * @param how `lease`: connections that it shares with other specs; absent: connections of its own. `trunk`: the talk that
   *   shares its tokens, values and facts; see {@link branch}
   */
  constructor(
    context: RunContext,
    readonly spec: Spec,
    readonly hooks: WaitHooks = {},
    { lease, trunk }: { lease?: ConnectionLease | undefined; trunk?: SpecTalk } = {},
  ) {
    this.lease = lease ?? context.session.connections.lease(context.pace)
    this.startMs = trunk?.startMs ?? context.schedule.now()
    this.issued = trunk?.issued ?? []
    this.tokens = trunk?.tokens ?? new Map()
    this.saved = trunk?.saved ?? new Map()
    this.facts = trunk?.facts ?? {}
    const shapes = trunk ? context.shapes : new ShapeBook(context.shapes)
    this.context = { ...context, shapes, parts: { ...context.parts, saved: this.saved } }
  }

  /**
   * Makes a talk for steps that run at the same time: with the same tokens, but with connections and exchanges of its
   * own.
   */
  branch(): SpecTalk {
    return new SpecTalk(this.context, this.spec, this.hooks, { trunk: this })
  }

  /** The tokens by name. */
  get named(): ReadonlyMap<string, Token> {
    return this.tokens
  }

  /** Returns the token of a name. @throws Error where there is none, which the loader rules out */
  token(name: string): Token {
    const token = this.tokens.get(name)
    if (!token) throw new Error(`no token '${name}' in ${this.spec.id}`)
    return token
  }

  /** Gives a token a name. */
  name(name: string, token: Token): void {
    this.tokens.set(name, token)
  }

  /** Holds a token that was not issued to the steps themselves. */
  adopt(name: string, token: Token): void {
    this.name(name, token)
    if (!this.issued.includes(token)) this.issued.push(token)
  }

  /** Takes the token from the answer to a logon, and holds it; undefined where there is none. */
  take(exchange: Exchange, label: string): Token | undefined {
    const token = this.context.session.take(exchange, label)
    if (token) this.issued.push(token)
    return token
  }

  /** Gives a token back, unless an earlier logon gave it too: then it belongs to whoever got it first. */
  async giveBack(token: Token): Promise<void> {
    const { session } = this.context
    const isOthers = session.tokens.some(each => each !== token && each.isLive && each.value === token.value)
    if (!isOthers) await session.giveBack([token], this.exchanges, this.lease)
  }

  /** Returns the value of a token reference. Hides a value that is made from a real token. */
  valueOf({ name, change }: TokenRef): string {
    const { session } = this.context
    if (name === UNKNOWN_TOKEN) return neverIssued(session.tokens[0]?.value ?? '')
    const { value } = this.token(name)
    if (!change) return value
    const made = changed(value, change)
    if (made === undefined) throw new NotSent(`a token of this Core has no other form with this change: ${change}`)
    // Tokens that are counted up differ by a digit.
    if (session.tokens.some(each => each.value === made))
      throw new NotSent(`a token with this change is another token of this Core: ${change}`)
    session.hide(made, `token ${name}, ${change}`)
    return made
  }

  /** Makes the request of a step. */
  request(step: SendStep): WireRequest {
    return makeRequest(this.context.parts, step.request, step, token => this.token(token).value)
  }

  /** Makes the request of a role. */
  inRole(role: Role, departure?: Departure): WireRequest {
    return roleRequest(this.context.parts, role, departure)
  }

  /**
   * Whether a request of a step may issue or revoke tokens as the request of this role does: it is that request, in whatever form,
   * or goes to its path. What goes elsewhere does neither, whatever the Core answers: some say 200 to everything.
   */
  mayActAs(role: 'logon' | 'revoke', { request: { method, path } }: Exchange, step: SendStep): boolean {
    const like = this.inRole(role)
    return method === like.method && (step.role === role || pathOnly(path) === pathOnly(like.path))
  }

  /** Sends a request without expectations, and notes its exchange. */
  async exchange(request: WireRequest, how: { isNew?: boolean; isUnwaited?: boolean } = {}): Promise<Exchange> {
    const exchange = await this.context.session.exchange(request, this.lease, how)
    this.exchanges.push(exchange)
    return exchange
  }
}
