/**
 * Finds the common cause of tokens that died at the same time, in specs that were tried again for it. Such a cause is
 * no matter of the specs.
 */
import type { Session } from '../../core/session.js'
import { whyEnded } from '../other-lifetime.js'
import { between } from '../run-events.js'
import type { TokenLoss } from '../watch.js'
import type { Lifetime } from '../window.js'

/** When a token was last seen alive, and when it was first refused, on the clock of the run. */
export interface Death {
  aliveMs: number
  deadMs: number
}

/** Whether a token may have expired, since it was unused for so long: then nothing else ended it. */
export function mayHaveExpired({ aliveMs, deadMs }: Death, { lifetimeMs, tolerance }: Lifetime): boolean {
  return deadMs - aliveMs >= lifetimeMs * (1 - tolerance)
}

/** Two tokens may die for different reasons. This many at once show that the Core lost all its tokens. */
const SEVERAL = 3

/**
 * Returns the time in which most of the tokens died together; undefined where fewer than three may have died at the
 * same moment. Those that may have been unused for their lifetime, since a limit made the run slow, expired.
 */
export function commonDeath(all: readonly Death[], lifetime: Lifetime): TokenLoss | undefined {
  // Specs that shared a token tell of one death, each when it looked.
  const latestFirst = [...all].sort((a, b) => b.deadMs - a.deadMs)
  const each = [...new Map(latestFirst.map(death => [death.aliveMs, death])).values()]
  const deaths = each.filter(death => !mayHaveExpired(death, lifetime))
  const groups = deaths.map(({ deadMs: untilMs }) =>
    deaths.filter(({ aliveMs, deadMs }) => aliveMs < untilMs && untilMs <= deadMs),
  )
  const [most = []] = groups.sort((a, b) => b.length - a.length)
  if (most.length < SEVERAL) return undefined
  return {
    fromMs: Math.max(...most.map(({ aliveMs }) => aliveMs)),
    untilMs: Math.min(...most.map(({ deadMs }) => deadMs)),
  }
}

/** The kind of the event that all tokens were lost at once. */
export const TOKENS_LOST = 'tokens lost'

/** Describes the loss of all tokens in one sentence. */
export function lossText(loss: TokenLoss, { session, lifetime }: { session: Session; lifetime: Lifetime }): string {
  return `all tokens stopped working ${between(loss)}: ${whyEnded(session.tokens, lifetime)}`
}
