/**
 * A run of the suite, from the survey to the result. Over 250 lines, since it holds all state that lasts for the whole
 * run. Other modules hold the steps of its work.
 */
import { AnswerBook, UNKNOWN_ANSWERS } from '../core/answers.js'
import { Connections } from '../core/connections.js'
import type { Exchange, WireRequest } from '../core/exchange.js'
import { hideByKind } from '../core/hide-by-kind.js'
import { surveyOpen } from '../core/open-survey.js'
import { Pacer } from '../core/pacer.js'
import { Redactor } from '../core/redact.js'
import { REFUSED_TO_CONFIRM } from '../core/refused-logons.js'
import { isLogon } from '../core/sender.js'
import { DEFAULT_PATIENCE_MS, Session } from '../core/session.js'
import { Silences } from '../core/silences.js'
import { giveBackPausesMs, type Survey, survey, UNKNOWN_DIALECT } from '../core/survey.js'
import { Transport } from '../core/transport.js'
import { count } from '../ground/count.js'
import { isSafe } from '../ground/methods.js'
import { accused, isMiss } from '../result/accused.js'
import type { Dialect, Doubt, Facts, KnownHabits, Plan, RunEvent, RunResult, SpecRecord } from '../result.js'
import { doubtsFrom, type Judged, judgeHistory, lossIn } from '../run/judge/judge.js'
import { livedOn, livesOf } from '../run/judge/lives.js'
import type { Role } from '../suite/roles.js'
import { isSpread, logsOn, maySpeakHttp10, type Spec, wrongLogons } from '../suite/spec.js'
import { lifetimeOf, planFor, whyNotApplicable } from './applicable.js'
import type { RunContext } from './context.js'
import { credentialVariables, SECRET_VARIABLES, targetVariables } from './credentials.js'
import { answerTime, connectionsEach, Estimate, lanesOn } from './estimate.js'
import { explainedByLess, isLetIn } from './excuses.js'
import { Execution, type Exploring } from './execution.js'
import { HistoryKeeper } from './keep-history.js'
import { judgeLostLogon } from './lost-logon.js'
import type { RunOptions } from './options.js'
import type { Attempt } from './phases/phase.js'
import { coveringOf } from './plan/planned-rows.js'
import type { Stop } from './plan/timeline.js'
import { repeated } from './repeat.js'
import { probeWith, type RequestParts, roleRequest } from './requests.js'
import { toResult } from './result.js'
import { noteDead, workLeft } from './resume.js'
import { lossText, silenceEvents, TOKENS_LOST } from './run-events.js'
import { Schedule, type Wait } from './schedule.js'
import { ShapeBook } from './shape-book.js'
import { doubtsOf, endpointsOf, whyBlocked, whyNotExplored, whyNotJudged, whySkipped } from './skip-reasons.js'
import { INTERRUPTED, notRun, type SpecEnd } from './spec-end.js'
import type { Hindrance } from './verdict.js'
import { gapSince, missedExpired, roomMs } from './window.js'

/**
 * Runs specs against a target: surveys it, runs all specs side by side, and cleans up.
 *
 * It does not throw for anything that the target does. It gives every issued token back in every case, unless the
 * run is detached.
 * @returns the run result, redacted
 */
export async function runSuite(options: RunOptions): Promise<RunResult> {
  return new Run(options).run()
}

class Run {
  private readonly startedAt: Date
  private readonly redactor = new Redactor()
  private readonly schedule: Schedule
  private readonly parts: RequestParts
  private readonly ends = new Map<Spec, SpecEnd>()
  private readonly plan: Plan
  private surveyed: Exchange[] = []
  private dialect: Dialect | undefined
  /** When the waits end, on the clock of the run; undefined until they are planned, which is when they begin. */
  private endsMs: number | undefined
  private execution: Execution | undefined
  private transport: Transport | undefined
  private visits: Stop[] = []
  /** Events that concerned the Core as a whole. */
  private readonly events: RunEvent[]
  private readonly silences = new Silences()
  private readonly ending = new AbortController()
  /** Why the run ended itself; undefined where it did not. */
  private impatience: string | undefined
  /** The last request that was answered and changes nothing. */
  private served: WireRequest | undefined
  private doubts: Doubt[] = []
  private readonly history: HistoryKeeper
  private readonly estimate: Estimate
  private readonly pacer: Pacer
  /** The waits of specs, the earliest end first. */
  private waits: readonly Wait[] = []
  /** First tries of specs that ran once more undisturbed. */
  private readonly setAside = new Map<Spec, SpecEnd>()
  /** The explorer's findings, and what repeated. */
  private readonly found = new Map<Spec, SpecEnd>()

  constructor(private readonly options: RunOptions) {
    const { clock, configuration, signal, suite, target, targetKind, journal, resumed } = options
    if (signal?.aborted) this.ending.abort()
    else signal?.addEventListener('abort', () => this.ending.abort(), { once: true })
    this.startedAt = resumed?.startedAt ?? new Date()
    this.schedule = new Schedule(clock, this.signal, (waits, isIdle) => this.waiting(waits, isIdle))
    // The password of the embedded mock Core is no user's secret, and another process could not hide a text that it
    // does not know.
    if (journal && targetKind === 'mock') this.redactor.onNew = (value, label) => journal.secret(value, label)
    this.redactor.hide(target.password, 'password')
    const variables = { ...credentialVariables(target), ...targetVariables(target, configuration.probePath) }
    for (const name of SECRET_VARIABLES) {
      this.redactor.hide(variables[name] ?? '', name)
    }
    for (const { value, label } of resumed?.secrets ?? []) this.redactor.hide(value, label)
    // Only from here on: the user's password is never written down.
    if (journal) this.redactor.onNew = (value, label) => journal.secret(value, label)
    this.parts = { requests: suite.requests, variables }
    this.history = new HistoryKeeper(resumed?.tokens.map(({ value }) => value) ?? [])
    this.surveyed = resumed?.survey?.exchanges ?? []
    this.dialect = resumed?.survey?.dialect
    this.plan = planFor(options)
    this.events = [...(resumed?.events ?? [])]
    this.estimate = new Estimate(configuration.concurrency)
    this.pacer = new Pacer({
      now: () => clock.now(),
      patienceMs: configuration.patienceMs ?? DEFAULT_PATIENCE_MS,
      setting: options.advice?.patience,
      over: reason => {
        this.impatience = reason
        this.ending.abort()
      },
    })
  }

  async run(): Promise<RunResult> {
    const { target, configuration, connect, bodyCapBytes, clock, journal, resumed } = this.options
    const connections = new Connections(configuration.concurrency, take => this.schedule.park(take))
    const transport = await Transport.create({
      ...configuration,
      target,
      // Such a Core takes part in every leap at once, also in the middle of a request.
      ...(connect && { connect, ...(clock.leap && { pause: clock.leap }) }),
      ...(bodyCapBytes !== undefined && { bodyCapBytes }),
      watch: connections.crowding,
      now: () => clock.now(),
      wall: () => clock.wall(),
      onAnswer: (request, response) => hideByKind(this.redactor, request, response),
    })
    this.transport = transport
    const session = new Session({
      transport,
      redactor: this.redactor,
      connections,
      pacer: this.pacer,
      isEnding: () => this.signal.aborted,
      courtesy: this.options.courtesy,
      silences: this.silences,
      pause: ms =>
        this.schedule.until(this.schedule.now() + ms, { spec: '', what: 'because the Core asks to slow down' }),
      logonRequest: () => this.inRole('logon'),
      revokeRequest: () => this.inRole('revoke'),
      probeRequest: () => this.inRole('probe'),
      // Until the survey has seen it nobody knows how a request without a token is refused, be it by a 5xx.
      controlRequest: () => (session.answers === UNKNOWN_ANSWERS ? this.served : undefined) ?? this.inRole('probe'),
      maxRefusedLogons: configuration.maxRefusedLogons + (resumed?.refunded ?? 0),
      hasLapsed: (token, by) => !missedExpired(gapSince(token.possibleUse, by), lifetimeOf(configuration)),
      ...(journal && { journal }),
      tried: exchange => {
        this.history.take(exchange)
        const { request, response, error } = exchange
        if (response && !error && isSafe(request.method) && !session.answers.turnsAway(exchange)) this.served = request
        this.estimate.note(isLogon(request))
        this.tell()
      },
      wasBan: exchange => this.history.turnedAway(exchange),
    })
    session.restore(resumed?.tokens ?? [], resumed?.refusedLogons ?? 0)
    let hindrance: Hindrance | undefined
    // The survey of a slow Core takes long, and no other task tells that the run goes on.
    this.waiting([], false)
    try {
      hindrance = await this.runSpecs(session)
    } catch (error) {
      hindrance = this.interrupted() ?? {
        verdict: 'incomplete',
        reason: error instanceof Error ? error.message : String(error),
      }
    }
    const { certificateFingerprint } = transport
    const beside = this.seenBeside(session)
    const seen = [...(resumed?.doubts ?? []), ...beside]
    if (this.schedule.isDetached) journal?.doubted(seen)
    // No spec may have met this. A run that met it is not conformant.
    else
      for (const { requirement, text } of seen)
        hindrance ??= { verdict: 'incomplete', reason: `${requirement} is in doubt: ${text}` }
    const { exploration } = this.options.explorer ?? {}
    this.excuse()
    const records = [...this.ends.values()].map(({ record }) => record)
    for (const event of silenceEvents(this.silences.all(), records)) this.happened(event)
    return toResult({
      ...this.options,
      specs: [...this.options.specs, ...this.found.keys()],
      found: [...this.found.keys()],
      startedAt: this.startedAt,
      certificateFingerprint,
      dialect: this.dialect ?? UNKNOWN_DIALECT,
      plan: this.plan,
      ends: new Map([...this.ends, ...this.found]),
      ...(exploration && { exploration }),
      surveyed: this.surveyed,
      session,
      hindrance,
      visits: this.visits,
      events: this.events.sort((a, b) => a.fromMs - b.fromMs),
      doubts: [...this.doubts, ...seen],
      ...(configuration.keepHistory && {
        history: this.history.named(this.habits(session), beside, text => this.redactor.text(text)),
      }),
      redact: (text, isCut) => this.redactor.text(text, isCut),
    })
  }

  private async runSpecs(session: Session): Promise<Hindrance | undefined> {
    const { specs, configuration, resumed, journal, clock, listener, verify, host } = this.options
    for (const { record, facts } of resumed?.ended ?? []) this.keep(record, facts)
    const applicable = specs.filter(
      spec => !this.ends.has(spec) && !this.isLeftOut(spec, 'skipped', whyNotApplicable(spec, configuration)),
    )
    const work = workLeft(applicable, resumed, session)
    const orphans = session.tokens.filter(token => !token.givenBack && !work.held.has(token))
    if (!applicable.length && !orphans.length && !host) return undefined
    const away = resumed && (await this.schedule.task(() => this.away(session)))
    if (away) return away
    // First of all, since the Core may have no room for further tokens.
    await this.schedule.task(() => session.giveBack(orphans, []))
    const found = await this.schedule.task(() => this.survey(session, applicable))
    const answerMs = answerTime(this.surveyed, found.dialect.latency)
    const lanes = lanesOn(answerMs, found.dialect, configuration.concurrency)
    const context: RunContext = {
      parts: { ...this.parts, paths: found.paths },
      session,
      schedule: this.schedule,
      signal: this.signal,
      answers: found.answers ?? UNKNOWN_ANSWERS,
      dialect: found.dialect,
      unsent: new Map(),
      shapes: new ShapeBook(),
      covering: coveringOf(configuration),
      refusalsKept: spec => this.refusalsKept(spec, session),
      spreadLeft: this.spreading(session, found.dialect),
      answerMs,
      lanes,
      connectionsEach: connectionsEach(lanes, found.dialect.latency, configuration.concurrency),
      lifetime: { ...lifetimeOf(configuration), roomMs: roomMs(lifetimeOf(configuration), found.dialect.latency) },
      verify,
    }
    if (!found.answers) return this.untestable(found, applicable, context)
    this.history.read(context)
    await this.schedule.task(() => noteDead(orphans, context))
    this.doubts = doubtsOf(applicable, context)
    session.isAlive = async (token, on) => {
      const look = await session.exchange(probeWith(this.parts, token.value), on)
      const isAccepted = context.answers.probe.accepts(look)
      token.used(look, isAccepted)
      return isAccepted
    }
    if (host) {
      await host(context)
      await session.giveBack(session.tokens, [])
      return this.interrupted()
    }
    const fits = (spec: Spec) => whySkipped(spec, found.dialect) ?? whyNotJudged(spec, context)
    const judged = work.specs.filter(
      spec =>
        !this.isLeftOut(spec, 'blocked', whyBlocked(spec, found.dialect)) &&
        !this.isLeftOut(spec, 'skipped', fits(spec)),
    )
    const execution = new Execution(
      {
        context,
        maxTokens: configuration.maxTokens,
        room: resumed?.room,
        stays: this.options.detachAfterMs === undefined,
        journal,
        ended: (spec, end) => this.ended(spec, end),
        doubted: attempts => this.doubted(attempts, session),
        planned: (endsMs, tokens) => this.replan(endsMs, tokens),
        happened: event => this.happened(event),
        exploring: this.exploring(context),
      },
      { waiting: work.waiting, specs: judged },
    )
    this.execution = execution
    this.estimate.surveyed(judged, context, clock.now())
    const leftMs = this.estimate.left(clock.now(), this.spacingMs)
    if (leftMs && found.dialect.latency) {
      const { keptMs: answerMs, logonMs } = found.dialect.latency
      const { any } = this.spacingMs
      listener?.estimated?.({ leftMs, answerMs, logonMs, ...(any > 0 && { perSecond: 1000 / any }) })
    }
    await execution.run()
    if (!this.schedule.isDetached) await this.schedule.task(() => this.repeat(context))
    this.restore(session)
    if (!this.schedule.isDetached) await this.schedule.task(() => noteDead(session.tokens, context))
    return this.interrupted()
  }

  /**
   * Returns doubts about what no spec was judged by: every exchange counts, also those that prepare, control and clean up.
   * A loss of all tokens that explains some becomes an event. After a failure, all of that could be its consequences.
   */
  private seenBeside(session: Session): Doubt[] {
    const lifetime = lifetimeOf(this.options.configuration)
    if (!this.dialect || this.hasFailed) return []
    const judged = this.judged(session)
    const loss = lossIn(judged)
    if (loss && !this.events.some(({ kind }) => kind === TOKENS_LOST))
      this.happened({ kind: TOKENS_LOST, text: lossText(loss, { session, lifetime }), ...loss, specs: [] })
    return doubtsFrom(judged)
  }

  /** Sends once more what the judge doubts, unless a spec failed, whose consequences that may be. What repeats is a finding. */
  private async repeat(context: RunContext): Promise<void> {
    const { session, dialect } = context
    const { journal, suite } = this.options
    const isPossible = !this.signal.aborted && session.connections.capacity > 1 && !session.refused.showsLock
    if (!isPossible || this.hasFailed || whyNotExplored(dialect, session) !== undefined) return
    const means = { context, history: this.history, requirements: suite.requirements }
    for (const { spec, end } of await repeated(this.judged(session), means)) {
      this.found.set(spec, end)
      journal?.ended({ record: end.record, facts: end.facts })
    }
  }

  /** See `PhaseContext.doubted`. */
  private doubted(attempts: readonly Attempt[], session: Session): Attempt[] {
    // What was let in did not end.
    const hasEnded = ({ spec, end: { record } }: Attempt) => record.outcome === 'failed' && !isLetIn(spec, record)
    const failed = attempts.filter(hasEnded)
    if (!failed.length) return []
    const judged = this.judged(session)
    // What ends tokens at all times ends some that wait.
    const again = judged.some(isOfNoTime) ? failed : this.odd(failed, judged)
    for (const { spec, end } of again) this.setAside.set(spec, end)
    return again
  }

  /** Returns those whose token died, where another lived on that was as old, and unused for as long. */
  private odd(failed: Attempt[], judged: readonly Judged[]): Attempt[] {
    const lives = livesOf(this.history.entries)
    const isOdd = ({ contradiction: { token, entry } }: Judged) => {
      const life = lives.find(each => each.token === token)
      return life !== undefined && livedOn(life, entry, lives)
    }
    return failed.filter(({ end }) => judged.some(each => isMissOf(end, each) && isOdd(each)))
  }

  /**
   * Gives a spec back its first try, in which a token died before its time: it is not known what else ended it. What explains such a death
   * without a fault acquits.
   */
  private restore(session: Session): void {
    if (this.hasFailed || !this.setAside.size) return
    const judged = this.judged(session).filter(({ cause }) => cause.accuses !== undefined)
    for (const [spec, end] of this.setAside) {
      const isOfLife = accused(end.record).every(({ id }) => id === LIVES_ON)
      const hasPassed = this.ends.get(spec)?.record.outcome === 'passed'
      if (!hasPassed || !isOfLife || !judged.some(each => isMissOf(end, each))) continue
      const message = `${end.record.message}; with nothing else under way it was accepted`
      this.ended(spec, { ...end, record: { ...end.record, message } })
    }
  }

  /** Judges the history as far as it goes. */
  private judged(session: Session): Judged[] {
    return judgeHistory(this.history.entries, lifetimeOf(this.options.configuration), this.habits(session))
  }

  private get hasFailed(): boolean {
    return [...this.ends.values(), ...this.found.values()].some(({ record }) => record.outcome === 'failed')
  }

  /** Returns what the run knows of this Core beside its history. */
  private habits({ keeps, renewals }: Session): KnownHabits {
    const { dialect } = this
    const { resumed } = this.options
    const earlier = [...(resumed?.tokens.map(({ value }) => value) ?? []), ...renewals]
    return {
      ...(keeps !== undefined && { room: keeps }),
      isEntangled: dialect?.sessions !== 'many' || dialect.backEnds?.by === 'connection',
      warmsUp: dialect?.warmUp != null,
      ...(earlier.length > 0 && { earlier }),
    }
  }

  /** Returns how many refused logons a spec has to leave to the others: each needs its own, unless it had them. */
  private refusalsKept(spec: Spec, session: Session): number {
    const others = this.options.specs.filter(other => other.id !== spec.id && !this.ends.has(other))
    const triesOf = (other: Spec) => Math.ceil(wrongLogons(other) * session.refused.triesForOne)
    const needed = others.map(other => Math.max(0, triesOf(other) - session.refused.sentFor(other.id)))
    return needed.reduce((sum, one) => sum + one, REFUSED_TO_CONFIRM + (this.isExploring ? TO_EXPLORE : 0))
  }

  /** See {@link RunContext.spreadLeft}. */
  private spreading(session: Session, dialect: Dialect): () => number {
    const all = session.refused.leftPaced
    const spread = this.options.specs.filter(isSpread)
    return () => {
      const sent = spread.reduce((sum, { id }) => sum + session.refused.sentFor(id), 0)
      const isShared = this.isExploring && this.notExplored(session, dialect) === undefined
      const kept = (this.execution?.hasLost ? TO_REPEAT : 0) + (isShared ? all >> 2 : 0)
      return Math.min(session.refused.leftPaced, all - kept - sent)
    }
  }

  private get isExploring(): boolean {
    const { explorer, configuration } = this.options
    return explorer !== undefined && configuration.explore?.requests !== 0
  }

  private get failed(): SpecEnd[] {
    return [...this.ends.values()].filter(({ record }) => record.outcome === 'failed')
  }

  /** Returns why a run that could explore does not; undefined where it does. */
  private notExplored(session: Session, dialect: Dialect): string | undefined {
    const { configuration, detachAfterMs } = this.options
    if (detachAfterMs !== undefined) return 'this process does not stay while specs wait'
    const isAsked = configuration.explore?.requests != null || configuration.explore?.durationMs != null
    if (this.failed.length > 0 && !isAsked)
      return `${count(this.failed.length, 'spec')} failed by then, and findings could be their consequences: after failures a run explores only where it is told to`
    return whyNotExplored(dialect, session)
  }

  /** Returns the explorer with its means, and the reasons not to explore. */
  private exploring({ session, dialect }: RunContext): Exploring | undefined {
    const { explorer, specs, clock, journal } = this.options
    if (!explorer) return undefined
    // Specs that wait still need their refused logons, and need them once more where a failure is confirmed.
    const ahead = () => 2 * specs.filter(spec => !this.ends.has(spec)).reduce((sum, spec) => sum + wrongLogons(spec), 0)
    return {
      explorer,
      obstacle: () => this.notExplored(session, dialect),
      means: () => ({
        wrongLogons: Math.max(0, session.refused.leftAtOnce - ahead()) + session.refused.leftPaced,
        isVirtual: clock.leap !== undefined,
        taken: new Set(specs.map(({ id }) => id)),
        broken: new Set(this.failed.flatMap(({ record }) => accused(record).map(({ id }) => id))),
        found: (spec, end) => {
          this.found.set(spec, end)
          journal?.ended({ record: end.record, facts: end.facts })
        },
        explored: exploration => journal?.explored(exploration),
      }),
    }
  }

  /** Blocks every spec, except one that fails by a logon that is never answered or never arrives whole. */
  private async untestable(survey: Survey, specs: Spec[], context: RunContext): Promise<Hindrance> {
    const { reason, advice: usual } = survey.untestable ?? { reason: 'the survey found nothing', advice: '' }
    const isFixed = this.options.resumed !== undefined && usual.includes('--')
    const advice = isFixed ? `${usual}; start a new run for that, since this one keeps its settings` : usual
    for (const spec of specs) this.ends.set(spec, notRun(spec, 'blocked', reason))
    const judged = await this.schedule.task(() => judgeLostLogon(specs, survey, context))
    if (judged) this.ended(judged.spec, judged.end)
    return { verdict: 'untestable', reason, ...(advice && { advice }) }
  }

  /** Says why a resumed run cannot go on now: the Core is out of reach. Everything stays as it is for another try. */
  private async away(session: Session): Promise<Hindrance | undefined> {
    const { error } = await session.exchange(this.inRole('probe'))
    const toFinish = this.options.advice?.toFinish
    if (error?.kind !== 'connect' && error?.kind !== 'tls') return undefined
    // A resumed run keeps its settings, so it would refuse another fingerprint.
    const advice =
      error.kind === 'tls' && error.isLasting
        ? 'if it is your Core, and was given another certificate, run anew with another folder for reports: the tokens of this run expire by themselves'
        : `nothing was lost: make sure that the Core can be reached, then ${toFinish ?? 'resume again'}`
    return { verdict: 'untestable', reason: `the run cannot go on: ${error.message}`, advice }
  }

  private async survey(session: Session, specs: Spec[]): Promise<Survey> {
    const { configuration, tokenField, journal, resumed, target } = this.options
    if (resumed?.survey) {
      const { dialect, answers, paths, tokenPointer, exchanges } = resumed.survey
      session.tokenPointer = tokenPointer ?? undefined
      session.giveBackPausesMs = giveBackPausesMs(dialect)
      session.answers = AnswerBook.from(answers)
      return { dialect, answers: session.answers, paths: new Map(paths), untestable: undefined, exchanges }
    }
    const found = await survey({
      session,
      probe: this.inRole('probe'),
      logon: this.inRole('logon'),
      endpoints: endpointsOf(specs, this.parts),
      accessControl: configuration.accessControl,
      tokenField,
      refused: configuration.refused ?? [],
      // Also where an earlier process ran all specs with HTTP/1.0: the result states the finding about this Core.
      needsHttp10: this.options.specs.some(maySpeakHttp10),
    })
    const { dialect, answers, paths, exchanges } = found
    const untestable =
      answers &&
      configuration.accessControl === 'off' &&
      (await surveyOpen(session, {
        dialect,
        exchanges,
        probe: this.inRole('probe'),
        ...(target.username && target.password && specs.some(logsOn) && { logon: this.inRole('logon') }),
        tokenField,
      }))
    this.surveyed = exchanges
    this.dialect = dialect
    if (untestable) return { ...found, answers: undefined, untestable }
    if (answers) {
      const { tokenPointer = null } = session
      journal?.surveyed({ dialect, answers: answers.state(), paths: [...paths], tokenPointer, exchanges })
      const { certificateFingerprint } = this.transport ?? {}
      if (certificateFingerprint !== undefined) journal?.certificate(certificateFingerprint)
    }
    return found
  }

  /** Takes over an outcome from an earlier process. */
  private keep(record: SpecRecord, facts: Facts): void {
    const spec = this.options.specs.find(({ id }) => id === record.id)
    const end: SpecEnd = { record, facts }
    if (spec) this.ends.set(spec, end)
    // A finding of the earlier process.
    else if (record.outcome === 'failed') this.found.set(specOf(record), end)
  }

  /** Takes back the failures that show no more than another one does. See {@link explainedByLess}. */
  private excuse(): void {
    const explained = explainedByLess([...this.ends.values()].map(({ record }) => record))
    for (const [spec, end] of this.ends) {
      const by = explained.get(spec.id)
      if (by === undefined) continue
      const message = `a token is rejected here after less (${by}), so this shows nothing: ${end.record.message}`
      this.ends.set(spec, { ...end, record: { ...end.record, outcome: 'inconclusive', message } })
    }
  }

  private happened(event: RunEvent): void {
    this.events.push(event)
    this.options.journal?.happened(event)
  }

  private ended(spec: Spec, end: SpecEnd): void {
    this.ends.set(spec, end)
    const { record, facts } = end
    // Another process does again what was not judged to its end, or what this one may yet try again.
    const isOpen = ['pending', 'blocked'].includes(record.outcome) || record.message === INTERRUPTED
    const isCutShort = record.outcome === 'inconclusive' && this.signal.aborted
    if (!isOpen && !isCutShort) this.options.journal?.ended({ record, facts })
  }

  private replan(endsMs: number, tokens: number): void {
    this.endsMs = Math.max(this.endsMs ?? 0, endsMs)
    const { listener, resumed } = this.options
    // A little later is no news: the survey takes time. A resumed run takes longer than its plan anyway.
    const isNews = endsMs > this.plan.durationMs * 1.2 + NO_NEWS_MS && tokens < this.plan.tokens
    if (isNews && !resumed) listener?.replanned?.({ durationMs: endsMs, tokens })
  }

  /** Tells the listener, and detaches the run where that is wanted and possible. */
  private waiting(all: readonly Wait[], isIdle: boolean): void {
    const waits = all.filter(({ isBeside }) => !isBeside)
    const { clock, detachAfterMs } = this.options
    this.waits = waits
    this.tell()
    const [next] = waits
    if (detachAfterMs === undefined || !isIdle || !next || waits.some(({ spec }) => spec === '')) return
    if (next.untilMs - clock.now() <= detachAfterMs) return
    this.visits = this.execution?.waits.visits(detachAfterMs) ?? []
    this.schedule.detach()
  }

  /** The time between two requests, and two logons, that limits of the Core ask for. */
  private get spacingMs() {
    return { any: this.pacer.spacingMs('any'), logon: this.pacer.spacingMs('logon') }
  }

  /** Tells the listener what the run is doing. */
  private tell(): void {
    const { listener, clock, specs } = this.options
    if (!listener?.active) return
    const outcomes = [...this.ends.values()].map(({ record }) => record.outcome)
    // The plan counts the specs that run, and so does the progress.
    const skipped = outcomes.filter(outcome => outcome === 'skipped').length
    const failed = outcomes.filter(outcome => outcome === 'failed').length
    // Until the waits begin, nobody knows when they end: how long the requests before them take depends on the Core.
    const endsMs = this.endsMs ?? Number.NaN
    const { requests } = this.estimate
    const left = this.endsMs === undefined ? this.estimate.left(clock.now(), this.spacingMs) : undefined
    const { durationMs } = this.plan
    listener.active({
      done: outcomes.length - skipped,
      failed,
      total: specs.length - skipped,
      endsMs,
      waits: this.waits,
      ...(requests && this.endsMs === undefined && { requests }),
      ...(left && { leftMs: [left[0] + durationMs, left[1] + durationMs] }),
    })
  }

  /** Aborted when the run ends early: it was interrupted, or is out of patience. */
  private get signal(): AbortSignal {
    return this.ending.signal
  }

  private interrupted(): Hindrance | undefined {
    const toFinish = this.options.advice?.toFinish
    if (!this.signal.aborted) return undefined
    return {
      verdict: 'incomplete',
      reason: this.impatience ?? INTERRUPTED,
      isCutShort: true,
      ...(toFinish !== undefined && { advice: toFinish }),
    }
  }

  /** Ends a spec without running it, where there is a reason. */
  private isLeftOut(spec: Spec, outcome: 'skipped' | 'blocked', reason: string | undefined): boolean {
    if (reason !== undefined) this.ends.set(spec, notRun(spec, outcome, reason))
    return reason !== undefined
  }

  private inRole(role: Role) {
    return roleRequest(this.parts, role)
  }
}

/** The requirement that a token lives on within its lifetime. */
const LIVES_ON = 'IDLE-3'

/** Whether a contradiction is what a spec missed. */
function isMissOf({ record }: SpecEnd, { contradiction }: Judged): boolean {
  const [at] = record.steps.find(isMiss)?.missed ?? []
  return at !== undefined && record.exchanges[at]?.atMs === contradiction.entry.sentAt
}

/** Whether a token died for another reason than the time that had passed. */
function isOfNoTime({ contradiction: { kind }, cause }: Judged): boolean {
  return (kind === 'died' || kind === 'dead at birth') && !cause.isOfTime
}

/** Refused logons that are left to repeat what is in doubt, once there is something. */
const TO_REPEAT = 12
/** Refused logons that a family leaves to the explorer, which sends them in sequences with others. */
const TO_EXPLORE = 6

/** A later end by this much is no news. */
const NO_NEWS_MS = 2000

/** Makes the spec of a record, as far as a result needs it. */
function specOf({ id, area, title, level, requirements, file, line }: SpecRecord): Spec {
  const nothing = { accessControl: 'on', measuresLifetime: false, given: [], steps: [] } as const
  return { id, area, title, level, requirements, file, line, ...nothing, given: [], steps: [] }
}
