/** The explorer: what a run does while its specs wait. */
import type { Explorer } from '../engine/explorer.js'
import type { RunOptions } from '../engine/options.js'
import type { Exploration } from '../result.js'

/**
 * The explorer of a run, as configured. It is loaded where there is something to explore: most short runs explore nothing.
 * @param before what an earlier process explored of it
 * @returns undefined where nothing is to be explored
 */
export async function explorerFor(
  { suite, configuration }: Pick<RunOptions, 'suite' | 'configuration'>,
  before?: Exploration,
): Promise<Explorer | undefined> {
  const { explore, seed = 0, probePath } = configuration
  if (!explore || explore.requests === 0) return undefined
  const { CoreExplorer } = await import('./explorer.js')
  return new CoreExplorer({ suite, probePath, setting: explore, seed, ...(before && { before }) })
}
