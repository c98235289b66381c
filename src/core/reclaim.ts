import type { Token } from './token.js'

/** Most tokens checked in one search. The tokens that fill a Core are most likely among the latest. */
const MOST_LOOKED_AT = 40
/** How often a token that came back is given back again. After that the Core keeps it. */
const MOST_TIMES = 2

/** Means of {@link Reclaim}. */
export interface ReclaimOptions {
  /** Every token of the run. */
  tokens: () => readonly Token[]
  /** Whether the Core accepts a token. */
  isAlive: (token: Token) => Promise<boolean>
  /** Asks the Core once more to revoke a token. */
  giveBack: (token: Token) => Promise<void>
}

/**
 * Finds tokens that the Core still accepts although it confirmed their revocation. Such tokens occupy room on the Core:
 * no further logon succeeds, and waiting does not help.
 */
export class Reclaim {
  private readonly times = new Map<Token, number>()

  /** How many tokens the Core accepted after it had confirmed their revocation. */
  get found(): number {
    return [...this.times.values()].filter(times => times > 0).length
  }

  /**
   * Searches for such tokens, and gives back those that it finds. A token that was rejected once is not checked again.
   */
  async look({ tokens, isAlive, giveBack }: ReclaimOptions): Promise<void> {
    const revoked = tokens().filter(token => token.givenBack && !token.seenDead && this.timesOf(token) <= MOST_TIMES)
    for (const token of revoked.slice(-MOST_LOOKED_AT)) {
      if (!(await isAlive(token))) {
        token.rejected()
        continue
      }
      this.times.set(token, this.timesOf(token) + 1)
      token.accepted()
      if (this.timesOf(token) <= MOST_TIMES) await giveBack(token)
    }
  }

  private timesOf(token: Token): number {
    return this.times.get(token) ?? 0
  }
}
