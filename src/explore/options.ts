import type { Exploration, ExploreSetting } from '../result.js'
import type { Suite } from '../suite/spec.js'

/** Settings of the explorer. */
export interface ExplorerOptions {
  suite: Pick<Suite, 'requests' | 'requirements' | 'families'>
  probePath: string
  setting: ExploreSetting
  seed: number
  /** Whether a user may have to wait for sequences in which tokens get old: not in a quick run. */
  mayWait: boolean
  /** Exploration of this run by an earlier process. */
  before?: Exploration | undefined
}
