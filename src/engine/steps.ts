import type { Looking } from '../core/back-ends.js'
import { candidates } from '../core/candidates.js'
import type { ConnectionLease } from '../core/connections.js'
import { type Exchange, isDelivered, summary, type WireRequest } from '../core/exchange.js'
import { TRIES, toEarlier } from '../core/sender.js'
import { isRevocation, NotSent, withToken } from '../core/session.js'
import { alphabetOf, changed, neverIssued, type Token } from '../core/token.js'
import { duration } from '../duration.js'
import { isSafe } from '../ground/methods.js'
import type { Facts, Gap, StepRecord } from '../result.js'
import type { Role } from '../suite/roles.js'
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
import { EachRun } from './each.js'
import { factsOf } from './facts.js'
import { answeredInFront } from './front.js'
import { judge } from './judge.js'
import { IN_WORDS, otherReason } from './let-in.js'
import { logOn, logonSummary } from './logon.js'
import { aMoment } from './moment.js'
import { type Departure, makeRequest, roleRequest } from './requests.js'
import { secondLook } from './second-look.js'
import { isSpecial, sendSpecially } from './specially.js'
import { combine, OK, type StepResult, seen } from './step-result.js'
import { gotThrough } from './through.js'
import { warm } from './warm.js'
import { basis, gapSinceCertainUse, gapSincePossibleUse, missedAlive, missedExpired, spanMs } from './window.js'

/** Told around every wait, so that it can be taken up by another process. */
export interface WaitHooks {
  /** The steps so far are done, and time is to pass. */
  begins(): void
  /** Time has passed: whatever comes now cannot be done twice. */
  ends(): void
}

/** How many strings of a response are tried, to see that nothing was issued. */
const MAX_TRIED = 3

/** Runs the steps of one spec, in order, and keeps the tokens and the exchanges that they give. */
export class StepRunner {
  readonly exchanges: Exchange[] = []
  /** Every token that the steps were given, also unasked. */
  readonly issued: Token[]
  private readonly tokens: Map<string, Token>
  /** The connections of the spec: one that it keeps open, and others. */
  readonly lease: ConnectionLease
  /** What was observed. */
  readonly facts: Facts

  /** @param trunk the runner that it shares tokens and facts with; see {@link branch} */
  constructor(
    private readonly context: RunContext,
    private readonly spec: Spec,
    private readonly hooks: WaitHooks,
    trunk?: StepRunner,
  ) {
    this.lease = context.session.connections.lease(context.pace)
    this.issued = trunk?.issued ?? []
    this.tokens = trunk?.tokens ?? new Map()
    this.facts = trunk?.facts ?? {}
  }

  /** Runs steps of the same spec at the same time as others: with the same tokens, on connections and with exchanges of its own. */
  branch(): StepRunner {
    return new StepRunner(this.context, this.spec, this.hooks, this)
  }

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

  private async logon({ token, http, isCold }: LogonStep, kind: StepRecord['kind']): Promise<StepResult> {
    const { session, schedule } = this.context
    const end = await logOn({
      session,
      send: () => this.exchange(this.inRole('logon', { http })),
      // Also from an answer that was cut: the Core issued it, and it is a secret.
      take: exchange => this.take(exchange, `token ${token}`),
      pause: ms => {
        this.lease.give()
        return schedule.until(schedule.now() + ms, { spec: '', what: 'since the Core refuses logons' })
      },
    })
    const got = logonSummary(end)
    if (end.kind === 'full') return { outcome: 'limited', room: end.capacity, expected: 'a token is issued', got }
    const unjudged = await this.untested(end.exchange)
    if (unjudged) return unjudged
    const expected = 'a token is issued'
    if (end.kind !== 'issued' || end.exchange.error) {
      // Nobody else can make a Core refuse a logon that it takes at once when asked again.
      const isCertain = end.kind === 'refused' && end.isTaken === true
      return { outcome: 'miss', expected, got, isCertain }
    }
    // What happens to one of two names for the same token tells nothing of the other; nor does it where another spec may hold it.
    const isHeld = [...this.tokens.values()].some(({ value }) => value === end.token.value)
    const isShared = isHeld || this.context.dialect.sessions === 'many'
    this.tokens.set(token, end.token)
    session.loggedOn()
    if (!isCold) await warm(this.context, end.token, request => this.exchange(request))
    if ((kind !== 'given' || isShared) && !end.token.isNew) {
      const seen = `${summary(end.exchange)}, with a token of before`
      return { outcome: 'miss', expected: 'a new token is issued', got: seen, isCertain: true }
    }
    return { ...OK, expected, got }
  }

  private async sendAll(step: SendStep): Promise<StepResult> {
    let result = await this.send(step)
    for (let sent = 1; sent < step.times && result.outcome === 'ok'; sent++) result = await this.send(step)
    return result
  }

  private async send(step: SendStep): Promise<StepResult> {
    if (step.each) return this.sendEach(step)
    const request = this.request(step.request, step)
    const value = step.token && this.valueOf(step.token)
    const token = step.token && !step.token.change ? this.tokens.get(step.token.name) : undefined
    const whole = value === undefined ? request : withToken(request, value)
    const { result, results, exchange } = await this.put(step, whole, token)
    if (result) return result
    if (!(await this.otherwiseLetIn(step, results, exchange, token)))
      await this.lookAgain(step, results, exchange, token)
    return combine(results) ?? seen(step, exchange)
  }

  /** Sends a step once for each variation of its family. */
  private async sendEach(step: SendStep): Promise<StepResult> {
    const own = this.request(step.request, step)
    const { context, named, issued, exchanges } = this
    const each = new EachRun(step, {
      context,
      named,
      issued,
      exchanges,
      put: async (one, request, token) => {
        const { result, results, exchange } = await this.put(one, request, token, own)
        return { result: result ?? combine(results) ?? OK, exchange }
      },
      exchange: request => this.exchange(request),
      logOn: async token => this.logon({ action: 'logon', token, http: '1.1', tests: [] }, 'control'),
      giveBack: token => context.session.giveBack([token], exchanges, this.lease),
      lookAgain: async (one, result, exchange, token) => {
        const results = [result]
        await this.lookAgain(one, results, exchange, token)
        return results[0] ?? result
      },
    })
    const result = await each.run()
    if (step.observe !== undefined) this.facts[`${step.observe}.accepted`] = each.accepted.join(', ') || 'none'
    return result
  }

  /**
   * Sends a request of a step, and judges it.
   * @param own where the request is a variation: what it is one of
   * @returns `result` where it decides nothing, else the results of what is expected
   */
  private async put(
    step: SendStep,
    whole: WireRequest,
    token: Token | undefined,
    own?: WireRequest,
  ): Promise<{ result?: StepResult | undefined; results: StepResult[]; exchange: Exchange }> {
    const { session } = this.context
    const exchange = await this.once(whole, step, token)
    if (step.observe !== undefined && !own) Object.assign(this.facts, factsOf(step.observe, exchange))
    // Also where nothing is expected: what follows would be judged as if this had happened.
    const unjudged = (await this.untested(exchange)) ?? this.unsettled(exchange, step, token)
    if (token) this.noteEarlier(token, exchange)
    const results: StepResult[] = []
    for (const expectation of unjudged ? [] : step.expect)
      results.push(await this.check(expectation, exchange, token, own))
    this.note(step, exchange, token, own !== undefined)
    // What was varied may be why a logon is refused.
    const limited: StepResult | undefined =
      !own && !step.isChunked && this.isLimited(exchange)
        ? { outcome: 'limited', room: session.live, expected: 'a token is issued', got: summary(exchange) }
        : undefined
    return { result: limited ?? unjudged, results, exchange }
  }

  /** Whether a logon with the right credentials gave nothing while tokens are held: a limit of tokens would do that. */
  private isLimited(exchange: Exchange): boolean {
    const { session } = this.context
    if (!exchange.response || !session.isRightLogon(exchange.request) || session.live === 0) return false
    return this.issued.every(({ issued }) => issued.sentAt !== exchange.sentAt)
  }

  /** Notes whether a token had lapsed before the first try of an exchange; tries that dropped may have been use of it. */
  private noteEarlier(token: Token, exchange: Exchange): void {
    const { earlier = [] } = exchange
    if (!missedExpired(gapSincePossibleUse(token, earlier[0] ?? exchange), this.context.lifetime)) token.lapsed = true
    for (const tried of earlier) token.used(tried, false)
  }

  /** Blocks where a token that was to be refused was let in for another reason than itself (see `otherReason`). */
  private async otherwiseLetIn(
    { expect }: SendStep,
    results: StepResult[],
    exchange: Exchange,
    token: Token | undefined,
  ): Promise<boolean> {
    const at = expect.findIndex(expectation => expectation === 'rejected' || expectation === 'expired')
    const result = results[at]
    if (!token || result?.outcome !== 'miss' || !result.isCertain) return false
    const { context, exchanges } = this
    const isThrough = ({ request, response }: Exchange) => {
      const kind = context.answers.of(request)
      return response !== undefined && kind.tells && kind.accepts(response)
    }
    const send = (request: WireRequest) => this.exchange(request)
    const why = await otherReason(context, { exchange, token, exchanges, send, isThrough })
    if (why === undefined) return false
    const { isCertain: _, ...rest } = result
    results[at] = { ...rest, outcome: 'unreachable', got: `${result.got ?? summary(exchange)}; ${IN_WORDS[why]}` }
    return true
  }

  /** Puts a miss of a token to the test on other connections (see `secondLook`). */
  private async lookAgain(
    step: SendStep,
    results: StepResult[],
    exchange: Exchange,
    token: Token | undefined,
  ): Promise<void> {
    const at = results.findIndex(({ outcome }) => outcome === 'miss')
    const [result, expectation] = [results[at], step.expect[at]]
    if (result && expectation === 406) {
      results[at] = await this.inFront(result, exchange)
      return
    }
    // On other connections it would not be the same.
    if (!token || !result || expectation === undefined || isSpecial(step)) return
    const { session } = this.context
    // On the connections that are held: to take others while holding some could wait for ever.
    const looking: Looking = {
      onNew: again => session.exchange(again, this.lease, { isNew: true }),
      onOne: again => session.exchange(again, this.lease),
    }
    const onSame = step.connection === 'kept' ? looking.onOne : undefined
    const missed = { expectation, result, exchange, token, looking, onSame }
    const looked = await secondLook(this.context, this.spec, missed)
    this.exchanges.push(...looked.exchanges)
    results[at] = looked.result
  }

  /** Says so where a web server in front has answered. */
  private async inFront(result: StepResult, exchange: Exchange): Promise<StepResult> {
    const send = this.context.dialect.http10 ? (again: WireRequest) => this.exchange(again) : undefined
    const got = await answeredInFront(exchange, this.inRole('probe'), send)
    return got === undefined ? result : { ...result, got }
  }

  private async check(
    expectation: Expectation,
    exchange: Exchange,
    token: Token | undefined,
    own?: WireRequest,
  ): Promise<StepResult> {
    const { answers } = this.context
    if (expectation === 'nothing issued') return this.checkNothingIssued(exchange)
    // Whether a token came is seen by its use.
    if (expectation === 'issued') return OK
    const {
      holds: isAsSaid,
      expected,
      got,
    } = judge(
      expectation,
      exchange,
      // A path that may well not exist is compared with what the probe's path gives.
      expectation === 'not accepted' ? answers.probe : answers.of(exchange.request),
    )
    const isThrough = own && gotThrough(exchange, own, this.context)
    const isRefusal = expectation === 'rejected' || expectation === 'expired' || expectation === 'not accepted'
    const holds = isThrough !== undefined && isRefusal ? !isThrough : isAsSaid
    const timed = token && this.timed(expectation, exchange, token)
    const told = { expected, ...(timed?.gap && { gap: timed.gap }) }
    if (timed?.missed) return { outcome: 'missed window', ...told, got: `${got}, but ${timed.missed}` }
    const dead = !holds && expectation === 'accepted' ? token : undefined
    const isAlive =
      isThrough ?? (exchange.response && !exchange.error && answers.of(exchange.request).accepts(exchange.response))
    const isCertain = !holds && expectation !== 'accepted' && isAlive === true
    const why = !holds && timed?.gap ? `; ${basis(timed.gap, this.context.lifetime)}` : ''
    return {
      outcome: holds ? 'ok' : 'miss',
      ...told,
      got: got + why,
      ...(dead && { dead }),
      ...(isCertain && { isCertain }),
      ...(timed?.gap && { isAlive }),
    }
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
    // A token of before that a refusal repeats is not issued by it.
    const isRepeated = ({ value }: { value: string }) =>
      Number(exchange.response?.status) >= 400 && session.tokens.some(token => token.value === value)
    for (const { value } of suspects.filter(suspect => !isRepeated(suspect)).slice(0, MAX_TRIED)) {
      const token = session.add(value, 'token issued unasked', exchange)
      this.issued.push(token)
      const use = await this.exchange(withToken(this.inRole('probe'), value))
      if (
        (use.response && answers.probe.accepts(use.response)) ||
        (await warm(this.context, token, request => this.exchange(request)))
      ) {
        const got = `${summary(exchange)}, with a token that opens the API`
        return { outcome: 'miss', expected, got, isCertain: true }
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
    // Nobody holds a connection while time passes.
    this.lease.give()
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
    const sinceMs = this.exchanges.at(-1)?.receivedAt ?? this.context.schedule.now()
    // Nobody holds a connection while time passes.
    this.lease.give()
    await aMoment(this.context, sinceMs)
    return OK
  }

  private distinct(names: string[]): StepResult {
    const values = names.map(name => this.token(name).value)
    const holds = new Set(values).size === values.length
    const expected = `${names.join(' and ')} are different tokens`
    return {
      outcome: holds ? 'ok' : 'miss',
      expected,
      got: holds ? 'different tokens' : 'the same token',
      isCertain: !holds,
    }
  }

  private opaque(name: string): StepResult {
    const found = credentialIn(this.token(name).value, this.context.parts.variables)
    const expected = 'a token that is not made of the credentials'
    return {
      outcome: found ? 'miss' : 'ok',
      expected,
      got: found ? `a token that holds ${found}` : 'a token of its own',
      isCertain: found !== undefined,
    }
  }

  /** Notes what an exchange means for the tokens: use, revocation, death, and a token that came with it. */
  private note(step: SendStep, exchange: Exchange, token: Token | undefined, isVaried = false): void {
    const { answers } = this.context
    if (exchange.request.method === 'POST' && !step.expect.includes('nothing issued'))
      this.take(exchange, 'token issued unasked')
    for (const name of tokensIn([step.headers, step.path, step.body])) this.tokens.get(name)?.used(exchange, false)
    if (!token) return
    token.used(exchange, false)
    if (!exchange.response) return
    const revokes = exchange.request.method === 'DELETE' && !exchange.request.omitHost
    if (revokes && isRevocation(exchange)) token.givenBack = true
    const kind = answers.of(exchange.request)
    const accepted = kind.accepts(exchange.response)
    token.used(exchange, accepted)
    if (revokes || exchange.request.omitHost) return
    // What another path or method is answered may be about that.
    if (kind.rejects(exchange.response) && !isVaried) token.seenDead = true
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

  private inRole(role: Role, departure: Departure = {}): WireRequest {
    return roleRequest(this.context.parts, role, departure)
  }

  private async exchange(request: WireRequest, step?: SendStep): Promise<Exchange> {
    const { session } = this.context
    const isLogon = request.method === 'POST' && request.path.split('?', 1)[0] === this.inRole('logon').path
    const isSaid = step?.body !== undefined && !step.expect.includes('issued')
    const isWrongLogon = step && isLogon && isSaid && !request.omitHost
    const where = { isNew: step?.connection === 'new' }
    const exchange = isWrongLogon
      ? // Which spec has to wait for a good logon first is chance, so that one is no part of its record.
        await session.wrongLogon(request, [], this.spec.id, this.lease, where)
      : await session.exchange(request, this.lease, where)
    this.exchanges.push(exchange)
    return exchange
  }

  /**
   * Sends a request so that its effect is known: a revocation that drops may have had its effect, or not. Whether the token
   * still works tells: where it does, the revocation is sent again.
   */
  private async once(request: WireRequest, step: SendStep, token: Token | undefined): Promise<Exchange> {
    let exchange = await (isSpecial(step) ? this.specially(request, step) : this.exchange(request, step))
    for (let tries = 1; tries < TRIES && token && request.method === 'DELETE' && hasDropped(exchange); tries++) {
      const { response } = await this.exchange(withToken(this.inRole('probe'), token.value), step)
      if (!response || !this.context.answers.probe.accepts(response)) return exchange
      const again = await this.exchange(request, step)
      exchange = { ...again, earlier: [...(exchange.earlier ?? []), toEarlier(exchange), ...(again.earlier ?? [])] }
      this.exchanges.splice(-1, 1, exchange)
    }
    return exchange
  }

  /** Sends a request in the way of its step; see `sendSpecially`. */
  private specially(request: WireRequest, step: SendStep): Promise<Exchange> {
    const { context, lease, named } = this
    return sendSpecially(step, request, {
      context,
      lease,
      named,
      send: again => this.exchange(again, step),
      note: exchange => this.exchanges.splice(-1, 0, exchange),
    })
  }

  /**
   * When a request may have had its effect before its connection dropped, and was not repeated for that: nobody can tell what
   * it would have been answered. Where nothing is expected of a revocation but its effect, that is seen by what follows.
   */
  private unsettled(exchange: Exchange, step: SendStep, token: Token | undefined): StepResult | undefined {
    const { request, earlier = [] } = exchange
    const isRepeated = exchange.error?.kind === 'oversized' || earlier.length + 1 >= TRIES
    if (!hasDropped(exchange) || isSafe(request.method) || isRepeated) return undefined
    if (!step.expect.length && token && request.method === 'DELETE') return undefined
    const got = `${summary(exchange)}: what it did before that cannot be told, so it was not sent again`
    return { outcome: 'missed window', expected: 'an answer', got }
  }

  /** When an exchange says nothing of the Core's conduct: it was out of reach, or it has a limit. */
  private async untested(exchange: Exchange): Promise<StepResult | undefined> {
    const { error, response } = exchange
    if (isUnreachable(exchange)) return { outcome: 'unreachable', expected: 'an answer', got: summary(exchange) }
    // A Core that went away at this very moment is out of reach too, and not at fault.
    if (error && isUnreachable(await this.exchange(this.inRole('probe')))) {
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

/** Whether a request got on its way, and its connection dropped before the whole answer was in. */
function hasDropped(exchange: Exchange): boolean {
  return exchange.error !== undefined && isDelivered(exchange)
}

function isUnreachable(exchange: Exchange): boolean {
  return !isDelivered(exchange)
}
