/** Which tokens of the whole run a step looks at: what ended should stay so, whatever the run has sent since. */
import type { WireRequest } from '../../core/exchange.js'
import type { Token } from '../../core/token.js'
import type { RunContext } from '../context.js'

/** How many of those revoked latest it looks at, and of the first: what brings one back was mostly seen to bring back the newest or the oldest. */
const [LATEST, FIRST] = [12, 3]

/** How many that are, with the busiest. */
export const TOKENS_OF_RUN = LATEST + FIRST + 1

/** For so much of a lifetime some revocations were seen to hold: of those that are older, it looks at one of each form. */
const HELD = 0.2

/** What a step has looked at is left to those that were revoked since. */
const seen = new WeakSet<Token>()

/** Returns the tokens to look at, by number. One whose value a later logon gave anew shows nothing. */
export function tokensOfRun(which: string, context: RunContext): Token[] {
  const { tokens } = context.session
  const lonely = tokens.filter(({ value }) => tokens.filter(other => other.value === value).length === 1)
  if (which === 'expired') return lonely.filter(({ lapsed, seenDead, revocation }) => lapsed && seenDead && !revocation)
  return revoked(lonely, context)
}

/** Of those that would have expired by now only one that was brought back shows anything: mostly the first. */
function revoked(tokens: readonly Token[], { schedule, lifetime }: RunContext): Token[] {
  const nowMs = schedule.now()
  const sinceMs = nowMs - lifetime.lifetimeMs * (1 - lifetime.tolerance)
  const all = tokens.filter(token => token.wasRevoked)
  const ended = all.filter(token => token.certainUse.sentAt > sinceMs)
  const latest = ended.filter(token => !seen.has(token)).slice(-LATEST)
  for (const token of latest) seen.add(token)
  const forms = new Map<string, Token>()
  for (const token of ended)
    if (token.revocation && token.revocation.receivedAt < nowMs - lifetime.lifetimeMs * HELD)
      forms.set(formOf(token.revocation.request), token)
  // What is used often may be kept in another place, where a revocation does not find it.
  const [busiest] = ended.toSorted((one, other) => other.uses - one.uses)
  const others = new Set([...all.slice(0, FIRST), ...latest, ...forms.values(), busiest])
  return all.filter(token => others.has(token))
}

/** What two revocations of one form have in common. */
function formOf({ method, path, httpVersion, headers, body }: WireRequest): string {
  return JSON.stringify([method, path, httpVersion, headers.map(([name]) => name), body === undefined])
}
