/** Runs the specs that wait. Over 250 lines, since what holds tokens while time passes is decided in one place. */
import type { Token } from '../../core/token.js'
import { allSteps, isSpread, type Spec } from '../../suite/spec.js'
import type { Meanwhile } from '../explorer.js'
import type { UnitState } from '../journal.js'
import { durationMs, longestFirst, tokensWanted } from '../plan/plan.js'
import { type Stop, timelineOf, visitsFor } from '../plan/timeline.js'
import { keepsAlive, revokesFirst, staysUnused, tokensNeeded, toUnits, type Unit } from '../plan/units.js'
import { lossText, TOKENS_LOST } from '../run-events.js'
import { LITTLE_ROOM, notRun } from '../spec-end.js'
import type { SpecRun } from '../spec-run.js'
import { type TokenLoss, Watch } from '../watch.js'
import { type Attempt, latest, type PhaseContext, withRoom } from './phase.js'
import { Quiet } from './quiet.js'
import { allSettled, isLate } from './together.js'
import { UnitRunner } from './unit-runner.js'

/** How much longer than planned a run may take because specs are tried again, as a factor of the plan. */
const RETRY_UNTIL = 2.5
/** What looked too late may take this part of the time of the run so far once more, with less going on. */
const LESS_GOING_ON = 0.5
/** Most tokens that the watch holds. */
const WATCH_TOKENS = 4

/** Units that wait since an earlier process, and specs that are still to begin. */
export interface WaitWork {
  waiting: { unit: Unit; state: UnitState }[]
  specs: Spec[]
  /** Called once the oldest token is held, before all others are issued. */
  oldestHeld?: () => Promise<void>
}

/**
 * Runs the specs that wait for tokens to get old, all in the time of the longest. Their tokens are left in peace
 * meanwhile. Steps that log on or revoke run while no other spec looks, and where possible before or after everything
 * else. Tokens are given back at the end.
 */
export class Waits {
  private readonly runner: UnitRunner
  private readonly quiet: Quiet
  private readonly watch: Watch
  private readonly explained = new Map<Spec, TokenLoss>()
  private readonly deferred: Token[] = []
  /** The units that have not ended. */
  private readonly open = new Set<Unit>()
  private retryUntilMs = 0
  private endsMs = 0
  private isWatching = false
  private reach: readonly Spec[] = []

  /**
   * @param explore called when specs begin to wait: lets the explorer work meanwhile, once; `held`: tokens that the specs and the
   *   watch hold; absent: the run does not explore
   */
  constructor(
    private readonly phase: PhaseContext,
    private readonly explore?: (held: number, means: Meanwhile) => Promise<void>,
  ) {
    const { schedule, session } = phase.context
    this.quiet = new Quiet(schedule, () => session.connections.most(Number.POSITIVE_INFINITY))
    this.watch = new Watch(phase.context)
    this.runner = new UnitRunner(phase, {
      gate: () => this.quiet.gate(),
      died: run => this.explain(run),
      defer: run => this.defer(run),
      shrunk: () => this.plan(),
      retryUntilMs: () => this.retryUntilMs,
    })
  }

  /**
   * Runs all of them, and reports their outcomes.
   * @param reach the specs that showed that requests affect the tokens of others on this Core
   */
  async run({ waiting, specs, oldestHeld }: WaitWork, reach: readonly Spec[] = []): Promise<void> {
    if (!waiting.length && !specs.length) return oldestHeld?.()
    this.reach = reach
    const { schedule } = this.phase.context
    try {
      const first = await this.unhurried(
        await this.all({ waiting, specs: this.withoutSpread(specs), ...(oldestHeld && { oldestHeld }) }),
      )
      const attempts = await this.undisturbed(first)
      this.reach = [...reach, ...attempts.filter(showsReach).map(({ spec }) => spec)]
      const dead = attempts.filter(({ spec, end }) => end.dead && !this.explained.has(spec))
      if (!dead.length) return this.tell(attempts)
      this.tell(attempts.filter(attempt => !dead.includes(attempt)))
      if (schedule.isDetached) {
        const why = 'its token died, which is looked into at the end'
        return this.tell(dead.map(({ spec }) => ({ spec, end: notRun(spec, 'pending', why) })))
      }
      this.tell(await withRoom(this.phase, dead, dead, again => this.all({ waiting: [], specs: again })))
    } finally {
      // A detached run gives the watch's tokens back too: tokens that were unused meanwhile show nothing to the next
      // process.
      await this.giveBack(schedule.isDetached ? this.watch.all() : [...this.deferred.splice(0), ...this.watch.all()])
    }
  }

  /**
   * Returns when another process has to continue the waits, on the clock of the run.
   * @param stayMs how long that process stays for a wait to end
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
      // A process also needs time to start.
      stayMs / 5,
    )
    return visits.map(({ fromMs, untilMs }) => ({ fromMs: Math.max(fromMs - stayMs, nowMs), untilMs }))
  }

  /**
   * Skips the specs that spread their requests over the waits of others, where these could harm those. They log on again
   * and again.
   */
  private withoutSpread(specs: Spec[]): Spec[] {
    const { context, budget, stays } = this.phase
    const why = !stays
      ? 'this process does not stay while specs wait'
      : context.dialect.sessions !== 'many' || this.reach.length > 0
        ? 'logons affect the tokens of others on this Core, and specs wait meanwhile'
        : budget.isShrunk
          ? LITTLE_ROOM
          : undefined
    if (why === undefined) return specs
    for (const spec of specs.filter(isSpread)) this.phase.ended(spec, notRun(spec, 'skipped', why))
    return specs.filter(spec => !isSpread(spec))
  }

  /**
   * Runs what looked too late once more: by itself, and what is late again one after another. On a Core that limits how often it is
   * asked, many at a time keep each other from their moments.
   */
  private async unhurried(attempts: Attempt[]): Promise<Attempt[]> {
    const { schedule, lifetime, signal } = this.phase.context
    const untilMs = schedule.now() * (1 + LESS_GOING_ON)
    let last = attempts
    const isOver = (specs: Spec[]) => {
      const takesMs = timelineOf(specs, lifetime).durationMs
      return signal.aborted || schedule.isDetached || schedule.now() + takesMs > untilMs
    }
    const late = () => last.filter(({ end }) => isLate(end)).map(({ spec }) => spec)
    for (const specs of [late(), ...late().map(spec => [spec])]) {
      const open = specs.filter(spec => late().includes(spec))
      if (open.length === 0 || isOver(open)) continue
      last = latest(last, await this.all({ waiting: [], specs: open }))
    }
    return last
  }

  /**
   * Runs what failed once more where something that was sent meanwhile explains it better than time does. Now nothing else is sent: what
   * passes was no matter of time, and what else it was stays in doubt. What itself ended a token that it watched did not fail for time.
   */
  private async undisturbed(attempts: Attempt[]): Promise<Attempt[]> {
    const { doubted, context } = this.phase
    const isOver = context.schedule.isDetached || context.signal.aborted
    const again = isOver ? [] : doubted(attempts.filter(each => !showsReach(each)))
    if (!again.length) return attempts
    for (const { spec, end } of again) this.runner.triesAgain(spec, end.record.message ?? end.record.outcome)
    return latest(attempts, await this.all({ waiting: [], specs: again.map(({ spec }) => spec) }))
  }

  private async all({ waiting, specs, oldestHeld }: WaitWork): Promise<Attempt[]> {
    const { parts, lifetime, schedule } = this.phase.context
    const { budget } = this.phase
    const fresh = toUnits(specs, parts)
    const wanted = tokensWanted(fresh)
    const units = longestFirst(fresh, lifetime, wanted <= budget.capacity)
    for (const unit of [...waiting.map(({ unit }) => unit), ...units]) this.open.add(unit)
    this.plan()
    const ends: Promise<Attempt[]>[] = waiting.map(({ unit, state }) => this.start(unit, state).ended)
    // Where tokens are scarce the watch gets none: each further round would take a lifetime. Units that wait since an
    // earlier process have no watch either: nobody watched before. And nobody asks it where every token is to expire.
    const held = units.reduce((sum, unit) => sum + tokensNeeded(unit), 0)
    this.isWatching = !waiting.length && units.some(keepsAlive) && held + WATCH_TOKENS <= budget.capacity
    // What requests do to the oldest token shows on one that is not used meanwhile.
    const oldest = this.isWatching ? units.filter(staysUnused) : []
    // Units that revoke before their first wait do so before others hold tokens.
    const first = [...oldest, ...units.filter(unit => revokesFirst(unit) && !oldest.includes(unit))]
    await schedule.task(async () => {
      for (const unit of oldest) await this.begin(unit, ends)
    })
    await oldestHeld?.()
    await schedule.task(async () => {
      if (this.isWatching) await this.watch.start()
      for (const unit of first.slice(oldest.length)) await this.begin(unit, ends)
    })
    // On a slow Core that took a while.
    this.plan()
    ends.push(...units.filter(unit => !first.includes(unit)).map(unit => this.start(unit).ended))
    const over = new AbortController()
    // An error that ends the watch also ends a wait of the units, which report it.
    const watching = this.isWatching ? schedule.task(() => this.watch.keep(over.signal)).catch(() => {}) : undefined
    const meanwhile = { over: over.signal, endsMs: this.endsMs, quiet: this.quiet }
    const exploring = this.explore?.(held + (this.isWatching ? WATCH_TOKENS : 0), meanwhile)
    try {
      return (await allSettled(ends)).flat()
    } finally {
      over.abort()
      await watching
      await exploring
    }
  }

  /**
   * Starts a unit, and waits until it has come to its first wait, or to its end.
   * @param ends receives the promise of its end
   */
  private async begin(unit: Unit, ends: Promise<Attempt[]>[]): Promise<void> {
    const { begun, ended } = this.start(unit)
    ends.push(ended)
    await this.phase.context.schedule.park(resume => void begun.then(resume))
  }

  private start(unit: Unit, state?: UnitState): ReturnType<UnitRunner['start']> {
    const started = this.runner.start(unit, state)
    started.ended.then(
      () => this.open.delete(unit),
      () => {},
    )
    return started
  }

  /** Plans the units that have not ended, with the tokens that there is room for now. */
  private plan(): void {
    const { lifetime, schedule } = this.phase.context
    const { budget } = this.phase
    const fitting = [...this.open].filter(unit => budget.fits(tokensNeeded(unit)))
    const takesMs = durationMs(fitting, Math.min(budget.capacity, this.runner.mostTogether()), lifetime)
    this.retryUntilMs = Math.max(this.retryUntilMs, schedule.now() + takesMs * RETRY_UNTIL)
    this.endsMs = schedule.now() + takesMs
    this.phase.planned(this.endsMs, budget.capacity)
  }

  private async explain(run: SpecRun): Promise<void> {
    const token = run.deadToken
    const loss = this.isWatching && token ? await this.watch.explain(token) : undefined
    if (loss) this.explained.set(run.spec, loss)
  }

  /**
   * Keeps tokens to give them back at the end, unless the Core has little room. After the oldest of all another one is the oldest, so it
   * is given back at once.
   */
  private defer({ spec, tokens }: SpecRun): boolean {
    const { budget, context } = this.phase
    if (budget.isWanted || budget.isShrunk || context.signal.aborted || staysUnused([spec])) return false
    this.deferred.push(...tokens)
    return true
  }

  private async giveBack(tokens: Token[]): Promise<void> {
    const { schedule, session } = this.phase.context
    await Promise.all(tokens.map(token => schedule.task(() => session.giveBack([token], []))))
  }

  /**
   * Reports the outcomes. Where all tokens were lost at once, and only once, specs whose tokens died in it get no
   * verdict.
   */
  private tell(attempts: Attempt[]): void {
    const { losses } = this.watch
    // Where requests affect the tokens of others, a loss of all tokens is no sign of a restart.
    const isEvent = losses.length === 1 && this.reach.length === 0
    const reached = this.reach.length > 0 && `requests affect the tokens of others on this Core (${idsOf(this.reach)})`
    for (const { spec, end } of attempts) {
      const loss = this.explained.get(spec)
      const why = isEvent && loss ? lossText(loss, this.phase.context) : end.dead && reached
      this.phase.ended(spec, why ? excused(end, why) : end)
    }
    const [loss] = losses
    const specs = [...this.explained.keys()].map(({ id }) => id).sort()
    if (isEvent && loss)
      this.phase.happened({ kind: TOKENS_LOST, text: lossText(loss, this.phase.context), ...loss, specs })
  }
}

/** Whether a spec showed that requests end tokens that they should leave alone, beside which others waited. */
function showsReach({ spec, end }: Attempt): boolean {
  const { outcome, steps } = end.record
  return outcome === 'failed' && allSteps(spec).some((step, at) => 'spares' in step && steps[at]?.outcome === 'miss')
}

/** Makes an end inconclusive whose token may have died for a reason outside its spec. */
function excused(end: Attempt['end'], why: string): Attempt['end'] {
  const { record } = end
  return {
    ...end,
    record: { ...record, outcome: 'inconclusive', message: `${why}, so this shows nothing: ${record.message}` },
  }
}

function idsOf(specs: readonly Spec[]): string {
  return specs.map(({ id }) => id).join(', ')
}
