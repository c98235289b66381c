import type { Token } from './token.js'

/** As many tokens are looked at each time that a Core seems to have no room: what fills it is among the latest, most likely. */
const MOST_LOOKED_AT = 40
/** A token that came back is given back so many times; then the Core keeps it. */
const MOST_TIMES = 2

/** What {@link Reclaim} works with. */
export interface ReclaimOptions {
  /** Every token of the run. */
  tokens: () => readonly Token[]
  /** Whether a token is accepted. */
  isAlive: (token: Token) => Promise<boolean>
  /** Asks for its revocation once more. */
  giveBack: (token: Token) => Promise<void>
}

/**
 * Finds tokens that a Core keeps alive though it said that it revoked them. They take the room of others: no logon succeeds any
 * more, and no wait would help.
 */
export class Reclaim {
  private readonly times = new Map<Token, number>()

  /** How many tokens were accepted after their revocation had been answered with success. */
  get found(): number {
    return [...this.times.values()].filter(times => times > 0).length
  }

  /** Looks for them, and gives back what it finds. A token that is seen dead is not looked at again. */
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
