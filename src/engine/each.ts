/** A step that is sent once for each variation of a family. */
import { type Exchange, summary, type WireRequest } from '../core/exchange.js'
import { NotSent, withToken } from '../core/session.js'
import type { Token } from '../core/token.js'
import { count } from '../ground/count.js'
import { isSafe } from '../ground/methods.js'
import { requestOf } from '../suite/roles.js'
import type { SendStep } from '../suite/spec.js'
import type { RunContext } from './context.js'
import { type OtherReason, otherReason } from './let-in.js'
import { roleRequest } from './requests.js'
import { Interrupted } from './schedule.js'
import type { StepResult } from './step-result.js'
import { gotThrough } from './through.js'
import { type Ready, Variations } from './variations.js'
import { warm } from './warm.js'
import { gapSinceCertainUse, missedAlive } from './window.js'

/** What it takes of whoever runs the steps of the spec. */
export interface EachTools {
  context: RunContext
  named: ReadonlyMap<string, Token>
  /** Every token that the steps were given, and every exchange, in their order. */
  issued: readonly Token[]
  exchanges: readonly Exchange[]
  /** Sends a request of the step, and judges it by what the step expects. */
  put(
    step: SendStep,
    request: WireRequest,
    token: Token | undefined,
  ): Promise<{ result: StepResult; exchange: Exchange }>
  /** Sends a request, and notes it. */
  exchange(request: WireRequest): Promise<Exchange>
  /** Logs on, and calls the token so from now on. */
  logOn(name: string): Promise<StepResult>
  /** Gives a token back. */
  giveBack(token: Token): Promise<void>
  /** Looks at a miss again on other connections. */
  lookAgain(step: SendStep, result: StepResult, exchange: Exchange, token: Token | undefined): Promise<StepResult>
}

/** The tokens that a spec holds besides are looked at at least so often, as a fraction of the lifetime, so that none of them expires meanwhile. */
const LOOKED_AT_EVERY = 0.25

/** Of a Core that hangs the rest of a family tells no more, and each variation takes its whole deadline. */
const MOST_HUNG = 3

/** So many logons that are to be refused are left: for other specs, which send one each, and to see again what failed. */
const REFUSALS_FOR_OTHERS = 14

/** What is said of variations that got through for another reason than their token. */
const OPEN_FOR: Record<'no token' | OtherReason, string> = {
  'no token': 'without a token, these get through, too, and tell nothing',
  'made-up token': 'with a made-up token, these get through, too, and tell nothing',
  'issued anew': 'since a logon issued the same token anew, these tell nothing',
}

/** What came of a variation that did not do as expected. */
interface Missed {
  name: string
  got: string
  isCertain: boolean
  /** Whether the same was refused when it was sent once more. */
  isOnce?: boolean
  exchange: Exchange
}

/** Runs one step with `each`. */
export class EachRun {
  private readonly missed: Missed[] = []
  private readonly unsent: string[] = []
  private why = ''
  private sent = 0
  private variations: Variations
  /** How many variations were bracketed, and how many of them were accepted with the token. */
  private bracketed = 0
  private known = 0
  /** The spared tokens that were rejected, and why that shows nothing, where they were unused for too long. */
  private dead: string[] = []
  private lateLook: string | undefined
  private lookedAtMs = 0
  /** So many of the latest got no answer in time. */
  private hung = 0
  /** Variations that got through for another reason than the token, and why. */
  private readonly open: { name: string; why: 'no token' | OtherReason }[] = []
  private firstMiss: { exchange: Exchange; result: StepResult; ready: Ready } | undefined

  constructor(
    private readonly step: SendStep,
    private readonly tools: EachTools,
  ) {
    this.variations = new Variations(step, tools)
  }

  /** The names of the variations that were accepted. */
  readonly accepted: string[] = []

  /** @throws NotSent where no variation could be sent; Interrupted */
  async run(): Promise<StepResult> {
    const all = this.variations.ready()
    this.lookedAtMs = this.tools.context.schedule.now()
    for (const [index, ready] of all.entries()) {
      // A family is long; whoever ends the run is not to wait for all of it.
      if (this.tools.context.session.isEnding) throw new Interrupted()
      try {
        const ended = await this.one(ready)
        if (ended) return ended
        await this.lookInTime()
        if (this.dead.length) break
        if (this.hung >= MOST_HUNG) {
          this.why = `no answer came in time to ${MOST_HUNG} in a row`
          this.unsent.push(...all.slice(index + 1).map(({ name }) => name))
          break
        }
      } catch (error) {
        if (!(error instanceof NotSent) || this.sent === 0) throw error
        this.why = error.message
        this.unsent.push(...all.slice(index).map(({ name }) => name))
        this.tools.context.unsent.set(this.family, this.unsent)
        break
      }
    }
    if (!this.sent) throw new NotSent(`no variation of ${this.family} makes sense on this Core`)
    const spoilt = this.step.spares && (await this.spared(all))
    return this.answered() ?? spoilt ?? this.fine()
  }

  private get family(): string {
    return this.step.each?.family ?? ''
  }

  /** Looks at the tokens that the spec holds besides, where it is time for that: none of them is to expire meanwhile. */
  private async lookInTime(): Promise<void> {
    const { step, lookedAtMs } = this
    const { context, named, exchange: send } = this.tools
    const { schedule, lifetime } = context
    if (schedule.now() - lookedAtMs < lifetime.lifetimeMs * LOOKED_AT_EVERY) return
    this.lookedAtMs = schedule.now()
    if (step.spares) this.dead = await this.deadOf(step.spares)
    else {
      for (const token of named.values()) {
        const isOver = this.lookedAtMs - token.possibleUse.sentAt >= lifetime.lifetimeMs * (1 - lifetime.tolerance)
        if (isOver || token.givenBack || token.seenDead) continue
        const look = await send(withToken(roleRequest(context.parts, 'probe'), token.value))
        token.used(look, look.response !== undefined && context.answers.probe.accepts(look.response))
      }
    }
  }

  /** Sends one. @returns what ends the step: the Core is out of reach, or the answer decides nothing */
  private async one(ready: Ready): Promise<StepResult | undefined> {
    const { step, request, token, name } = ready
    this.keepWithinBudget(ready)
    const known = this.tools.issued.length
    const { result, exchange } = await this.put(ready)
    this.sent++
    this.hung = exchange.error?.kind === 'deadline' ? this.hung + 1 : 0
    if (step.observe !== undefined && gotThrough(exchange, this.variations.own, this.tools.context))
      this.accepted.push(name)
    if (result.outcome !== 'ok' && result.outcome !== 'miss') return result
    if (step.expect.includes('issued')) return this.issued(ready, exchange)
    // So that no more are held than the one that this step was given room for.
    for (const issued of this.tools.issued.slice(known)) await this.tools.giveBack(issued)
    if (result.outcome === 'miss' && token && isSafe(request.method)) {
      const why = await this.openFor(ready, exchange, token)
      if (why !== undefined) {
        this.open.push({ name, why })
        return undefined
      }
    }
    if (result.outcome === 'miss') {
      const { isCertain = false } = result
      // What is let in now and then is not let in for what was varied.
      const isOnce = isSafe(request.method) && isCertain && (await this.put(ready)).result.outcome === 'ok'
      this.firstMiss ??= { exchange, result, ready }
      this.missed.push({
        name,
        got: summary(exchange) + (isOnce ? ', once of twice' : ''),
        isCertain,
        isOnce,
        exchange,
      })
      if (this.missed.length === 1 && token)
        this.firstMiss.result = await this.tools.lookAgain(step, result, exchange, token)
      return undefined
    }
    if (this.step.bracket !== undefined && isSafe(request.method)) await this.bracket(ready)
    return undefined
  }

  /** @throws NotSent where a logon that is to be refused would use up what others need */
  private keepWithinBudget({ step, request }: Ready): void {
    // One of its own choice is no range: it has as much of the budget as any other step.
    if (step.each?.only) return
    const { refusalsLeft } = this.tools.context.session
    const isToBeRefused = request.method === 'POST' && step.expect.includes('nothing issued') && !request.omitHost
    if (isToBeRefused && refusalsLeft <= REFUSALS_FOR_OTHERS)
      throw new NotSent(`${count(refusalsLeft, 'refused logon')} are left for other specs (--max-refused-logons)`)
  }

  private async put({ step, request, token, name }: Ready) {
    const put = await this.tools.put(step, request, token)
    put.exchange.variation = name
    return put
  }

  /** Why it gets through, if not for its token: that is the matter of whoever looks at what opens the API. */
  private async openFor(
    { request, name }: Ready,
    exchange: Exchange,
    token: Token,
  ): Promise<'no token' | OtherReason | undefined> {
    if (!this.step.expect.some(expectation => expectation === 'rejected' || expectation === 'expired')) return undefined
    const { context, exchanges, exchange: send } = this.tools
    const isThrough = (look: Exchange) => gotThrough(look, this.variations.own, context)
    if (!isThrough(exchange)) return undefined
    const headers = request.headers.filter(([header]) => header.toLowerCase() !== 'authorization')
    const look = await send({ ...request, headers })
    look.variation = `${name}, without a token`
    return isThrough(look) ? 'no token' : otherReason(context, { exchange, token, exchanges, send, isThrough })
  }

  /** Sends it with a good token too: what is not accepted even so tells nothing. */
  private async bracket({ request, name }: Ready): Promise<void> {
    const token = this.tools.named.get(this.step.bracket ?? '')
    if (!token) return
    const exchange = await this.tools.exchange(withToken(request, token.value))
    exchange.variation = `${name}, with token ${this.step.bracket}`
    const isKnown = gotThrough(exchange, this.variations.own, this.tools.context)
    token.used(exchange, isKnown)
    this.bracketed++
    if (isKnown) this.known++
  }

  /** Sees to it that a logon has issued a token; where it has not, whether one in the plain form does. */
  private async issued(ready: Ready, exchange: Exchange): Promise<StepResult | undefined> {
    if (await this.isIssued(exchange)) return undefined
    const control = await this.tools.logOn(`control-${this.sent}`)
    if (control.outcome !== 'ok') return control
    const token = this.tools.issued.at(-1)
    if (token) await this.tools.giveBack(token)
    const again = await this.put(ready)
    if (!(await this.isIssued(again.exchange)))
      this.missed.push({ name: ready.name, got: summary(exchange), isCertain: false, exchange })
    return undefined
  }

  private async isIssued(exchange: Exchange): Promise<boolean> {
    const { issued, context, exchange: send } = this.tools
    const token = issued.find(each => each.issued.sentAt === exchange.sentAt)
    if (!token) return false
    await warm(context, token, send)
    const { response } = await send(withToken(roleRequest(context.parts, 'probe'), token.value))
    const isAccepted = response !== undefined && context.answers.probe.accepts(response)
    await this.tools.giveBack(token)
    return isAccepted
  }

  /**
   * Looks whether the tokens live on that are to be spared. Where one does not, finds out which variations ended one: each is
   * sent once more, with fresh tokens where it takes them.
   */
  private async spared(all: readonly Ready[]): Promise<StepResult | undefined> {
    const { spares = [], token } = this.step
    const [first] = this.dead.length ? this.dead : await this.deadOf(spares)
    if (first === undefined) return undefined
    if (this.lateLook !== undefined) return this.late(first)
    const names = [...new Set([...spares, ...(token ? [token.name] : [])])]
    const guilty: string[] = []
    let isFresh = false
    for (const { name } of all) {
      for (const each of isFresh ? [] : names) {
        const logon = await this.tools.logOn(each)
        if (logon.outcome !== 'ok') return { ...logon, outcome: 'unreachable' }
      }
      // Made anew, since it may be made from a token that is fresh now.
      this.variations = new Variations(this.step, this.tools)
      const ready = this.variations.ready().find(each => each.name === name)
      if (!ready) continue
      const { result } = await this.put(ready)
      if (result.outcome === 'unreachable' || result.outcome === 'limited') return result
      isFresh = (await this.deadOf(spares)).length === 0
      if (!isFresh) guilty.push(name)
    }
    if (this.lateLook !== undefined) return this.late(first)
    const others = await this.taken(guilty)
    const expected = `${spares.map(each => `token ${each}`).join(' and ')} accepted after ${this.many()}`
    const found = `token ${first} is rejected afterwards`
    const ending = guilty.filter(name => !others.includes(name))
    if (ending.length)
      return { outcome: 'miss', expected, got: `${found}; of ${all.length}, these end one: ${ending.join('; ')}` }
    // That is the matter of whoever looks at what opens the API.
    if (others.length)
      return { outcome: 'unreachable', expected, got: `${found}: taken for a token are ${others.join('; ')}` }
    const lost = this.tools.named.get(first)
    const got = `${found}; sent one by one, none of them ended a fresh token`
    return { outcome: 'miss', expected, got, ...(lost && { dead: lost }) }
  }

  /** The result where a token that is rejected may have expired meanwhile. */
  private late(token: string): StepResult {
    const expected = `${(this.step.spares ?? []).map(each => `token ${each}`).join(' and ')} accepted after ${this.many()}`
    return { outcome: 'missed window', expected, got: `token ${token} is rejected, but ${this.lateLook}` }
  }

  /** Which of these variations are accepted as a token is: with such a one a revocation only does as it should. */
  private async taken(names: readonly string[]): Promise<string[]> {
    const { context, exchange: send, logOn } = this.tools
    if (names.length && this.step.token) await logOn(this.step.token.name)
    const { each, token } = this.step
    const asUse: SendStep = {
      ...this.step,
      request: requestOf(context.parts.requests, 'probe'),
      role: 'probe',
      ...(each && { each }),
      ...(token && { token }),
    }
    const looking = new Variations(asUse, this.tools)
    const taken: string[] = []
    for (const { name, request } of looking.ready().filter(ready => names.includes(ready.name))) {
      if (gotThrough(await send(request), looking.own, { answers: context.answers })) taken.push(name)
    }
    return taken
  }

  /** Which of these tokens are rejected. */
  private async deadOf(names: readonly string[]): Promise<string[]> {
    const { context, named, exchange: send } = this.tools
    const dead: string[] = []
    for (const name of names) {
      const token = named.get(name)
      if (!token) continue
      const look = await send(withToken(roleRequest(context.parts, 'probe'), token.value))
      const { response } = look
      const late = missedAlive(gapSinceCertainUse(token, look), context.lifetime)
      token.used(look, response !== undefined && context.answers.probe.accepts(response))
      if (response === undefined || !context.answers.probe.rejects(response)) continue
      this.lateLook ??= late
      token.seenDead = true
      dead.push(name)
    }
    return dead
  }

  /** The result where an answer was not as expected. */
  private answered(): StepResult | undefined {
    const { missed, firstMiss } = this
    if (!missed.length) return undefined
    const told = missed.map(({ name, got }) => `${name} (${got})`).join('; ')
    const isThrough = missed.some(({ isCertain }) => isCertain)
    const how = isThrough ? 'got through' : 'did not do so'
    return {
      ...firstMiss?.result,
      outcome: firstMiss?.result.outcome ?? 'miss',
      expected: this.expected(),
      got: `${missed.length} of ${this.sent} ${how}: ${told}${this.remarks()}`,
      isCertain: isThrough,
      isOnce: missed.every(({ isOnce }) => isOnce),
      telling: missed.map(({ exchange }) => exchange),
    }
  }

  /** The result where every answer was as expected, or told nothing. */
  private fine(): StepResult {
    if (this.open.length > 0 && this.open.length === this.sent) {
      const got = `nothing was tested${this.opened()}`
      return { outcome: 'unreachable', expected: this.expected(), got }
    }
    const accepted = this.step.expect.some(expectation => ['accepted', 'issued'].includes(String(expectation)))
    const got = this.step.expect.length
      ? `${accepted ? 'all' : 'none'} of ${this.sent - this.open.length}`
      : count(this.sent, 'answer')
    const words = !this.step.expect.length ? '' : accepted ? ' did so' : ' did otherwise'
    return { outcome: 'ok', expected: this.expected(), got: got + words + this.remarks() }
  }

  private expected(): string {
    const { expect, spares } = this.step
    const spared = spares ? [`${spares.map(name => `token ${name}`).join(' and ')} accepted afterwards`] : []
    return `${this.many()}: ${[...expect.map(String), ...spared].join('; ') || 'anything'}`
  }

  private many(): string {
    return `each of ${count(this.sent, 'variation')} of ${this.family}`
  }

  /** What got through for another reason than the token. */
  private opened(): string {
    return Object.entries(OPEN_FOR)
      .map(([why, words]) => [words, this.open.filter(each => each.why === why)] as const)
      .filter(([, found]) => found.length > 0)
      .map(([words, found]) => `; ${words}: ${found.map(({ name }) => name).join(', ')}`)
      .join('')
  }

  private remarks(): string {
    const { known, bracketed, unsent, why, step } = this
    return [
      this.opened(),
      bracketed
        ? `; with token ${step.bracket}, ${known} of ${bracketed} lead to the same, the others tell nothing`
        : '',
      unsent.length ? `; not sent: ${unsent.join(', ')} (${why})` : '',
    ].join('')
  }
}
