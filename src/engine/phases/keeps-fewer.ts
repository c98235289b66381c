import { tokensKept } from '../token-capacity.js'
import { mayHaveExpired } from './common-death.js'
import type { Attempt, PhaseContext } from './phase.js'

/** Most tokens that are held to count how many a Core keeps. */
const MAX_KEPT_TRIED = 40

/**
 * Counts how many tokens the Core keeps, and makes the budget fit. Tokens that die without reason may have been pushed
 * out by newer ones: the reference does not say how many a Core keeps.
 * @param dead attempts with a token that died; one that was unused for its lifetime has its reason
 * @returns whether it keeps fewer than this run held
 */
export async function keepsFewer(
  { context, sessions, budget, journal, signal }: PhaseContext,
  dead: readonly Attempt[],
): Promise<boolean> {
  if (!dead.some(({ end }) => end.dead && !mayHaveExpired(end.dead, context.lifetime))) return false
  // The count would cost specs that wait their tokens.
  if (sessions !== 'many' || signal.aborted || context.schedule.isDetached) return false
  const wanted = Math.min(context.session.peak, MAX_KEPT_TRIED)
  const kept = await context.schedule.task(() => tokensKept(context, wanted))
  if (kept === undefined) return false
  if (budget.shrink(kept)) journal?.room(kept)
  return true
}

/** Returns how many tokens to try next, when `capacity` were allowed and the Core had room for no more than `room`. */
export function fewerTokens(room: number, capacity: number): number {
  return Math.max(Math.min(room, capacity - 1), 1)
}
