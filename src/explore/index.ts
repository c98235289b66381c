/** The explorer: it explores the Core while the specs of a run wait. */
import type { Explorer } from '../engine/explorer.js'
import type { RunOptions } from '../engine/options.js'

/**
 * Returns the explorer of a run, as configured. Its code is loaded only where there is something to explore: most short
 * runs explore nothing.
 * @returns undefined where nothing is to be explored
 */
export async function explorerFor({ suite, configuration, resumed }: RunOptions): Promise<Explorer | undefined> {
  const { explore, seed = 0, probePath, profile } = configuration
  if (!explore || explore.requests === 0) return undefined
  const { CoreExplorer } = await import('./walk.js')
  const mayWait = profile !== 'quick'
  return new CoreExplorer({ suite, probePath, setting: explore, seed, mayWait, before: resumed?.exploration })
}
