import { pauses, reachesOthers, type Spec } from '../../suite/spec.js'
import { toUnits } from '../plan/units.js'
import { tokensKept } from '../room.js'
import { isToConfirm } from './confirm.js'
import type { Attempt, PhaseContext } from './phase.js'
import { UnitRunner } from './unit-runner.js'

/** The most tokens that are held to see how many a Core keeps. */
const MAX_KEPT_TRIED = 40

/**
 * Runs specs side by side, as far as the Core and the user let tokens live side by side: those that touch no tokens but their
 * own, and those that watch bystanders.
 */
export class Together {
  constructor(private readonly phase: PhaseContext) {}

  /**
   * Runs them, and tells the outcomes that need not be confirmed.
   * @returns the others
   */
  async run(specs: readonly Spec[]): Promise<Attempt[]> {
    const attempts = await this.all(specs)
    const dead = attempts.filter(({ end }) => end.dead)
    const isLimit = dead.length > 0 && (await keepsFewer(this.phase))
    const last = isLimit ? await this.again(attempts, dead) : attempts
    const open = this.open(last)
    for (const { spec, end } of last.filter(attempt => !open.includes(attempt))) this.phase.ended(spec, end)
    return open
  }

  private async again(attempts: Attempt[], dead: readonly Attempt[]): Promise<Attempt[]> {
    const others = await this.all(dead.map(({ spec }) => spec))
    return [...attempts.filter(attempt => !dead.includes(attempt)), ...others]
  }

  private async all(specs: readonly Spec[]): Promise<Attempt[]> {
    const runner = new UnitRunner(this.phase)
    // What pauses comes first, so that the others run in its moments.
    const inOrder = [...specs.filter(pauses), ...specs.filter(spec => !pauses(spec))]
    return (await settled(toUnits(inOrder, this.phase.context.parts).map(unit => runner.run(unit)))).flat()
  }

  /** What is to be seen once more, alone: what went wrong, and what may have made it do so. */
  private open(attempts: readonly Attempt[]): Attempt[] {
    const { requests } = this.phase.context.parts
    const dead = attempts.filter(({ end }) => end.dead)
    const isSuspect = ({ spec, end: { record } }: Attempt) =>
      reachesOthers(spec, requests) && dead.some(({ end }) => end.dead && overlaps(record, end.dead))
    return attempts.filter(attempt => isToConfirm(attempt.end) || isSuspect(attempt))
  }
}

/** Whether a spec was under way in the time in which a token of another died. */
function overlaps(
  { atMs, durationMs }: Attempt['end']['record'],
  { aliveMs, deadMs }: { aliveMs: number; deadMs: number },
): boolean {
  return atMs <= deadMs && atMs + durationMs >= aliveMs
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
