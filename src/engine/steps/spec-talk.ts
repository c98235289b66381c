/** The talk of one spec with the Core: what was sent, and the tokens, values and connections that the spec holds. */
import type { ConnectionLease } from '../../core/connections.js'
import type { Exchange, WireRequest } from '../../core/exchange.js'
import { NotSent } from '../../core/session.js'
import { changed, neverIssued, type Token } from '../../core/token.js'
import type { Facts } from '../../result.js'
import type { Role } from '../../suite/roles.js'
import type { SendStep, Spec, TokenRef } from '../../suite/spec.js'
import { UNKNOWN_TOKEN } from '../../suite/step.js'
import type { RunContext } from '../context.js'
import { type Departure, makeRequest, roleRequest } from '../requests.js'

/** Told around every wait, so that it can be taken up by another process. */
export interface WaitHooks {
  /** The steps so far are done, and time is to pass. */
  begins(): void
  /** Time has passed: whatever comes now cannot be done twice. */
  ends(): void
}

/** Keeps the tokens, the values and the exchanges that the steps of one spec give. */
export class SpecTalk {
  readonly context: RunContext
  readonly exchanges: Exchange[] = []
  /** Every token that the steps were given, also unasked. */
  readonly issued: Token[]
  private readonly tokens: Map<string, Token>
  /** What steps took out of responses, by the names of the spec. */
  readonly saved: Map<string, string>
  /** The connections of the spec: one that it keeps open, and others. */
  readonly lease: ConnectionLease
  /** What was observed. */
  readonly facts: Facts

  /** @param trunk the talk that it shares tokens, values and facts with; see {@link branch} */
  constructor(
    context: RunContext,
    readonly spec: Spec,
    readonly hooks: WaitHooks,
    trunk?: SpecTalk,
  ) {
    this.lease = context.session.connections.lease(context.pace)
    this.issued = trunk?.issued ?? []
    this.tokens = trunk?.tokens ?? new Map()
    this.saved = trunk?.saved ?? new Map()
    this.facts = trunk?.facts ?? {}
    this.context = { ...context, parts: { ...context.parts, saved: this.saved } }
  }

  /** For steps of the same spec at the same time as others: with the same tokens, on connections and with exchanges of its own. */
  branch(): SpecTalk {
    return new SpecTalk(this.context, this.spec, this.hooks, this)
  }

  /** The tokens by their names. */
  get named(): ReadonlyMap<string, Token> {
    return this.tokens
  }

  /** The token of a name. @throws Error where there is none, which the loader has seen to */
  token(name: string): Token {
    const token = this.tokens.get(name)
    if (!token) throw new Error(`no token '${name}' in ${this.spec.id}`)
    return token
  }

  /** Calls a token so from now on. */
  name(name: string, token: Token): void {
    this.tokens.set(name, token)
  }

  /** Holds a token that the steps did not issue themselves. */
  adopt(name: string, token: Token): void {
    this.name(name, token)
    if (!this.issued.includes(token)) this.issued.push(token)
  }

  /** The token in the answer to a logon, which the spec holds from now on; undefined where there is none. */
  take(exchange: Exchange, label: string): Token | undefined {
    const token = this.context.session.take(exchange, label)
    if (token) this.issued.push(token)
    return token
  }

  /** What a token reference stands for, hidden from every output where it is made from a real one. */
  valueOf({ name, change }: TokenRef): string {
    const { session } = this.context
    if (name === UNKNOWN_TOKEN) return neverIssued(session.tokens[0]?.value ?? '')
    const { value } = this.token(name)
    if (!change) return value
    const made = changed(value, change)
    if (made === undefined) throw new NotSent(`a token of this Core has no other form with this change: ${change}`)
    session.hide(made, `token ${name}, ${change}`)
    return made
  }

  /** The request that a step names, as the step departs from it. */
  request(step: SendStep): WireRequest {
    return makeRequest(this.context.parts, step.request, step, token => this.token(token).value)
  }

  /** The request that has a role. */
  inRole(role: Role, departure: Departure = {}): WireRequest {
    return roleRequest(this.context.parts, role, departure)
  }

  /**
   * Whether a request of a step may do to tokens what the requests with this role do: it is one of the requests with a role, or
   * goes to the same path. A chapter's other requests issue and revoke none.
   */
  mayActAs(role: 'logon' | 'revoke', { request: { method, path } }: Exchange, step: SendStep): boolean {
    const like = this.inRole(role)
    return method === like.method && (step.role !== undefined || pathOnly(path) === pathOnly(like.path))
  }

  /** Sends a request that no step expects anything of, and notes it. */
  async exchange(request: WireRequest, { isNew = false } = {}): Promise<Exchange> {
    const exchange = await this.context.session.exchange(request, this.lease, { isNew })
    this.exchanges.push(exchange)
    return exchange
  }
}

/** A path without its query. */
export function pathOnly(path: string): string {
  return path.split('?', 1)[0] ?? path
}
