import { withToken } from '../core/session.js'
import type { Token } from '../core/token.js'
import type { RunContext } from './context.js'
import { makeRequest } from './requests.js'

/**
 * How many tokens a Core keeps for a user, when it drops the oldest for the newest.
 * @param wanted how many the run held at a time
 * @returns undefined when it keeps that many
 */
export async function tokensKept(context: RunContext, wanted: number): Promise<number | undefined> {
  const tokens: Token[] = []
  try {
    return await count(context, wanted, tokens)
  } finally {
    // Also when the run was interrupted in between.
    await context.session.giveBack(tokens, [])
  }
}

/** @param tokens gets those that are issued */
async function count(
  { session, parts, answers }: RunContext,
  wanted: number,
  tokens: Token[],
): Promise<number | undefined> {
  for (let issued = 0; issued < wanted; issued++) {
    const token = session.take(await session.exchange(makeRequest(parts, 'logon')), 'token to see how many are kept')
    if (!token) break
    tokens.push(token)
  }
  const lives = async ({ value }: Token) => {
    const { response } = await session.exchange(withToken(makeRequest(parts, 'access'), value))
    return response !== undefined && answers.probe.accepts(response)
  }
  const [oldest] = tokens
  if (!oldest || (await lives(oldest))) return undefined
  oldest.seenDead = true
  let kept = 0
  for (const token of tokens.slice(1)) {
    if (await lives(token)) kept++
    else token.seenDead = true
  }
  return kept > 0 ? kept : undefined
}
