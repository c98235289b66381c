import { tokensKept } from '../token-capacity.js'
import type { PhaseContext } from './phase.js'

/** The most tokens that are held to see how many a Core keeps. */
const MAX_KEPT_TRIED = 40

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
