import type { Token } from '../../core/token.js'
import type { RunEvent } from '../../result.js'
import type { Spec } from '../../suite/spec.js'
import type { ExploreMeans } from '../explorer.js'
import type { UnitState } from '../journal.js'
import { durationMs, longestFirst, tokensWanted } from '../plan/plan.js'
import { type Stop, timelineOf } from '../plan/timeline.js'
import { tokensNeeded, toUnits, type Unit } from '../plan/units.js'
import { visitsFor } from '../plan/visits.js'
import { notRun } from '../spec-end.js'
import type { SpecRun } from '../spec-run.js'
import { type TokenLoss, Watch } from '../watch.js'
import { lossText } from './common-death.js'
import { keepsFewer } from './kept.js'
import type { Attempt, PhaseContext } from './phase.js'
import { Quiet } from './quiet.js'
import { settled } from './together.js'
import { UnitRunner } from './unit-runner.js'

/** How much later than planned a run may end because specs are tried again, as a factor of the plan. */
const RETRY_UNTIL = 2.5
/** How many tokens the watch holds at the most. */
const WATCH_TOKENS = 4

/** Units that wait since before, and the specs that are still to begin. */
export interface WaitWork {
  waiting: { unit: Unit; state: UnitState }[]
  specs: Spec[]
}

/** What the phase tells of beside outcomes. */
export interface WaitHooks {
  /** Told when the end of all waits was planned, on the clock of the run, and for how many tokens at a time. */
  planned: (endsMs: number, tokens: number) => void
  /** Told of what befell the Core as a whole. */
  happened: (event: RunEvent) => void
  /** Called once, when specs begin to wait: explores meanwhile. `held`: so many tokens these and the watch hold. */
  explore?: (held: number, means: Pick<ExploreMeans, 'over' | 'endsMs' | 'quiet'>) => Promise<void>
}

/**
 * Runs the specs that wait for tokens to get old, all in the time of the longest. Tokens are left in peace meanwhile: what
 * logs on or revokes does so while no other looks, before or after all else where it can; and tokens are given back at the end.
 */
export class Waits {
  private readonly runner: UnitRunner
  private readonly quiet: Quiet
  private readonly watch: Watch
  private readonly explained = new Map<Spec, TokenLoss>()
  private readonly deferred: Token[] = []
  private readonly begun = new Map<Unit, () => void>()
  /** The units that have not ended. */
  private readonly open = new Set<Unit>()
  private retryUntilMs = 0
  private endsMs = 0
  private isExplored = false
  private isWatching = false
  private reach: readonly Spec[] = []

  constructor(
    private readonly phase: PhaseContext,
    private readonly hooks: WaitHooks,
  ) {
    const { schedule } = phase.context
    this.quiet = new Quiet(schedule)
    this.watch = new Watch(phase.context)
    this.runner = new UnitRunner(phase, {
      gate: () => this.quiet.gate(),
      begun: unit => this.begun.get(unit)?.(),
      died: run => this.explain(run),
      defer: tokens => this.defer(tokens),
      shrunk: () => this.plan(),
      retryUntilMs: () => this.retryUntilMs,
    })
  }

  /**
   * Runs them all, and tells their outcomes.
   * @param reach the specs that showed that on this Core requests reach the tokens of others
   */
  async run({ waiting, specs }: WaitWork, reach: readonly Spec[] = []): Promise<void> {
    if (!waiting.length && !specs.length) return
    this.reach = reach
    const { schedule } = this.phase.context
    try {
      const attempts = await this.all({ waiting, specs })
      const dead = attempts.filter(({ spec, end }) => end.dead && !this.explained.has(spec))
      if (!dead.length) return this.tell(attempts)
      this.tell(attempts.filter(attempt => !dead.includes(attempt)))
      if (schedule.isDetached) {
        const why = 'its token died, which is looked into at the end'
        return this.tell(dead.map(({ spec }) => ({ spec, end: notRun(spec, 'pending', why) })))
      }
      const isLimit = await keepsFewer(this.phase)
      this.tell(isLimit ? await this.all({ waiting: [], specs: dead.map(({ spec }) => spec) }) : dead)
    } finally {
      // Who comes back cannot tell by tokens that nobody used meanwhile.
      await this.giveBack(schedule.isDetached ? this.watch.all() : [...this.deferred.splice(0), ...this.watch.all()])
    }
  }

  /**
   * When somebody has to come back for what waits now, on the clock of the run.
   * @param stayMs how long whoever comes back will stay for a wait to end
   */
  visits(stayMs: number): Stop[] {
    const { lifetime, schedule } = this.phase.context
    const stops = [...this.runner.active].flatMap(([unit, startMs]) =>
      timelineOf(unit, lifetime).stops.map(({ fromMs, untilMs }) => ({
        fromMs: startMs + fromMs,
        untilMs: startMs + untilMs,
      })),
    )
    const nowMs = schedule.now()
    const visits = visitsFor(
      stops.filter(({ fromMs }) => fromMs > nowMs),
      // To start takes time, too.
      stayMs / 5,
    )
    return visits.map(({ fromMs, untilMs }) => ({ fromMs: Math.max(fromMs - stayMs, nowMs), untilMs }))
  }

  private async all({ waiting, specs }: WaitWork): Promise<Attempt[]> {
    const { parts, lifetime, schedule } = this.phase.context
    const { budget } = this.phase
    const fresh = toUnits(specs, parts)
    const wanted = tokensWanted(fresh)
    const units = longestFirst(fresh, lifetime, wanted <= budget.capacity)
    for (const unit of [...waiting.map(({ unit }) => unit), ...units]) this.open.add(unit)
    this.plan()
    const ends: Promise<Attempt[]>[] = waiting.map(({ unit, state }) => this.runUnit(unit, state))
    // Where tokens are scarce, none is spent on watching: each round more would take a lifetime. Nor for what waits since
    // before, when nobody watched.
    const held = units.reduce((sum, unit) => sum + tokensNeeded(unit), 0)
    this.isWatching = !waiting.length && held + WATCH_TOKENS <= budget.capacity
    await schedule.task(async () => {
      if (this.isWatching) await this.watch.start()
      // What revokes before its first wait does so before others hold tokens.
      for (const unit of units.filter(revokesFirst)) await this.begin(unit, ends)
    })
    ends.push(...units.filter(unit => !revokesFirst(unit)).map(unit => this.runUnit(unit)))
    const over = new AbortController()
    // Whatever ends it, a wait of the units ends by it too, and tells.
    const watching = this.isWatching ? schedule.task(() => this.watch.keep(over.signal)).catch(() => {}) : undefined
    const exploring = this.explore(over.signal, held + (this.isWatching ? WATCH_TOKENS : 0))
    try {
      return (await settled(ends)).flat()
    } finally {
      over.abort()
      await watching
      await exploring
    }
  }

  /** Lets the explorer do its part beside the specs, once. @param held how many tokens these and the watch hold */
  private explore(over: AbortSignal, held: number): Promise<void> | undefined {
    const { explore } = this.hooks
    if (this.isExplored || !explore) return undefined
    this.isExplored = true
    return explore(held, { over, endsMs: this.endsMs, quiet: this.quiet })
  }

  /**
   * Starts a unit, and waits until it has come to its first wait, or to its end.
   * @param ends gets how it ends
   */
  private async begin(unit: Unit, ends: Promise<Attempt[]>[]): Promise<void> {
    await this.phase.context.schedule.park(resume => {
      this.begun.set(unit, resume)
      const end = this.runUnit(unit)
      end.then(resume, resume)
      ends.push(end)
    })
  }

  private async runUnit(unit: Unit, state?: UnitState): Promise<Attempt[]> {
    const attempts = await this.runner.run(unit, state)
    this.open.delete(unit)
    return attempts
  }

  /** Plans what has not ended, with the tokens that there is room for now. */
  private plan(): void {
    const { lifetime, schedule } = this.phase.context
    const { budget } = this.phase
    const fitting = [...this.open].filter(unit => budget.fits(tokensNeeded(unit)))
    const takesMs = durationMs(fitting, budget.capacity, lifetime)
    this.retryUntilMs = Math.max(this.retryUntilMs, schedule.now() + takesMs * RETRY_UNTIL)
    this.endsMs = schedule.now() + takesMs
    this.hooks.planned(this.endsMs, budget.capacity)
  }

  private async explain(run: SpecRun): Promise<void> {
    const token = run.deadToken
    const loss = this.isWatching && token ? await this.watch.explain(token) : undefined
    if (loss) this.explained.set(run.spec, loss)
  }

  /** Keeps tokens to be given back at the end, unless somebody waits for the room. */
  private defer(tokens: readonly Token[]): boolean {
    if (this.phase.budget.isWanted || this.phase.signal.aborted) return false
    this.deferred.push(...tokens)
    return true
  }

  private async giveBack(tokens: Token[]): Promise<void> {
    const { schedule, session } = this.phase.context
    await schedule.task(() => Promise.all(tokens.map(token => session.giveBack([token], []))))
  }

  /** Tells the outcomes. Where all tokens were lost at once, and once only, what died with them bears no verdict. */
  private tell(attempts: Attempt[]): void {
    const { losses } = this.watch
    // Where requests are known to reach the tokens of others, one that all died of is no restart.
    const isEvent = losses.length === 1 && this.reach.length === 0
    const reached = this.reach.length > 0 && `requests reach the tokens of others on this Core (${idsOf(this.reach)})`
    for (const { spec, end } of attempts) {
      const loss = this.explained.get(spec)
      const why = isEvent && loss ? lossText(loss) : end.dead && reached
      this.phase.ended(spec, why ? excused(end, why) : end)
    }
    const [loss] = losses
    const specs = [...this.explained.keys()].map(({ id }) => id).sort()
    if (isEvent && loss) this.hooks.happened({ kind: 'tokens lost', text: lossText(loss), ...loss, specs })
  }
}

/** An end that bears no verdict, since its token may have died for a reason that is no matter of the spec. */
function excused(end: Attempt['end'], why: string): Attempt['end'] {
  const { record } = end
  return {
    ...end,
    record: { ...record, outcome: 'inconclusive', message: `${why}; so this tells nothing: ${record.message}` },
  }
}

function idsOf(specs: readonly Spec[]): string {
  return specs.map(({ id }) => id).join(', ')
}

/** Whether a unit revokes a token before its first wait. */
function revokesFirst(unit: Unit): boolean {
  return unit.some(({ given, steps }) => {
    const all = [...given, ...steps]
    const wait = all.findIndex(({ action }) => action === 'wait')
    return all.slice(0, wait).some(step => step.action === 'send' && step.role === 'revoke')
  })
}
