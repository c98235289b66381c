import type { RunContext } from './context.js'

/** Devices were seen to revoke a token half a second after they answered. */
const A_MOMENT_MS = 1000

/**
 * Lets what a request brings about late come about. To be called within a task.
 * @param sinceMs when the request was answered, on the clock of the run
 * @throws Interrupted
 */
export function aMoment(
  { schedule, lifetime }: Pick<RunContext, 'schedule' | 'lifetime'>,
  sinceMs: number,
): Promise<void> {
  // Of a short lifetime only a part: the tokens are to be alive afterwards.
  const momentMs = Math.min(A_MOMENT_MS, lifetime.lifetimeMs / 4)
  // Told as a wait of the run itself: nobody is to leave the run, and come back, for so little.
  return schedule.until(sinceMs + momentMs, { spec: '', what: 'a moment, for what comes late' })
}
