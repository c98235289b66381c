import type { ExploreMeans, Explorer } from '../engine/explorer.js'
import type { Exploration } from '../result.js'
import { emptyExploration } from './tally.js'
import { type ExplorerOptions, Walk } from './walk.js'

/** Fewest tokens: the effect of a request on one token has to show in another. */
const FEWEST_TOKENS = 2

/** Explores a Core: draws sequences, compares the answers with the model, and pursues contradictions. */
export class CoreExplorer implements Explorer {
  private told: Exploration | undefined

  constructor(private readonly options: ExplorerOptions) {}

  get exploration(): Exploration | undefined {
    // A resumed run may have no time left to explore. What the earlier process found out still holds.
    return this.told ?? this.options.before
  }

  leftOut(reason: string): void {
    this.told = { ...(this.options.before ?? emptyExploration(this.options.seed)), reason }
  }

  async explore(means: ExploreMeans): Promise<void> {
    if (means.tokens < FEWEST_TOKENS)
      return this.leftOut('there is no room for tokens beside those that the specs hold')
    const walk = new Walk(this.options, means)
    try {
      await walk.run()
    } finally {
      this.told = walk.told()
    }
  }
}
