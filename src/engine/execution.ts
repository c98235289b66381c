import type { RunResult, SpecRecord } from '../result.js'
import { type Spec, tokensHeld, waits } from '../suite/spec.js'
import { type Lease, TokenBudget } from './budget.js'
import type { RunContext } from './context.js'
import type { Journal, UnitState } from './journal.js'
import { durationMs, longestFirst, tokensWanted } from './plan/plan.js'
import { type Stop, timelineOf } from './plan/timeline.js'
import { tokensNeeded, toUnits, type Unit } from './plan/units.js'
import { visitsFor } from './plan/visits.js'
import { tokensKept } from './room.js'
import { Detached } from './schedule.js'
import { INTERRUPTED, notRun, type SpecEnd, SpecRun } from './spec-run.js'

/** The most tokens that are held to see how many a Core keeps. */
const MAX_KEPT_TRIED = 40
/** How much later than planned a run may end because specs are tried again, as a factor of the plan. */
const RETRY_UNTIL = 2.5

/** What an {@link Execution} needs beside the context of the run. */
export interface ExecutionOptions {
  context: RunContext
  sessions: RunResult['dialect']['sessions']
  /** What the user allows; null: as many as one lifetime needs. */
  maxTokens: number | null
  /** What an earlier process found that the Core has room for. */
  room: number | undefined
  signal: AbortSignal
  journal: Journal | undefined
  /** Told of every outcome; the last of a spec counts. */
  ended: (spec: Spec, end: SpecEnd) => void
  /** Told when the end of all waits was planned, on the clock of the run, and for how many tokens at a time. */
  planned: (endsMs: number, tokens: number) => void
}

/** Units that wait since before, and the specs that are still to begin. */
export interface Work {
  waiting: { unit: Spec[]; state: UnitState }[]
  specs: Spec[]
}

/** Runs specs side by side, as far as the Core and the user let tokens live side by side, and tries again what has to be. */
export class Execution {
  private readonly budget: TokenBudget
  private retryUntilMs = 0
  /** What made the first try of a spec inconclusive. */
  private readonly firstTries = new Map<Spec, string>()
  private readonly blocked = new Set<Spec>()
  /** The units that have not ended. */
  private readonly open = new Set<Unit>()
  /** The units under way, with the moment of their start. */
  private readonly active = new Map<Unit, number>()

  constructor(
    private readonly options: ExecutionOptions,
    private readonly work: Work,
  ) {
    const { context, sessions, maxTokens, room } = options
    const units = [...work.waiting.map(({ unit }) => unit), ...toUnits(work.specs, context.parts)]
    const wanted = tokensWanted(units)
    // Where tokens are not independent of each other, one spec at a time has them, however many it takes.
    const isShared = sessions === 'newest' || sessions === 'same'
    this.budget = new TokenBudget(isShared ? 1 : wanted, context.schedule)
    this.budget.shrink(Math.min(room ?? wanted, maxTokens ?? wanted))
  }

  async run(): Promise<void> {
    const { context, sessions, signal, journal, ended } = this.options
    const dead = await this.runAll(this.work)
    // Tokens that die for no reason may have been pushed out by newer ones: how many a Core keeps is its own affair.
    if (!dead.length || sessions !== 'many' || signal.aborted) return
    if (context.schedule.isDetached) {
      // To try how many are kept would cost those that wait theirs.
      for (const spec of dead) ended(spec, notRun(spec, 'pending', 'its token died, which is looked into at the end'))
      return
    }
    const kept = await context.schedule.task(() => tokensKept(context, Math.min(context.session.peak, MAX_KEPT_TRIED)))
    if (kept === undefined) return this.runAlone(dead)
    this.budget.shrink(kept)
    journal?.room(kept)
    await this.runAll({ waiting: [], specs: dead })
  }

  /**
   * Runs the specs that were blocked by the death of a token once more, one after another: what another spec did at the same
   * time may have been the reason. Those that wait are left: each would take a lifetime of its own.
   */
  private async runAlone(dead: Spec[]): Promise<void> {
    for (const spec of dead) {
      if (this.blocked.has(spec) && !waits(spec)) await this.runAll({ waiting: [], specs: [spec] })
    }
  }

  /** @returns the specs whose tokens died for no reason */
  private async runAll({ waiting, specs }: Work): Promise<Spec[]> {
    const { context } = this.options
    const { lifetime, parts } = context
    const fresh = toUnits(specs, parts)
    const units = longestFirst(fresh, lifetime, tokensWanted(fresh) <= this.budget.capacity)
    const dead: Spec[] = []
    for (const unit of [...waiting.map(({ unit }) => unit), ...units]) this.open.add(unit)
    this.plan()
    const ends = await Promise.allSettled([
      ...waiting.map(({ unit, state }) => this.runUnit(unit, dead, state)),
      ...units.map(unit => this.runUnit(unit, dead)),
    ])
    const broken = ends.find(end => end.status === 'rejected')
    if (broken) throw broken.reason
    return dead
  }

  /**
   * When somebody has to come back for what waits now, on the clock of the run.
   * @param stayMs how long whoever comes back will stay for a wait to end
   */
  visits(stayMs: number): Stop[] {
    const { lifetime, schedule } = this.options.context
    const stops = [...this.active].flatMap(([unit, startMs]) =>
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

  /** Plans what has not ended, with the tokens that there is room for now. */
  private plan(): void {
    const { context, planned } = this.options
    const { lifetime, schedule } = context
    const { capacity } = this.budget
    const takesMs = durationMs(
      [...this.open].filter(unit => this.fits(unit)),
      capacity,
      lifetime,
    )
    this.retryUntilMs = Math.max(this.retryUntilMs, schedule.now() + takesMs * RETRY_UNTIL)
    planned(schedule.now() + takesMs, capacity)
  }

  /** Whether there is room for it; to a Core whose tokens depend on each other it is given all the room that there is. */
  private fits(unit: Unit): boolean {
    return !this.budget.isShrunk || tokensNeeded(unit) <= this.budget.capacity
  }

  private runUnit(unit: Unit, dead: Spec[], state?: UnitState): Promise<void> {
    const { context } = this.options
    return context.schedule.task(async () => {
      let left = unit
      for (let from = state; left.length > 0; from = undefined) left = await this.tryUnit(left, dead, from)
      this.open.delete(unit)
    })
  }

  /** @returns the specs of the unit that are to be tried again */
  private async tryUnit(unit: Unit, dead: Spec[], state: UnitState | undefined): Promise<Unit> {
    const { budget } = this
    const { ended } = this.options
    const needed = state ? tokensLeft(unit, state) : tokensNeeded(unit)
    // Who waits has its tokens, whatever there is room for now.
    if (!state && !this.fits(unit)) {
      const reason = `needs ${needed} tokens at a time; there is room for ${budget.capacity}`
      for (const spec of unit) ended(spec, notRun(spec, 'skipped', reason))
      return []
    }
    const { capacity } = budget
    let ends: SpecEnd[]
    try {
      ends = await budget.hold(needed, lease => this.runSpecs(unit, lease, state))
    } catch (error) {
      if (!(error instanceof Detached)) throw error
      for (const spec of unit) ended(spec, notRun(spec, 'pending', 'waits for its turn'))
      return []
    }
    const again: Unit = []
    const rooms: number[] = []
    for (const [index, asTold] of ends.entries()) {
      const spec = unit[index] as Spec
      const end = { ...asTold, record: untriedAgain(asTold.record) }
      const { room, died, record } = end
      if (room !== undefined) rooms.push(room)
      const isAgain = room !== undefined ? this.mayShrink(room, capacity) : this.mayRetry(spec, record)
      if (isAgain) again.push(spec)
      else ended(spec, end)
      if (died && !isAgain) dead.push(spec)
      if (record.outcome === 'blocked') this.blocked.add(spec)
    }
    if (rooms.length) this.shrink(Math.min(...rooms), capacity)
    return again
  }

  /**
   * A Core that holds fewer tokens than the run wanted is respected: fewer from now on, and the spec again. With one token at
   * a time nothing less can be tried, unless another spec has met the limit meanwhile.
   */
  private mayShrink(room: number, capacity: number): boolean {
    return this.budget.capacity < capacity || lesser(room, capacity) < this.budget.capacity
  }

  private shrink(room: number, capacity: number): void {
    if (this.budget.capacity < capacity || !this.budget.shrink(lesser(room, capacity))) return
    this.options.journal?.room(this.budget.capacity)
    this.plan()
  }

  /** A spec whose window was missed is tried once more, if that does not make the run much longer than planned. */
  private mayRetry(spec: Spec, { outcome, message }: SpecRecord): boolean {
    const { lifetime, schedule } = this.options.context
    if (outcome !== 'inconclusive' || this.firstTries.has(spec) || this.options.signal.aborted) return false
    const takesMs = timelineOf([spec], lifetime).durationMs
    if (takesMs > 0 && schedule.now() + takesMs > this.retryUntilMs) return false
    this.firstTries.set(spec, message ?? 'inconclusive')
    return true
  }

  /** Runs the specs of a unit one after another, in the time of one. */
  private async runSpecs(unit: Unit, lease: Lease, state: UnitState | undefined): Promise<SpecEnd[]> {
    const { context, signal, journal } = this.options
    const ids = unit.map(({ id }) => id)
    const needs = () => Math.max(0, ...runs.map(run => run.needs))
    const hooks = {
      begins: () => {
        lease.keep(needs())
        if (!journal) return
        const tokens = runs.flatMap(run => run.tokens).map(token => [token.number, token.state()])
        journal.waits({ specs: runs.map(run => run.state()), tokens: Object.fromEntries(tokens) })
      },
      ends: () => journal?.leaves(ids),
    }
    this.active.set(unit, state?.specs[0]?.atMs ?? context.schedule.now())
    const runs = unit.map(spec => new SpecRun(spec, context, signal, hooks, { firstTry: this.firstTries.get(spec) }))
    try {
      if (state)
        for (const [index, run] of runs.entries()) run.restore(state.specs[index] as UnitState['specs'][number])
      else await prepare(runs)
      for (const run of runs) await run.judge()
    } catch (error) {
      if (!(error instanceof Detached)) throw error
      // Also one that is over: what it would give back, the others wait with.
      return runs.map(run => run.leave(WAITING))
    }
    this.active.delete(unit)
    const ends: SpecEnd[] = []
    for (const run of runs) ends.push(await run.end())
    return ends
  }
}

async function prepare(runs: SpecRun[]): Promise<void> {
  const [first] = runs
  for (const run of runs) {
    if (first && run !== first) run.shareLogon(first)
    await run.prepare()
  }
}

/** What could not be tried again (the budget of refused logons was used up, say) is as inconclusive as it was. */
function untriedAgain(record: SpecRecord): SpecRecord {
  const { firstTry, outcome, message } = record
  if (firstTry === undefined || outcome !== 'skipped' || message === INTERRUPTED) return record
  return { ...record, outcome: 'inconclusive', message: `${firstTry}; the second try was not sent: ${message}` }
}

/** How many tokens a unit that waits still has to hold. */
function tokensLeft(unit: Unit, { specs }: UnitState): number {
  return Math.max(0, ...unit.map((spec, index) => tokensHeld(spec, specs[index]?.next)))
}

/** Why a spec is pending. */
const WAITING = 'waits for time to pass'

function lesser(room: number, capacity: number): number {
  return Math.max(Math.min(room, capacity - 1), 1)
}
