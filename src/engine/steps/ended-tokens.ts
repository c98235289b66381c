/** Which tokens a step with `token: ended` looks at: what the run revoked should stay so, whatever it has sent since. */
import type { WireRequest } from '../../core/exchange.js'
import type { Token } from '../../core/token.js'
import type { RunContext } from '../context.js'

/** How many of the latest it looks at, and of the first: what brings one back was mostly seen to bring back the newest or the oldest. */
const [LATEST, FIRST] = [12, 3]

/** For so much of a lifetime some revocations were seen to hold: of those that are older, it looks at one of each form. */
const HELD = 0.2

/** What a step has looked at is left to those that were revoked since. */
const seen = new WeakSet<Token>()

/**
 * Returns the tokens to look at, by number. One that would have expired by now shows nothing, and neither does one whose value a
 * later logon gave anew.
 */
export function endedTokens({ session, schedule, lifetime }: RunContext): Token[] {
  const { tokens } = session
  const nowMs = schedule.now()
  const sinceMs = nowMs - lifetime.lifetimeMs * (1 - lifetime.tolerance)
  const isLonely = ({ value }: Token) => tokens.filter(other => other.value === value).length === 1
  const ended = tokens.filter(token => token.wasRevoked && token.certainUse.sentAt > sinceMs && isLonely(token))
  const latest = ended.filter(token => !seen.has(token)).slice(-LATEST)
  for (const token of latest) seen.add(token)
  const forms = new Map<string, Token>()
  for (const token of ended)
    if (token.revocation && token.revocation.receivedAt < nowMs - lifetime.lifetimeMs * HELD)
      forms.set(formOf(token.revocation.request), token)
  const ofForms = new Set(forms.values())
  return ended.filter((token, at) => at < FIRST || latest.includes(token) || ofForms.has(token))
}

/** What two revocations of one form have in common. */
function formOf({ method, path, httpVersion, headers, body }: WireRequest): string {
  return JSON.stringify([method, path, httpVersion, headers.map(([name]) => name), body === undefined])
}
