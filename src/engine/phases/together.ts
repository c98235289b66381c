import type { Spec } from '../../suite/spec.js'
import { toUnits, type Unit } from '../plan/units.js'
import { tokensKept } from '../room.js'
import { isToConfirm } from './confirm.js'
import type { Attempt, PhaseContext } from './phase.js'
import { UnitRunner } from './unit-runner.js'

/** The most tokens that are held to see how many a Core keeps. */
const MAX_KEPT_TRIED = 40

/** Runs specs side by side that touch no tokens but their own, as far as the Core and the user let tokens live side by side. */
export class Together {
  constructor(private readonly phase: PhaseContext) {}

  /**
   * Runs them, and tells the outcomes that need not be confirmed.
   * @param oneByOne whether to run them one after another, since this Core lets requests reach the tokens of others
   * @returns the others
   */
  async run(specs: readonly Spec[], oneByOne: boolean): Promise<Attempt[]> {
    const open = await this.all(specs, oneByOne)
    const dead = open.filter(({ end }) => end.dead)
    if (oneByOne || !dead.length || !(await keepsFewer(this.phase))) return open
    const again = await this.all(
      dead.map(({ spec }) => spec),
      false,
    )
    return [...open.filter(({ end }) => !end.dead), ...again]
  }

  private async all(specs: readonly Spec[], oneByOne: boolean): Promise<Attempt[]> {
    const runner = new UnitRunner(this.phase)
    const units = toUnits([...specs], this.phase.context.parts)
    const run = async (unit: Unit) => {
      const attempts = await runner.run(unit)
      const open = attempts.filter(({ end }) => isToConfirm(end))
      for (const attempt of attempts) if (!open.includes(attempt)) this.phase.ended(attempt.spec, attempt.end)
      return open
    }
    if (!oneByOne) return (await settled(units.map(run))).flat()
    const open: Attempt[] = []
    for (const unit of units) open.push(...(await run(unit)))
    return open
  }
}

/** Waits for all, and only then throws what one of them threw. */
export async function settled<T>(promises: Promise<T>[]): Promise<T[]> {
  const ends = await Promise.allSettled(promises)
  return ends.map(end => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}

/**
 * Tokens that die for no reason may have been pushed out by newer ones: how many a Core keeps is its own affair. Counts them,
 * and makes the budget fit.
 * @returns whether it keeps fewer than this run held
 */
export async function keepsFewer({ context, sessions, budget, journal, signal }: PhaseContext): Promise<boolean> {
  // To try how many are kept would cost those that wait theirs.
  if (sessions !== 'many' || signal.aborted || context.schedule.isDetached) return false
  const wanted = Math.min(context.session.peak, MAX_KEPT_TRIED)
  const kept = await context.schedule.task(() => tokensKept(context, wanted))
  if (kept === undefined) return false
  if (budget.shrink(kept)) journal?.room(kept)
  return true
}
