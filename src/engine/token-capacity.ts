import type { ConnectionLease } from '../core/connections.js'
import type { WireRequest } from '../core/exchange.js'
import { withToken } from '../core/session.js'
import type { Token } from '../core/token.js'
import type { RunContext } from './context.js'
import { roleRequest } from './requests.js'
import { warm } from './warm.js'

/** A logon that ends the oldest token now and then would have to do so so many times in a row to be taken for a lack of room. */
const MORE_LOGONS = 3

/**
 * How many tokens a Core keeps for a user, when it drops the oldest for the newest, by their issue or by their last use.
 * @param wanted how many the run held at a time
 * @returns undefined when it keeps that many, or when those that it keeps are not the newest
 */
export async function tokensKept(context: RunContext, wanted: number): Promise<number | undefined> {
  const tokens: Token[] = []
  // Nobody else is under way, so that it may keep its connection all the time.
  const on = context.session.connections.lease()
  try {
    while (tokens.length < wanted && (await logOn(context, tokens, on))) {}
    const alive: boolean[] = []
    for (const token of tokens) {
      alive.push(await lives(context, token, on))
      if (alive[0]) return undefined
    }
    const kept = alive.filter(Boolean).length
    // Only where the newest are the ones that live is it room that was lacking; else tokens die for another reason.
    if (kept === 0 || !alive.slice(-kept).every(Boolean)) return undefined
    for (let more = 0; more < MORE_LOGONS; more++) {
      const oldest = tokens.at(-kept)
      // Only at the one that is to be dead: a look at a live one is a use, and some Cores end the token that was used least recently.
      if (!(await logOn(context, tokens, on)) || !oldest || (await lives(context, oldest, on))) return undefined
    }
    for (const token of tokens.slice(-kept)) if (!(await lives(context, token, on))) return undefined
    return kept
  } finally {
    // Also when the run was interrupted in between.
    await context.session.giveBack(tokens, [], on).finally(() => on.give())
  }
}

/** @param tokens gets the one that is issued @returns whether one is */
async function logOn(context: RunContext, tokens: Token[], on: ConnectionLease): Promise<boolean> {
  const { session, parts } = context
  const send = (request: WireRequest) => session.exchange(request, on)
  const token = session.take(await send(roleRequest(parts, 'logon')), 'token to see how many are kept')
  if (!token) return false
  tokens.push(token)
  await warm(context, token, send)
  return true
}

async function lives({ session, parts, answers }: RunContext, token: Token, on: ConnectionLease): Promise<boolean> {
  const { response } = await session.exchange(withToken(roleRequest(parts, 'probe'), token.value), on)
  const isAlive = response !== undefined && answers.probe.accepts(response)
  if (isAlive) token.accepted()
  else token.rejected()
  return isAlive
}
