import type { Exploration, ExploreSetting } from '../result.js'
import type { Suite } from '../suite/spec.js'

/** Settings of the explorer. */
export interface ExplorerOptions {
  suite: Pick<Suite, 'requests' | 'requirements' | 'families'>
  probePath: string
  setting: ExploreSetting
  seed: number
  /** Exploration of this run by an earlier process. */
  before?: Exploration | undefined
}
