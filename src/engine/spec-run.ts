/**
 * Runs one spec to its outcome. Over 250 lines, since the steps, their records and the state for another process are
 * one state.
 */
import type { ConnectionLease } from '../core/connections.js'
import type { Exchange } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import type { SpecRecord, StepRecord } from '../result.js'
import { allSteps, type Spec, type Step, tokensHeld, type WaitStep } from '../suite/spec.js'
import { meetingBehind, meetingOf } from './at-once.js'
import type { RunContext } from './context.js'
import type { Ended, SpecState } from './journal.js'
import { missWords } from './miss-words.js'
import { BEGUN, NO_HASTE } from './phases/quiet.js'
import { toExchangeRecord } from './record.js'
import { probeWith } from './requests.js'
import type { Death } from './run-events.js'
import { Detached, Interrupted } from './schedule.js'
import {
  endByError,
  judgeStep,
  observedEnd,
  plannedRecords,
  type SpecEnd,
  shownResult,
  unrunRecord,
} from './spec-end.js'
import type { StepResult } from './step-result.js'
import { runStep } from './steps/run-step.js'
import { SpecTalk, type WaitHooks } from './steps/spec-talk.js'
import { leaveConnections } from './steps/wait-step.js'
import { connectionsNeeded, groupEnd, isAfterMoment, isBystander, isLong, isUrgentAt, stretchAt } from './stretch.js'
import { gapSince, missedAlive, USED_EVERY } from './window.js'

/** The one that was used last comes last. */
const BYSTANDERS_IN_TURN = ['newest', 'oldest', 'used'] as const

/** How to run a spec. */
export interface SpecRunOptions {
  hooks?: WaitHooks
  /** Message of the first try, where this is another. */
  firstTry?: string | undefined
  /**
   * Whether nothing else is under way. Then it can have a second connection, to see how the first one affects an
   * answer.
   */
  isAlone?: boolean
  /** Whether it may have no second connection all the same, since specs like it run beside it. */
  isBeside?: boolean
  /** The connections that it shares with other specs, whoever gives them back. */
  lease?: ConnectionLease | undefined
}

/** One spec on its way to its outcome. */
export class SpecRun {
  private readonly talk: SpecTalk
  private readonly steps: Step[]
  private readonly records: StepRecord[]
  private atMs: number
  private next = 0
  private firstTry: string | undefined
  private ended: Ended | undefined
  /** The tokens that it shares with others, but for bystanders: those are looked at by a step. */
  private readonly shared = new Set<Token>()
  /** The looks at those, and the first that was dead. */
  private readonly looks: Exchange[] = []
  private before: Token | undefined
  /** The token that should be alive and was not accepted. */
  deadToken: Token | undefined

  constructor(
    readonly spec: Spec,
    private readonly context: RunContext,
    private readonly options: SpecRunOptions = {},
  ) {
    this.talk = new SpecTalk(context, spec, options.hooks, options)
    this.steps = allSteps(spec)
    this.records = plannedRecords(spec, context)
    this.atMs = context.schedule.now()
    this.firstTry = options.firstTry
  }

  /** How many tokens it still needs to hold. */
  get needs(): number {
    return this.ended ? 0 : tokensHeld(this.spec, this.next)
  }

  /** Every token that it was issued, or shares with other specs. */
  get tokens(): readonly Token[] {
    return this.talk.issued
  }

  /** Whether it has come to its end, with all of its steps or before. */
  get isOver(): boolean {
    return this.ended !== undefined || this.next >= this.steps.length
  }

  /** Whether one of its steps that test missed. */
  get isMissed(): boolean {
    return this.records.some(({ outcome, kind }) => outcome === 'miss' && kind === 'check')
  }

  /** Its first token, where it ran to its end and left it alive. */
  get left(): Token | undefined {
    const [token] = this.talk.issued
    return !this.ended && token?.isLive && token === this.token(this.steps[0]) ? token : undefined
  }

  /** Runs the steps that prepare. @throws Detached */
  prepare(): Promise<void> {
    return this.runTo(this.spec.given.length)
  }

  /** Runs the steps that judge. @throws Detached */
  judge(): Promise<void> {
    return this.runTo(this.steps.length)
  }

  /** Runs its steps up to the first that waits a moment, but for the last ones. @throws Detached */
  toMoment(last = 0): Promise<void> {
    const moment = this.steps.findIndex(({ action }) => action === 'later')
    const end = this.steps.length - last
    return this.runTo(moment < 0 ? end : Math.min(moment, end))
  }

  /** Whether only so many of its last steps are left. */
  isAt(last: number): boolean {
    return this.next === this.steps.length - last
  }

  /**
   * Takes its next step over from another spec, which has sent the same: the exchanges, the result, and the token of a logon.
   * @param at the index of that step in the other spec
   */
  share(other: SpecRun, at: number): void {
    const [step, mine, theirs] = [this.steps[this.next], this.records[this.next], other.records[at]]
    if (this.ended || !step || !mine || !theirs || theirs.outcome === 'not run') return
    const first = this.talk.exchanges.length
    const exchanges = theirs.exchanges.flatMap(index => other.talk.exchanges[index] ?? [])
    this.talk.exchanges.push(...exchanges)
    const moved = (index: number) => first + theirs.exchanges.indexOf(index)
    Object.assign(mine, {
      ...theirs,
      text: mine.text,
      exchanges: theirs.exchanges.map(moved),
      ...(theirs.missed && { missed: theirs.missed.map(moved) }),
    })
    this.next++
    const token = other.token(other.steps[at])
    if (token && step.action === 'logon') this.talk.adopt(step.token, token)
    if (token && !isBystander(step)) for (const run of [this, other]) run.shared.add(token)
    // What ended the other spec ends this one too, such as a logon without a token.
    if (at === other.next - 1) this.ended = other.ended
  }

  /** Returns everything that another process needs to continue. */
  state(): SpecState {
    const { spec, next, atMs, records, talk, firstTry, ended } = this
    return {
      spec: spec.id,
      next,
      atMs,
      steps: records,
      exchanges: talk.exchanges,
      facts: talk.facts,
      tokens: [...talk.named].map(([name, { number }]): [string, number] => [name, number]),
      issued: talk.issued.map(({ number }) => number),
      ...(talk.saved.size > 0 && { saved: [...talk.saved] }),
      ...(firstTry !== undefined && { firstTry }),
      ...(ended && { ended }),
    }
  }

  /** Continues where another process was. */
  restore({ next, atMs, steps, exchanges, facts, tokens, issued, saved = [], firstTry, ended }: SpecState): void {
    const { session } = this.context
    const token = (number: number) => session.tokens[number] as Token
    this.next = next
    this.atMs = atMs
    this.firstTry = firstTry
    this.ended = ended
    this.records.splice(0, this.records.length, ...steps)
    this.talk.exchanges.push(...exchanges)
    Object.assign(this.talk.facts, facts)
    for (const [name, value] of saved) this.talk.saved.set(name, value)
    for (const [name, number] of tokens) this.talk.adopt(name, token(number))
    for (const number of issued) {
      if (!this.talk.issued.includes(token(number))) this.talk.issued.push(token(number))
    }
  }

  /**
   * Gives back every token that it was issued, and returns its end.
   * @param kept tokens to leave alive: another spec has them, or they are given back when that disturbs no other spec
   */
  async end(kept: readonly Token[] = []): Promise<SpecEnd> {
    const { spec, context, talk, records } = this
    const { room, dead, isCertain, isOnce, ...verdict } = this.ended ?? { outcome: 'passed' as const }
    const isJudged = ['passed', 'failed'].includes(verdict.outcome)
    const { outcome, message } = spec.level === 'observe' && isJudged ? observedEnd(records) : verdict
    const cleaning: Exchange[] = []
    const own = talk.issued.filter(token => !kept.includes(token))
    const live = own.filter(({ isLive }) => isLive)
    await this.lookAtShared(kept)
    const { before } = this
    cleaning.push(...this.looks)
    await context.session.giveBack(own, cleaning, talk.lease)
    const lost = dead ? undefined : (before ?? (await this.findDead(live, cleaning)))
    if (!this.options.lease) talk.lease.give()
    const record = { ...this.record(outcome, message, cleaning), ...(isOnce && { seenOnce: isOnce }) }
    const gone = dead ?? (lost && this.deathOf(lost))
    return { record, facts: talk.facts, room, ...(isCertain && { isCertain }), ...(gone && { dead: gone }) }
  }

  /**
   * Looks at the tokens that it shares with others, once: the refusals of specs that share a token are believed only where it is
   * alive afterwards, and its revocation does not always show that.
   * @param others tokens that need no look: they stay alive for others, or were looked at by those
   * @returns the tokens that it looked at
   */
  async lookAtShared(others: readonly Token[] = []): Promise<Token[]> {
    const { lease, isAlone } = this.options
    if (this.ended?.dead || !(lease || isAlone)) return []
    const own = this.talk.issued.filter(token => this.shared.delete(token) && !others.includes(token))
    this.before ??= await this.findDead(own, this.looks, true)
    return own
  }

  /** Gives its connections back until its next step. */
  giveConnections(): void {
    this.talk.lease.give()
  }

  /** The wait in which its connection rests; undefined where none does. */
  get restingWait(): WaitStep | undefined {
    return this.steps.find((step): step is WaitStep => step.action === 'wait' && step.isKept === true)
  }

  /** Keeps its connections until its next step, unless others cannot do without them: those that rest for long last. */
  keepConnections(): void {
    const { restingWait, talk } = this
    if (restingWait) leaveConnections(talk, restingWait)
    else talk.lease.rest(0)
  }

  /** Says who uses what it shares with others while its steps send many requests. */
  set keeper(keepAlive: () => Promise<void>) {
    this.talk.keepAlive = keepAlive
  }

  /** Uses what it shares with others where that was not used for a while, so that no token expires while those run. */
  async keepAlive(): Promise<void> {
    const { session, schedule, lifetime, parts, answers } = this.context
    if (this.ended || session.isEnding) return
    const bystanders = BYSTANDERS_IN_TURN.flatMap(name => this.talk.named.get(name) ?? [])
    const tokens = [...this.shared, ...bystanders].filter(({ isLive }) => isLive)
    const sinceMs = Math.min(...tokens.map(({ certainUse }) => certainUse.sentAt))
    if (schedule.now() - sinceMs < lifetime.lifetimeMs * USED_EVERY) return
    for (const token of tokens) {
      const use = await this.talk.exchange(probeWith(parts, token.value))
      token.used(use, answers.probe.accepts(use))
    }
  }

  /** Runs its next step, unless that is the last, and gives its connections back. @throws Detached */
  async runOne(): Promise<void> {
    await this.runTo(Math.min(this.next + 1, this.steps.length - 1))
    this.giveConnections()
  }

  /** Returns the pending record of a spec that is left to another process. */
  leave(message: string): SpecEnd {
    this.talk.lease.give()
    return { record: this.record('pending', message, []), facts: this.talk.facts }
  }

  private record(outcome: SpecRecord['outcome'], message: string | undefined, cleaning: Exchange[]): SpecRecord {
    const { spec, firstTry, atMs, talk } = this
    return {
      ...unrunRecord(spec, outcome, message),
      ...(firstTry !== undefined && { firstTry }),
      atMs,
      durationMs: this.context.schedule.now() - atMs,
      steps: this.records,
      exchanges: [...talk.exchanges, ...cleaning].map(toExchangeRecord),
    }
  }

  private token(step: Step | undefined): Token | undefined {
    return step?.action === 'logon' ? this.talk.named.get(step.token) : undefined
  }

  /** Runs the steps before this one, unless one of them ends the spec. @throws Detached */
  async runTo(end: number): Promise<void> {
    try {
      while (this.next < end && !this.ended) {
        const to = groupEnd(this.steps, this.next, end)
        await (to > this.next + 1 ? this.burst(this.next, to) : this.step(this.next))
        this.next = to
      }
    } catch (error) {
      if (error instanceof Detached) throw error
      this.ended = endByError(error)
    } finally {
      // Other specs may need the connections before a wait and at the end. So tokens stay for a while, and a Core that errs
      // while many are live shows it. A spec that runs alone keeps its connections, to give its tokens back.
      const isKept = this.options.isAlone || this.options.lease
      const next = this.steps[this.next]
      if (next?.action === 'wait') leaveConnections(this.talk, next)
      else if (this.isOver && !isKept) this.talk.lease.give()
    }
  }

  private async step(index: number): Promise<void> {
    const { talk } = this
    const step = this.steps[index]
    const record = this.records[index]
    if (!step || !record) return
    await this.begin(index)
    // Only the first step of a stretch takes connections. Within a stretch nothing more is taken.
    const { connections } = this.context.session
    const most = this.options.isBeside ? this.context.connectionsEach : connections.capacity
    const needed = connectionsNeeded(this.steps, index, most)
    const spare = this.options.isAlone && !this.options.isBeside ? connections.most(2) : 1
    if (!this.options.lease) talk.lease.wants = Math.max(needed, spare)
    const first = talk.exchanges.length
    this.judgeResult(index, await runStep(talk, step, record.kind), first)
  }

  /** Begins a step: with a stretch of its own, or with a wait, in which others have theirs. @throws Interrupted */
  private async begin(index: number): Promise<void> {
    if (this.context.signal.aborted) throw new Interrupted()
    const { gate } = this.talk.hooks
    if (this.steps[index]?.action === 'wait') return gate?.leave()
    const isUrgent = isUrgentAt(this.steps, index)
    this.talk.lease.isUrgent = isUrgent || isAfterMoment(this.steps, index)
    const until = () => (isUrgent ? this.aliveUntilMs() : NO_HASTE)
    const entered = gate?.enter(stretchAt(this.steps, index, this.context.parts.requests), until())
    // The specs that it waits for may need its open connections.
    if (entered) await this.talk.lease.lend(entered)
    this.talk.lease.makeWay = isLong(this.steps[index]) ? () => gate?.makeWay?.(Math.min(until(), BEGUN)) : undefined
  }

  /** Until when all of its tokens have to be alive that have not expired yet, on the clock of the run. */
  private aliveUntilMs(): number {
    const { schedule, lifetime } = this.context
    const limitMs = lifetime.lifetimeMs * (1 - lifetime.tolerance)
    const untilMs = this.tokens.filter(({ isLive }) => isLive).map(({ certainUse }) => certainUse.sentAt + limitMs)
    return Math.min(BEGUN, ...untilMs.filter(ms => ms > schedule.now()))
  }

  /** Sends several steps at the same time, each on a connection of its own. They are judged in their order. */
  private async burst(from: number, to: number): Promise<void> {
    const { talk, context } = this
    const { schedule, pace } = context
    await this.begin(from)
    // No spec waits for connections while it holds one.
    talk.lease.give()
    await pace?.reserve(to - from)
    const meet = context.session.connections.capacity < to - from ? undefined : meetingOf(to - from)
    const opening = this.steps[from]
    const isBodyLate = meet && opening && 'isBodyLate' in opening && opening.isBodyLate
    const behind = isBodyLate ? meetingBehind(meet) : meet
    const running: { index: number; branch: SpecTalk; result: Promise<StepResult> }[] = []
    const others = async () => void (await Promise.allSettled(running.slice(1).map(({ result }) => result)))
    for (const index of range(from, to)) {
      const branch = talk.branch()
      branch.lease.meet = index === from ? meet : behind
      if (isBodyLate && index === from) branch.lease.bodyDue = others
      const [step, record] = [this.steps[index] as Step, this.records[index] as StepRecord]
      const result = schedule.task(async () => runStep(branch, step, record.kind)).finally(() => branch.lease.give())
      running.push({ index, branch, result })
    }
    const all = Promise.allSettled(running.map(({ result }) => result))
    await schedule.park(resume => void all.then(resume))
    for (const { index, branch, result } of running) {
      const first = talk.exchanges.length
      talk.exchanges.push(...branch.exchanges)
      const came = await result
      if (!this.ended) this.judgeResult(index, came, first)
    }
  }

  /**
   * Writes down the result of a step, and ends the spec where it missed. @param first the index of its first exchange
   */
  private judgeResult(index: number, result: StepResult, first: number): void {
    const { talk } = this
    const [step, record] = [this.steps[index], this.records[index]]
    if (!step || !record) return
    record.exchanges = range(first, talk.exchanges.length)
    Object.assign(record, shownResult(result))
    if (result.outcome === 'ok') return
    const missed = result.telling?.map(exchange => talk.exchanges.indexOf(exchange)).filter(at => at >= first)
    if (missed?.length) record.missed = missed
    if (result.outcome === 'miss') {
      Object.assign(record, missWords(this.spec, step, result))
    }
    const room = result.outcome === 'limited' ? (result.room ?? this.context.session.live) : undefined
    const verdict = judgeStep(record, result)
    const isCertain = verdict.outcome === 'failed' && (result.isCertain ?? false)
    this.deadToken = result.dead
    const isOnce = verdict.outcome === 'failed' && result.isOnce === true
    this.ended = {
      ...verdict,
      room,
      isCertain,
      ...(isOnce && { isOnce: true }),
      ...(result.dead && { dead: this.deathOf(result.dead) }),
    }
  }

  /** Finds the first token that could not be given back because it was dead, though no step had looked at it. */
  private async findDead(
    tokens: readonly Token[],
    cleaning: Exchange[],
    areShared = false,
  ): Promise<Token | undefined> {
    const { session, parts, answers, lifetime } = this.context
    // A run that is being ended does not wait for these looks either.
    if (session.isEnding) return undefined
    for (const token of tokens.filter(({ givenBack }) => !givenBack)) {
      const use = await session.exchange(probeWith(parts, token.value), this.talk.lease)
      cleaning.push(use)
      if (!answers.probe.rejects(use)) continue
      const mayHaveExpired = missedAlive(gapSince(token.certainUse, use), lifetime) !== undefined
      token.rejected(use)
      // One that expired meanwhile says nothing, but that what it should control is not shown by it.
      if (!mayHaveExpired || areShared) return token
    }
    return undefined
  }

  private deathOf({ certainUse }: Token): Death {
    return { aliveMs: certainUse.sentAt, deadMs: this.context.schedule.now() }
  }
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}
