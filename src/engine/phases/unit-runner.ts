/** Runs units. Over 250 lines, since what is tried again depends on all that came of the specs of a unit. */
import type { Token } from '../../core/token.js'
import type { SpecRecord } from '../../result.js'
import { type Spec, tokensHeld } from '../../suite/spec.js'
import type { Lease } from '../budget.js'
import type { UnitState } from '../journal.js'
import { timelineOf } from '../plan/timeline.js'
import { isJoined, tokensNeeded, type Unit } from '../plan/units.js'
import { Detached } from '../schedule.js'
import { INTERRUPTED, notRun, type SpecEnd } from '../spec-end.js'
import { SpecRun } from '../spec-run.js'
import type { WaitHooks } from '../steps/spec-talk.js'
import { withMoreRoom } from '../window.js'
import { ofJoined, runJoined, sharedLease } from './joined.js'
import type { Meeting } from './meeting.js'
import { type Attempt, fewerTokens, formFor, noRoom, type PhaseContext } from './phase.js'
import type { Gate } from './quiet.js'

/** Differences between the phases in running units. */
export interface UnitHooks {
  /** Keeps the stretches between waits apart from those of other units. */
  gate?: () => Gate
  /** Lets units wait for each other before they give their tokens back. */
  meeting?: Meeting
  /** Asked about a run whose token died, before it ends. */
  died?: (run: SpecRun) => Promise<void>
  /** Takes the tokens of a run to give them back later. False: give them back now. */
  defer?: (run: SpecRun) => boolean
  /** Called when the room for tokens was found to be smaller. */
  shrunk?: () => void
  /** Until when a spec that missed its window may be tried again, on the clock of the run. */
  retryUntilMs?: () => number
}

/**
 * How old a token may get, as a fraction of the lifetime, until all tokens of the same look are issued. Most of the
 * lifetime is for the looks.
 */
const YOUNG = 0.3
/** A token is issued and used, or looked at twice, in that time. */
const REQUESTS_EACH = 2

/**
 * Runs units within the token budget: each unit takes all its tokens before it starts. Runs a spec again where the Core
 * had less room than the budget said, and once more where its window was missed.
 */
export class UnitRunner {
  /** The message of the first, inconclusive try of a spec. */
  private readonly firstTries = new Map<Spec, string>()
  /** Called when a unit has begun. */
  private readonly begun = new Map<Unit, () => void>()
  /** The units under way, with the time of their start. */
  readonly active = new Map<Unit, number>()

  constructor(
    private readonly phase: PhaseContext,
    private readonly hooks: UnitHooks = {},
  ) {}

  /** Notes that a spec has been tried before. @param message what the first try showed */
  triesAgain(spec: Spec, message: string): void {
    this.firstTries.set(spec, message)
  }

  /**
   * Runs a unit to the end of all its specs.
   * @param state the state that an earlier process left of it
   */
  run(unit: Unit, state?: UnitState): Promise<Attempt[]> {
    return this.start(unit, state).ended
  }

  /**
   * Runs a unit, and tells when it has begun: it has come to its first wait, to the moment that it waits for late effects, or to its end.
   * Whoever waits for `ended` hears of an error.
   */
  start(unit: Unit, state?: UnitState): { begun: Promise<void>; ended: Promise<Attempt[]> } {
    const begun = new Promise<void>(resolve => this.begun.set(unit, resolve))
    const ended = this.toEnd(unit, state)
    ended.catch(() => {})
    return { begun, ended }
  }

  private toEnd(unit: Unit, state?: UnitState): Promise<Attempt[]> {
    return this.phase.context.schedule.task(async () => {
      const attempts: Attempt[] = []
      try {
        let left = unit
        for (let from = state; left.length > 0; from = undefined) left = await this.tryUnit(left, attempts, from)
        return attempts
      } finally {
        this.begun.get(unit)?.()
      }
    })
  }

  /**
   * Runs a unit once.
   * @param attempts receives the attempts that are not tried again
   * @returns the specs to try again
   */
  private async tryUnit(unit: Unit, attempts: Attempt[], state: UnitState | undefined): Promise<Unit> {
    const { budget } = this.phase
    const give = (spec: Spec, end: SpecEnd) => attempts.push({ spec, end })
    // A unit that waits holds its tokens already, even where the budget is smaller now.
    const needed = state ? tokensLeft(unit, state) : tokensNeeded(unit)
    const [single] = unit.length === 1 ? unit : []
    const form = single && formFor(single, this.phase)
    if (single && form && form !== single && !state) return this.tryNarrow(single, form, attempts)
    if (!state && !budget.fits(needed)) {
      if (isJoined(unit)) {
        for (const spec of unit) attempts.push(...(await this.run([spec])))
        return []
      }
      for (const spec of unit) give(spec, noRoom(spec, budget))
      return []
    }
    const { capacity } = budget
    let ends: SpecEnd[]
    try {
      ends = await budget.hold(
        needed,
        lease => this.runSpecs(unit, lease, state),
        () => this.mostTogether(),
      )
    } catch (error) {
      if (!(error instanceof Detached)) throw error
      for (const spec of unit) give(spec, notRun(spec, 'pending', 'waits for its turn'))
      return []
    }
    const again = this.sortOut(unit, ends, capacity, give)
    if (!isJoined(again) || !again.every(spec => this.firstTries.has(spec))) return again
    // Together they took longer than their tokens live.
    const half = Math.ceil(again.length / 2)
    for (const part of [again.slice(0, half), again.slice(half)]) attempts.push(...(await this.run(part)))
    return []
  }

  /**
   * Returns how many tokens can be issued, or looked at, before the first of them gets old. Units that wait for each other use theirs
   * meanwhile: only a limit on logons keeps those from being issued.
   */
  mostTogether(): number {
    const { session, lifetime, answerMs } = this.phase.context
    const eachMs = this.hooks.meeting
      ? session.pacer.spacingMs('logon')
      : (answerMs * REQUESTS_EACH) / session.connections.capacity
    return eachMs > 0 ? (lifetime.lifetimeMs * YOUNG) / eachMs : Number.POSITIVE_INFINITY
  }

  /** Runs the form of a spec that needs fewer tokens. */
  private async tryNarrow(spec: Spec, narrow: Spec, attempts: Attempt[]): Promise<Unit> {
    const ends: Attempt[] = []
    for (let left: Unit = [narrow]; left.length > 0; ) left = await this.tryUnit(left, ends, undefined)
    attempts.push(...ends.map(({ end }) => ({ spec, end })))
    return []
  }

  private sortOut(unit: Unit, ends: SpecEnd[], capacity: number, give: (spec: Spec, end: SpecEnd) => void): Unit {
    const again: Unit = []
    const rooms: number[] = []
    for (const [index, asTold] of ends.entries()) {
      const spec = unit[index] as Spec
      const end = { ...asTold, record: untriedAgain(asTold.record) }
      const { room } = end
      if (room !== undefined) rooms.push(room)
      // With one token at a time, fewer cannot be tried, unless another spec has met the limit meanwhile.
      const mayShrink = room !== undefined && this.phase.budget.wouldShrink(fewerTokens(room, capacity), capacity)
      if (mayShrink || (room === undefined && this.mayRetry(spec, unit, end.record))) again.push(spec)
      else give(spec, end)
    }
    if (rooms.length) this.shrink(fewerTokens(Math.min(...rooms), capacity), capacity)
    return again
  }

  private shrink(room: number, capacity: number): void {
    const { budget, journal } = this.phase
    if (budget.capacity < capacity || !budget.shrink(room)) return
    journal?.room(budget.capacity)
    this.hooks.shrunk?.()
  }

  /**
   * Whether to try a spec of a unit once more that missed its window: only where the run does not get much longer than planned.
   */
  private mayRetry(spec: Spec, unit: Unit, { outcome, message }: SpecRecord): boolean {
    const { context } = this.phase
    const { retryUntilMs } = this.hooks
    // Those that share tokens are halved each time.
    const isTried = this.firstTries.has(spec) && !isJoined(unit)
    if (outcome !== 'inconclusive' || isTried || context.signal.aborted) return false
    const takesMs = timelineOf([spec], context.lifetime).durationMs
    if (takesMs > 0 && retryUntilMs && context.schedule.now() + takesMs > retryUntilMs()) return false
    if (!this.firstTries.has(spec)) this.firstTries.set(spec, message ?? 'inconclusive')
    return true
  }

  /** Runs the specs of a unit one after another, with one shared wait. */
  private async runSpecs(unit: Unit, lease: Lease, state: UnitState | undefined): Promise<SpecEnd[]> {
    const { context, journal } = this.phase
    const gate = this.hooks.gate?.()
    const ids = unit.map(({ id }) => id)
    const hooks: WaitHooks = {
      ...(gate && { gate }),
      begins: () => {
        lease.keep(Math.max(0, ...runs.map(run => run.needs)))
        this.begun.get(unit)?.()
        if (!journal) return
        const tokens = runs
          .flatMap(run => run.tokens)
          .map(token => {
            const { value: _, ...state } = token.state()
            return [token.number, state]
          })
        journal.waits({ specs: runs.map(run => run.state()), tokens: Object.fromEntries(tokens) })
      },
      ends: () => journal?.leaves(ids),
    }
    this.active.set(unit, state?.specs[0]?.atMs ?? context.schedule.now())
    const again = { ...context, lifetime: withMoreRoom(context.lifetime) }
    const shared = isJoined(unit) ? sharedLease(unit, context) : undefined
    const runs = unit.map(spec => {
      const firstTry = this.firstTries.get(spec)
      return new SpecRun(spec, firstTry === undefined ? context : again, {
        hooks,
        firstTry,
        lease: shared,
        isBeside: true,
      })
    })
    const { meeting } = this.hooks
    const atMoment = () => this.begun.get(unit)?.()
    meeting?.expect()
    let isExpected = meeting !== undefined
    try {
      if (state)
        for (const [index, run] of runs.entries()) run.restore(state.specs[index] as UnitState['specs'][number])
      else if (shared) await runJoined(unit, runs, atMoment)
      else await prepare(runs, meeting && atMoment)
      for (const run of runs) await run.judge()
      const looked: Token[] = []
      // By the time that all have come, what they share may have expired.
      for (const run of meeting ? runs : []) looked.push(...(await run.lookAtShared(looked)))
      // What others do until all units have come may need the connections. Else they are for giving its tokens back: where many
      // wait for connections, what the specs share would expire meanwhile.
      if (meeting) shared?.give()
      for (const run of runs) if (run.deadToken) await this.hooks.died?.(run)
      isExpected = false
      await meeting?.come()
      const ends: SpecEnd[] = []
      for (const run of runs) ends.push(await this.end(run))
      return shared ? ends.map(end => ofJoined(end, ends)) : ends
    } catch (error) {
      if (!(error instanceof Detached)) throw error
      // A spec that is over is left too: it shares its token with the others, which still wait.
      return runs.map(run => run.leave(WAITING))
    } finally {
      shared?.give()
      if (isExpected) meeting?.stayAway()
      gate?.end()
      if (!context.schedule.isDetached) this.active.delete(unit)
    }
  }

  private end(run: SpecRun): Promise<SpecEnd> {
    const { defer } = this.hooks
    const isDeferred = defer?.(run) ?? false
    return run.end(isDeferred ? run.tokens : [])
  }
}

/** Prepares specs that share a wait. @param atMoment called where they wait a moment; absent: they do not */
async function prepare(runs: SpecRun[], atMoment?: () => void): Promise<void> {
  // On the connection that rests while time passes the token is issued, and used last.
  const first = runs.find(({ restingWait }) => restingWait) ?? runs[0]
  await first?.runTo(1)
  first?.keepConnections()
  for (const run of runs) {
    if (!first || run === first) continue
    run.share(first, 0)
    await run.prepare()
  }
  await first?.prepare()
  if (!atMoment) return
  for (const run of runs) {
    run.keeper = () => run.keepAlive()
    await run.toMoment()
  }
  atMoment()
}

/** Message of a pending spec. */
const WAITING = 'waits for time to pass'

/**
 * Keeps the outcome inconclusive where the second try was not sent, for example because the budget of refused logons
 * was used up.
 */
function untriedAgain(record: SpecRecord): SpecRecord {
  const { firstTry, outcome, message } = record
  if (firstTry === undefined || outcome !== 'skipped' || message === INTERRUPTED) return record
  return { ...record, outcome: 'inconclusive', message: `${firstTry}; the second try was not sent: ${message}` }
}

/** Returns how many tokens a unit that waits still has to hold. */
function tokensLeft(unit: Unit, { specs }: UnitState): number {
  return Math.max(0, ...unit.map((spec, index) => tokensHeld(spec, specs[index]?.next)))
}
