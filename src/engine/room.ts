import { withToken } from '../core/session.js'
import type { Token } from '../core/token.js'
import type { RunContext } from './context.js'
import { makeRequest } from './requests.js'
import { warm } from './warm.js'

/**
 * How many tokens a Core keeps for a user, when it drops the oldest for the newest.
 * @param wanted how many the run held at a time
 * @returns undefined when it keeps that many, or when those that it keeps are not the newest
 */
export async function tokensKept(context: RunContext, wanted: number): Promise<number | undefined> {
  const tokens: Token[] = []
  try {
    const kept = await count(context, wanted, tokens)
    if (kept === undefined) return undefined
    // A Core that drops the oldest keeps as many, however many it gives; what ends tokens for another reason does not.
    await context.session.giveBack(tokens.splice(0), [])
    return (await count(context, wanted + 1, tokens)) === kept ? kept : undefined
  } finally {
    // Also when the run was interrupted in between.
    await context.session.giveBack(tokens, [])
  }
}

/** @param tokens gets those that are issued */
async function count(context: RunContext, wanted: number, tokens: Token[]): Promise<number | undefined> {
  const { session, parts, answers } = context
  for (let issued = 0; issued < wanted; issued++) {
    const token = session.take(await session.exchange(makeRequest(parts, 'logon')), 'token to see how many are kept')
    if (!token) break
    tokens.push(token)
    await warm(context, token)
  }
  const lives = async (token: Token) => {
    const { response } = await session.exchange(withToken(makeRequest(parts, 'access'), token.value))
    const isAlive = response !== undefined && answers.probe.accepts(response)
    token.seenDead = !isAlive
    return isAlive
  }
  const [oldest] = tokens
  if (!oldest || (await lives(oldest))) return undefined
  const alive: boolean[] = [false]
  for (const token of tokens.slice(1)) alive.push(await lives(token))
  const kept = alive.filter(Boolean).length
  // Only where the newest are the ones that live is it room that was lacking; else tokens die for another reason.
  return kept > 0 && alive.slice(-kept).every(Boolean) ? kept : undefined
}
