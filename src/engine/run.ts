import type { Exchange } from '../core/exchange.js'
import { Redactor } from '../core/redact.js'
import { Session } from '../core/session.js'
import { type Survey, survey, UNKNOWN_DIALECT } from '../core/survey.js'
import type { Target } from '../core/target.js'
import { alphabetOfAll } from '../core/token.js'
import { Transport } from '../core/transport.js'
import {
  type ConfigurationRecord,
  type Dialect,
  type Facts,
  RESULT_SCHEMA_VERSION,
  type RunResult,
  type SpecRecord,
} from '../result.js'
import { type Spec, type Suite, speaksHttp10, tokensHeld, waits } from '../suite/spec.js'
import { TokenBudget } from './budget.js'
import type { Clock } from './clock.js'
import { credentialVariables, SECRET_VARIABLES, targetVariables } from './credentials.js'
import { dialectFacts, sorted } from './facts.js'
import { endpointsOf, missing, unfit } from './fit.js'
import { presentable, toExchangeRecord } from './record.js'
import { makeRequest, type RequestParts } from './requests.js'
import { tokensKept } from './room.js'
import { Schedule, type ScheduleObserver } from './schedule.js'
import { INTERRUPTED, runSpec, unrun } from './spec-run.js'
import type { RunContext } from './steps.js'
import { count, type Hindrance, verdictOf } from './verdict.js'

/** The most tokens that are held to see how many a Core keeps. */
const MAX_KEPT_TRIED = 40
/** How many tokens a run holds at a time beside those that wait, so that a Core with a modest limit is not run into it. */
const TOKENS_BESIDE_WAITING = 4

/** Everything that a run needs; it reads nothing else. */
export interface RunOptions {
  suite: Suite
  /** The specs of the suite to run, in the order of the report. */
  specs: Spec[]
  target: Target
  /** `mock` for the embedded mock Core. */
  targetKind: RunResult['target']['kind']
  configuration: ConfigurationRecord
  /** Where the token stands in the logon response, when the user says so: a field name or JSON Pointer. */
  tokenField?: string
  clock: Clock
  /** Ends the run early, with all tokens given back. */
  signal: AbortSignal
  observer?: ScheduleObserver
  suiteVersion: string
}

/**
 * Runs specs against a target: the survey, then all specs side by side, then the cleaning up.
 *
 * It does not throw for anything that the target does, and every token that was issued is given back, whatever happens.
 * @returns the run result, redacted
 */
export async function runSuite(options: RunOptions): Promise<RunResult> {
  return new Run(options).run()
}

class Run {
  private readonly startedAt = new Date()
  private readonly redactor = new Redactor()
  private readonly schedule: Schedule
  private readonly parts: RequestParts
  private readonly facts: Facts = {}
  private readonly records = new Map<Spec, SpecRecord>()
  private readonly surveyed: Exchange[] = []
  private dialect: Dialect | undefined

  constructor(private readonly options: RunOptions) {
    const { clock, configuration, signal, observer, suite, target } = options
    this.schedule = new Schedule(clock, configuration.concurrency, signal, observer)
    this.redactor.hide(target.password, 'password')
    const variables = { ...credentialVariables(target), ...targetVariables(target, configuration.probePath) }
    for (const name of SECRET_VARIABLES) {
      this.redactor.hide(variables[name] ?? '', name)
    }
    this.parts = { requests: suite.requests, variables }
  }

  async run(): Promise<RunResult> {
    const { target, configuration, clock } = this.options
    const transport = await Transport.create({ target, deadlineMs: configuration.deadlineMs, now: () => clock.now() })
    const session = new Session({
      transport,
      redactor: this.redactor,
      slot: exchange => this.schedule.slot(exchange),
      pause: ms => this.schedule.until(this.schedule.now() + ms, 'the Core asks to slow down'),
      logonRequest: () => this.request('logon'),
      revokeRequest: () => this.request('revoke'),
      maxRefusedLogons: configuration.maxRefusedLogons,
    })
    let hindrance: Hindrance | undefined
    try {
      hindrance = await this.runSpecs(session)
    } catch (error) {
      hindrance = this.interrupted() ?? {
        verdict: 'incomplete',
        reason: error instanceof Error ? error.message : String(error),
      }
    }
    return this.result(transport, session, hindrance)
  }

  private async runSpecs(session: Session): Promise<Hindrance | undefined> {
    const { specs, configuration } = this.options
    const applicable = specs.filter(spec => !this.skip(spec, inapplicable(spec, configuration)))
    if (!applicable.length) return undefined
    const found = await this.schedule.task(() => this.survey(session, applicable))
    if (!found.answers) {
      const reason = found.untestable?.reason ?? 'the survey found nothing'
      for (const spec of applicable) this.records.set(spec, unrun(spec, 'blocked', reason))
      return { verdict: 'untestable', reason, ...(found.untestable?.advice && { advice: found.untestable.advice }) }
    }
    const context: RunContext = {
      parts: { ...this.parts, paths: found.paths },
      session,
      schedule: this.schedule,
      answers: found.answers,
      lifetime: { lifetimeMs: configuration.idleLifetimeMs, tolerance: configuration.idleTolerance },
      facts: this.facts,
    }
    const fits = (spec: Spec) => unfit(spec, found.dialect) ?? missing(spec, context)
    await this.runSide(
      applicable.filter(spec => !this.skip(spec, fits(spec))),
      context,
    )
    return this.interrupted()
  }

  /** Runs specs side by side, as far as the Core lets tokens live side by side. */
  private async runSide(specs: Spec[], context: RunContext): Promise<void> {
    const waiting = specs.filter(waits)
    const sessions = this.dialect?.sessions
    const wanted = waiting.reduce((sum, spec) => sum + tokensHeld(spec), 0) + TOKENS_BESIDE_WAITING
    const budget = new TokenBudget(sessions === 'many' || sessions === null ? wanted : 1, this.schedule)
    const dead = await this.runAll(specs, budget, context)
    // Tokens that die for no reason may have been pushed out by newer ones: how many a Core keeps is its own affair.
    if (!dead.length || sessions !== 'many' || this.options.signal.aborted) return
    const kept = await this.schedule.task(() => tokensKept(context, Math.min(context.session.peak, MAX_KEPT_TRIED)))
    if (kept === undefined) return
    budget.shrink(kept)
    await this.runAll(dead, budget, context)
  }

  /** @returns the specs whose tokens died for no reason */
  private async runAll(specs: Spec[], budget: TokenBudget, context: RunContext): Promise<Spec[]> {
    const dead: Spec[] = []
    const runOne = (spec: Spec): Promise<void> =>
      this.schedule.task(async () => {
        for (;;) {
          if (budget.isShrunk && tokensHeld(spec) > budget.capacity) {
            const reason = `needs ${tokensHeld(spec)} tokens at a time; this Core has room for ${budget.capacity}`
            this.records.set(spec, unrun(spec, 'skipped', reason))
            return
          }
          const { capacity } = budget
          const { record, room, died } = await budget.hold(tokensHeld(spec), () =>
            runSpec(spec, context, this.options.signal),
          )
          this.records.set(spec, record)
          if (died) dead.push(spec)
          // A Core that holds fewer tokens than the run wanted is respected: fewer from now on, and this spec again.
          if (room === undefined) return
          // Unless another spec has met the limit meanwhile. With one token at a time, nothing less can be tried.
          if (budget.capacity < capacity) continue
          if (!budget.shrink(Math.max(Math.min(room, capacity - 1), 1))) return
        }
      })
    // Those that wait start first: their time runs while the others work.
    const ordered = [...specs.filter(waits), ...specs.filter(spec => !waits(spec))]
    const ends = await Promise.allSettled(ordered.map(runOne))
    const broken = ends.find(end => end.status === 'rejected')
    if (broken) throw broken.reason
    return dead
  }

  private async survey(session: Session, specs: Spec[]): Promise<Survey> {
    const { configuration, tokenField } = this.options
    const found = await survey({
      session,
      probe: this.request('access'),
      logon: this.request('logon'),
      endpoints: endpointsOf(specs, this.parts),
      accessControl: configuration.accessControl,
      tokenField,
      needsHttp10: specs.some(speaksHttp10),
    })
    this.surveyed.push(...found.exchanges)
    this.dialect = found.dialect
    return found
  }

  private interrupted(): Hindrance | undefined {
    return this.options.signal.aborted ? { verdict: 'incomplete', reason: INTERRUPTED } : undefined
  }

  private skip(spec: Spec, reason: string | undefined): boolean {
    if (reason !== undefined) this.records.set(spec, unrun(spec, 'skipped', reason))
    return reason !== undefined
  }

  private request(name: string) {
    return makeRequest(this.parts, name)
  }

  private result(transport: Transport, session: Session, hindrance: Hindrance | undefined): RunResult {
    const { options } = this
    const { configuration, target, clock, suite } = options
    const specs = options.specs.map(
      spec => this.records.get(spec) ?? unrun(spec, 'skipped', hindrance?.reason ?? INTERRUPTED),
    )
    const counts = count(specs)
    const { certificateFingerprint } = transport
    const dialect = withAlphabet(this.dialect ?? UNKNOWN_DIALECT, session)
    const present = <T>(value: T): T => presentable(value, text => this.redactor.text(text))
    return {
      schemaVersion: RESULT_SCHEMA_VERSION,
      suite: { name: 'core-conformance', version: options.suiteVersion, specsDigest: suite.digest },
      target: {
        url: target.url.origin,
        kind: options.targetKind,
        ...(certificateFingerprint && { certificateFingerprint }),
      },
      startedAt: this.startedAt.toISOString(),
      durationMs: Date.now() - this.startedAt.getTime(),
      time: clock.leap ? 'virtual' : 'real',
      configuration,
      dialect: present(dialect),
      facts: present(sorted({ ...dialectFacts(dialect), ...this.facts })),
      ...present(verdictOf(counts, hindrance)),
      counts,
      tokens: { issued: new Set(session.tokens.map(({ value }) => value)).size, left: session.left },
      refusedLogons: session.refusedLogons,
      notices: present(this.notices(specs, session.left)),
      survey: present(this.surveyed.map(toExchangeRecord)),
      specs: specs.map(spec => {
        const { steps, exchanges, message } = spec
        return { ...spec, ...present({ steps, exchanges, ...(message !== undefined && { message }) }) }
      }),
    }
  }

  private notices(specs: SpecRecord[], left: number): string[] {
    const { configuration } = this.options
    const notices: string[] = []
    const untried = specs.filter(({ message }) => message === QUICK).length
    if (untried)
      notices.push(`the quick profile left out ${untried} specs that wait for time to pass: expiry was not tested`)
    if (configuration.only.length) notices.push(`only ${configuration.only.join(', ')} was selected`)
    if (left) {
      notices.push(`${left} tokens could not be revoked: they stay live until they have been unused for their lifetime`)
    }
    return notices
  }
}

/** The dialect with the alphabet of all tokens of the run: the first, which the survey saw, need not show all of it. */
function withAlphabet(dialect: Dialect, { tokens }: Session): Dialect {
  if (!dialect.token) return dialect
  return { ...dialect, token: { ...dialect.token, alphabet: alphabetOfAll(tokens.map(({ value }) => value)) } }
}

const QUICK = 'waits for time to pass, which --profile quick leaves out'

/** Why a spec does not apply to a run of this configuration. */
function inapplicable(spec: Spec, { accessControl, profile }: ConfigurationRecord): string | undefined {
  if (spec.accessControl !== accessControl) return `applies to a Core with access control ${spec.accessControl}`
  return profile === 'quick' && waits(spec) ? QUICK : undefined
}
