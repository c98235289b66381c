import type { RunOptions } from '../engine/options.js'
import { runSuite } from '../engine/run.js'
import { explorerFor } from '../explore/index.js'
import type { RunResult } from '../result.js'

/**
 * Performs a run, of a command or of a program: sends what its specs ask for, and explores while they wait.
 * @returns the result, redacted; see `runSuite`
 */
export async function perform(run: RunOptions): Promise<RunResult> {
  return runSuite({ ...run, explorer: await explorerFor(run) })
}
