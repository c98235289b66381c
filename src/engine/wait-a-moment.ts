import type { RunContext } from './context.js'

/** Devices were seen to revoke a token half a second after their answer. */
const A_MOMENT_MS = 1000

/**
 * Waits a moment, so that late effects of a request can show. Call it within a task.
 * @param sinceMs when the request was answered, on the clock of the run
 * @throws Interrupted
 */
export function waitAMoment({ schedule, lifetime }: RunContext, sinceMs: number): Promise<void> {
  // A part of a short lifetime at most: the tokens have to be alive afterwards.
  const momentMs = Math.min(A_MOMENT_MS, lifetime.lifetimeMs / 4)
  // Counts as a wait of the run, not of a spec: nobody detaches from the run for so short a time.
  return schedule.until(sinceMs + momentMs, { spec: '', what: 'a moment, for late effects' })
}
