/** Which tokens a step with `token: ended` looks at: what the run revoked should stay so, whatever it has sent since. */
import type { Token } from '../../core/token.js'
import type { RunContext } from '../context.js'

/** How many of the latest it looks at, and of the first: what brings one back was mostly seen to bring back the newest or the oldest. */
const [LATEST, FIRST] = [12, 3]

/** What a step has looked at is left to those that were revoked since. */
const seen = new WeakSet<Token>()

/**
 * Returns the tokens to look at, by number. One that would have expired by now shows nothing, and neither does one whose value a
 * later logon gave anew.
 */
export function endedTokens({ session, schedule, lifetime }: RunContext): Token[] {
  const { tokens } = session
  const sinceMs = schedule.now() - lifetime.lifetimeMs * (1 - lifetime.tolerance)
  const isLonely = ({ value }: Token) => tokens.filter(other => other.value === value).length === 1
  const ended = tokens.filter(token => token.wasRevoked && token.certainUse.sentAt > sinceMs && isLonely(token))
  const latest = ended.filter(token => !seen.has(token)).slice(-LATEST)
  for (const token of latest) seen.add(token)
  return ended.filter((token, at) => at < FIRST || latest.includes(token))
}
