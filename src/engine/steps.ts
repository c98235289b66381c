import { candidates } from '../core/candidates.js'
import { type Exchange, summary, type WireRequest } from '../core/exchange.js'
import { isRevocation, NotSent, withToken } from '../core/session.js'
import { alphabetOf, changed, neverIssued, type Token } from '../core/token.js'
import { KeptConnection } from '../core/transport.js'
import { duration } from '../duration.js'
import type { Facts, Gap, StepRecord } from '../result.js'
import {
  type Expectation,
  type LogonStep,
  type SendStep,
  type Spec,
  type Step,
  type TokenRef,
  type WaitStep,
  waits,
} from '../suite/spec.js'
import { UNKNOWN_TOKEN } from '../suite/step.js'
import { tokensIn } from '../suite/variables.js'
import type { RunContext } from './context.js'
import { credentialIn } from './credentials.js'
import { factsOf } from './facts.js'
import { judge } from './judge.js'
import { makeRequest } from './requests.js'
import { combine, OK, type StepResult, seen } from './step-result.js'
import { gapSinceCertainUse, gapSincePossibleUse, missedAlive, missedExpired, spanMs } from './window.js'

/** Told around every wait, so that it can be taken up by another process. */
export interface WaitHooks {
  /** The steps so far are done, and time is to pass. */
  begins(): void
  /** Time has passed: whatever comes now cannot be done twice. */
  ends(): void
}

/** When a logon is tried again that may have met a limit. */
const LATER_MS = [1000, 2000, 4000, 8000]
/** How long `later` takes: devices were seen to revoke a token half a second after they answered. */
const A_MOMENT_MS = 1000
/** How many strings of a response are tried, to see that nothing was issued. */
const MAX_TRIED = 3

/** Runs the steps of one spec, in order, and keeps the tokens and the exchanges that they give. */
export class StepRunner {
  readonly exchanges: Exchange[] = []
  /** Every token that the steps were given, also unasked. */
  readonly issued: Token[] = []
  private readonly tokens = new Map<string, Token>()
  /** The connection that the spec keeps open. */
  readonly kept = new KeptConnection()
  /** What was observed. */
  readonly facts: Facts = {}

  constructor(
    private readonly context: RunContext,
    private readonly spec: Spec,
    private readonly hooks: WaitHooks,
  ) {}

  /** The tokens by their names. */
  get named(): ReadonlyMap<string, Token> {
    return this.tokens
  }

  /** Holds a token that the steps did not issue themselves. */
  adopt(name: string, token: Token): void {
    this.tokens.set(name, token)
    if (!this.issued.includes(token)) this.issued.push(token)
  }

  /** @throws Interrupted out of a wait; NotSent where a step would do harm, or makes no sense on this Core */
  run(step: Step, kind: StepRecord['kind']): Promise<StepResult> | StepResult {
    switch (step.action) {
      case 'logon':
        return this.logon(step, kind)
      case 'send':
        return this.sendAll(step)
      case 'wait':
        return this.wait(step)
      case 'later':
        return this.afterwards()
      case 'distinct':
        return this.distinct(step.tokens)
      case 'opaque':
        return this.opaque(step.token)
    }
  }

  private async logon({ token, http }: LogonStep, kind: StepRecord['kind']): Promise<StepResult> {
    const { revocations } = this.context.session
    let exchange = await this.exchange(this.request('logon', { http }))
    // Also from an answer that was cut: the Core issued it, and it is a secret.
    let issued = this.take(exchange, `token ${token}`)
    const limit = issued ? 'none' : await this.limit(exchange, http, revocations)
    if (limit === 'full') {
      const got = `${summary(exchange)}, while this run held ${this.context.session.live} tokens`
      return { outcome: 'limited', expected: 'a token is issued', got }
    }
    const late = limit === 'unknown' ? await this.later(exchange, token, http) : undefined
    if (late) ({ exchange, issued } = late)
    const unjudged = await this.untested(exchange)
    if (unjudged) return unjudged
    const expected = 'a token is issued'
    if (!issued || exchange.error)
      return {
        outcome: 'miss',
        expected,
        got: exchange.error ? summary(exchange) : `${summary(exchange)}, without a token`,
      }
    this.tokens.set(token, issued)
    this.context.session.loggedOn()
    if (kind !== 'given' && !issued.isNew) {
      return { outcome: 'miss', expected: 'a new token is issued', got: `${summary(exchange)}, with a token of before` }
    }
    return { ...OK, expected, got: `${summary(exchange)}, with a token` }
  }

  /**
   * What a refused logon means. `full`: the Core has no room for another token: it says so again at once, while this run
   * holds some, or says otherwise only after a token was given back. `none`: it refuses now and
   * then for no reason. `unknown`: no token was held, or it breaks (5xx other than 503).
   * @param revocations what the session had counted before the logon
   */
  private async limit(
    { response }: Exchange,
    http: LogonStep['http'],
    revocations: number,
  ): Promise<'full' | 'none' | 'unknown'> {
    if (!isRefusal(response) || this.context.session.live === 0) return 'unknown'
    // That says it already; another try might only find room because another spec has just given a token back.
    if (response?.status === 429) return 'full'
    const again = await this.exchange(this.request('logon', { http }))
    if (this.take(again, 'token of another try'))
      return revocations === this.context.session.revocations ? 'none' : 'full'
    return isRefusal(again.response) ? 'full' : 'unknown'
  }

  /**
   * The same logon once more, when the Core seems to have a limit to logons or connections that it does not tell by 429: it
   * refuses again at once, or hangs up, and takes it some seconds later. Such limits are not shown, so none may be judged.
   * @returns undefined where that is not so
   */
  private async later(
    { response, error }: Exchange,
    token: string,
    http: LogonStep['http'],
  ): Promise<{ exchange: Exchange; issued: Token } | undefined> {
    const isHungUp = error?.kind === 'closed' && !response
    if (response?.status === 429 || !(isRefusal(response) || isHungUp)) return undefined
    const { schedule } = this.context
    for (const pauseMs of isHungUp ? LATER_MS : [0, ...LATER_MS]) {
      if (pauseMs) await schedule.until(schedule.now() + pauseMs, { spec: '', what: 'since the Core refuses logons' })
      const exchange = await this.exchange(this.request('logon', { http }))
      const issued = this.take(exchange, `token ${token}`)
      // One that is taken at once was refused for no reason.
      if (issued) return pauseMs ? { exchange, issued } : undefined
    }
    return undefined
  }

  private async sendAll(step: SendStep): Promise<StepResult> {
    let result = await this.send(step)
    for (let sent = 1; sent < step.times && result.outcome === 'ok'; sent++) result = await this.send(step)
    return result
  }

  private async send(step: SendStep): Promise<StepResult> {
    const request = this.request(step.request, step)
    const value = step.token && this.valueOf(step.token)
    const token = step.token && !step.token.change ? this.tokens.get(step.token.name) : undefined
    const whole = value === undefined ? request : withToken(request, value)
    const exchange = await this.exchange(whole, step)
    if (step.observe !== undefined) Object.assign(this.facts, factsOf(step.observe, exchange))
    // Also where nothing is expected: what follows would be judged as if this had happened.
    const unjudged = await this.untested(exchange)
    const gap = token && gapSincePossibleUse(token, exchange)
    if (token && gap && !missedExpired(gap, this.context.lifetime)) token.lapsed = true
    const results: StepResult[] = []
    for (const expectation of unjudged ? [] : step.expect) results.push(await this.check(expectation, exchange, token))
    this.note(step, exchange, token)
    return unjudged ?? combine(results) ?? seen(step, exchange)
  }

  private async check(expectation: Expectation, exchange: Exchange, token: Token | undefined): Promise<StepResult> {
    const { answers } = this.context
    if (expectation === 'nothing issued') return this.checkNothingIssued(exchange)
    const { holds, expected, got } = judge(
      expectation,
      exchange,
      // A path that may well not exist is compared with what the probe's path gives.
      expectation === 'not accepted' ? answers.probe : answers.of(exchange.request),
    )
    const timed = token && this.timed(expectation, exchange, token)
    const told = { expected, ...(timed?.gap && { gap: timed.gap }) }
    if (timed?.missed) return { outcome: 'missed window', ...told, got: `${got}, but ${timed.missed}` }
    const died = !holds && expectation === 'accepted' && token !== undefined
    const isAlive = exchange.response && answers.of(exchange.request).accepts(exchange.response)
    return { outcome: holds ? 'ok' : 'miss', ...told, got, ...(died && { died }), ...(timed?.gap && { isAlive }) }
  }

  /** How long the token of an exchange had been unused, and why that decides nothing where it does not. */
  private timed(
    expectation: Expectation,
    exchange: Exchange,
    token: Token,
  ): { gap?: Gap; missed?: string | undefined } {
    const { lifetime } = this.context
    // What a token is expected to be while it does not get old says nothing of time.
    const isTold = waits(this.spec)
    if (expectation === 'expired') {
      const gap = gapSincePossibleUse(token, exchange)
      return { ...(isTold && { gap }), missed: token.lapsed ? undefined : missedExpired(gap, lifetime) }
    }
    if (expectation !== 'accepted' && expectation !== 'either') return {}
    const gap = gapSinceCertainUse(token, exchange)
    return { ...(isTold && { gap }), missed: expectation === 'accepted' ? missedAlive(gap, lifetime) : undefined }
  }

  /** Nothing that a response holds opens the API: no string where tokens stand, and none of a token's shape. */
  private async checkNothingIssued(exchange: Exchange): Promise<StepResult> {
    const { session, answers } = this.context
    const expected = 'no token is issued'
    const like = session.tokens[0]?.value ?? ''
    const suspects = (exchange.response ? candidates(exchange.response) : []).filter(
      ({ pointer, value }) =>
        pointer === session.tokenPointer || (value.length === like.length && alphabetOf(value) === alphabetOf(like)),
    )
    for (const { value } of suspects.slice(0, MAX_TRIED)) {
      const token = session.add(value, 'token issued unasked', exchange)
      this.issued.push(token)
      const use = await this.exchange(withToken(this.request('access'), value))
      if (use.response && answers.probe.accepts(use.response)) {
        return { outcome: 'miss', expected, got: `${summary(exchange)}, with a token that opens the API` }
      }
      token.givenBack = true
    }
    // Also without an answer: whether there has to be one is the matter of another expectation.
    return { ...OK, expected, got: summary(exchange) }
  }

  private async wait({ token: name, since, span, before }: WaitStep): Promise<StepResult> {
    const { schedule, lifetime } = this.context
    const token = this.token(name)
    const from = (since === 'used' ? token.possibleUse : token.issued).receivedAt
    const waitMs = spanMs(span, lifetime)
    if (span === 'past lifetime' && token.lapsed) return OK
    // By then the Core would have closed it, and there may be room for so many only.
    this.kept.close()
    this.hooks.begins()
    const what = `token ${name}, ${since === 'used' ? 'unused' : 'issued'} ${duration(waitMs)}${since === 'used' ? '' : ' ago'}`
    await schedule.until(from + waitMs, { spec: this.spec.id, what })
    this.hooks.ends()
    const lateMs = schedule.now() - from
    if (before === undefined || lateMs < before * lifetime.lifetimeMs) return OK
    const expected = `the next step comes before ${duration(before * lifetime.lifetimeMs)} have passed`
    return { outcome: 'missed window', expected, got: `it came after ${duration(lateMs)}` }
  }

  /** Lets what a request brings about late come about. */
  private async afterwards(): Promise<StepResult> {
    const { schedule, lifetime } = this.context
    // Of a short lifetime only a part: the tokens are to be alive afterwards.
    const momentMs = Math.min(A_MOMENT_MS, lifetime.lifetimeMs / 4)
    // Told as a wait of the run itself: nobody is to leave the run, and come back, for so little.
    await schedule.until(schedule.now() + momentMs, { spec: '', what: 'a moment, for what comes late' })
    return OK
  }

  private distinct(names: string[]): StepResult {
    const values = names.map(name => this.token(name).value)
    const holds = new Set(values).size === values.length
    const expected = `${names.join(' and ')} are different tokens`
    return { outcome: holds ? 'ok' : 'miss', expected, got: holds ? 'different tokens' : 'the same token' }
  }

  private opaque(name: string): StepResult {
    const found = credentialIn(this.token(name).value, this.context.parts.variables)
    const expected = 'a token that is not made of the credentials'
    return {
      outcome: found ? 'miss' : 'ok',
      expected,
      got: found ? `a token that holds ${found}` : 'a token of its own',
    }
  }

  /** Notes what an exchange means for the tokens: use, revocation, death, and a token that came with it. */
  private note(step: SendStep, exchange: Exchange, token: Token | undefined): void {
    const { answers } = this.context
    if (exchange.request.method === 'POST' && !step.expect.includes('nothing issued'))
      this.take(exchange, 'token issued unasked')
    for (const name of tokensIn([step.headers, step.path])) this.tokens.get(name)?.used(exchange, false)
    if (!token) return
    token.used(exchange, false)
    if (!exchange.response) return
    const revokes = exchange.request.method === 'DELETE' && !exchange.request.omitHost
    if (revokes && isRevocation(exchange)) token.givenBack = true
    const kind = answers.of(exchange.request)
    const accepted = kind.accepts(exchange.response)
    token.used(exchange, accepted)
    if (revokes || exchange.request.omitHost) return
    if (kind.rejects(exchange.response)) token.seenDead = true
    // A Core may say that it revoked a token, and take it all the same.
    if (accepted) token.seenDead = token.givenBack = false
  }

  private take(exchange: Exchange, label: string): Token | undefined {
    const token = this.context.session.take(exchange, label)
    if (token) this.issued.push(token)
    return token
  }

  /** What a token reference stands for, hidden from every output where it is made from a real one. */
  private valueOf({ name, change }: TokenRef): string {
    const { session } = this.context
    if (name === UNKNOWN_TOKEN) return neverIssued(session.tokens[0]?.value ?? '')
    const { value } = this.token(name)
    if (!change) return value
    const made = changed(value, change)
    if (made === undefined) throw new NotSent(`a token of this Core has no other form with this change: ${change}`)
    session.hide(made, `token ${name}, ${change}`)
    return made
  }

  private request(name: string, step: Partial<SendStep> = {}): WireRequest {
    return makeRequest(this.context.parts, name, step, token => this.token(token).value)
  }

  private async exchange(request: WireRequest, step?: SendStep): Promise<Exchange> {
    const { session } = this.context
    const isWrongLogon = step && request.method === 'POST' && step.body !== undefined && !request.omitHost
    const exchange = isWrongLogon
      ? // Which spec has to wait for a good logon first is chance, so that one is no part of its record.
        await session.wrongLogon(request, [], this.spec.id)
      : await session.exchange(request, step?.connection === 'new' ? undefined : this.kept)
    this.exchanges.push(exchange)
    return exchange
  }

  /** When an exchange says nothing of the Core's conduct: it was out of reach, or it has a limit. */
  private async untested(exchange: Exchange): Promise<StepResult | undefined> {
    const { error, response } = exchange
    if (isUnreachable(exchange)) return { outcome: 'unreachable', expected: 'an answer', got: summary(exchange) }
    // A Core that went away at this very moment is out of reach too, and not at fault.
    if (error && isUnreachable(await this.exchange(this.request('access')))) {
      return { outcome: 'unreachable', expected: 'an answer', got: `${summary(exchange)}, and then the Core was gone` }
    }
    if (response?.status !== 429) return undefined
    const got = `${summary(exchange)}: the Core limits the rate, also after waiting`
    return { outcome: 'unreachable', expected: 'an answer', got }
  }

  private token(name: string): Token {
    const token = this.tokens.get(name)
    // The loader has seen to it that a token is issued before it is named.
    if (!token) throw new Error(`no token '${name}' in ${this.spec.id}`)
    return token
  }
}

/** Whether an answer says that something is not to be had, and not that the Core failed at it. */
function isRefusal(response: Exchange['response']): boolean {
  const { status } = response ?? { status: 0 }
  return (status >= 400 && status < 500) || status === 503
}

function isUnreachable({ error }: Exchange): boolean {
  return error?.kind === 'connect' || error?.kind === 'tls'
}
