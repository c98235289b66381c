import type { ConnectionLease } from '../core/connections.js'
import type { WireRequest } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import type { RunContext } from './context.js'
import { probeWith, roleRequest } from './requests.js'
import { warmToken } from './warm.js'

/**
 * How many further logons have to end the oldest token before a lack of room is believed. A logon that ends a token now
 * and then does not do so this many times in a row.
 */
const MORE_LOGONS = 3
/** To log on may take this part of the lifetime: to look at all of those takes as long again, and none may expire before. */
const MOST_OF_LIFETIME = 0.4

/** How many tokens of a user a Core keeps. `isLimit`: no more than those; else there was no time to try more. */
export interface Kept {
  tokens: number
  isLimit: boolean
}

/**
 * Counts how many tokens a Core keeps for a user, where it drops the oldest for the newest, by issue or by last use.
 * @param wanted the most tokens that the run held at a time
 * @returns undefined where it keeps that many, or where the kept ones are not the newest
 */
export async function tokensKept(context: RunContext, wanted: number): Promise<Kept | undefined> {
  const tokens: Token[] = []
  // Nothing else is under way, so one lease serves all requests.
  const on = context.session.connections.lease()
  try {
    const { schedule, lifetime } = context
    const untilMs = schedule.now() + lifetime.lifetimeMs * MOST_OF_LIFETIME
    while (tokens.length < wanted && schedule.now() < untilMs && (await logOn(context, tokens, on))) {}
    const isCut = tokens.length < wanted && schedule.now() >= untilMs
    const alive: boolean[] = []
    for (const token of tokens) {
      alive.push(await lives(context, token, on))
      if (alive[0]) return isCut ? { tokens: tokens.length, isLimit: false } : undefined
    }
    const kept = alive.filter(Boolean).length
    // Only a lack of room leaves the newest tokens alive. Other tokens die for another reason.
    if (kept === 0 || !alive.slice(-kept).every(Boolean)) return undefined
    for (let more = 0; more < MORE_LOGONS; more++) {
      const oldest = tokens.at(-kept)
      // Look only at the token that should be dead. A look at a live one is a use, and some Cores end the least
      // recently used token.
      const isOneMore = await logOn(context, tokens, on)
      if (!isOneMore || !oldest || (await lives(context, oldest, on))) return undefined
    }
    for (const token of tokens.slice(-kept)) if (!(await lives(context, token, on))) return undefined
    context.session.keeps = kept
    return { tokens: kept, isLimit: true }
  } finally {
    // Give back also after an interruption.
    await context.session.giveBack(tokens, [], on).finally(() => on.give())
  }
}

/** Pauses before a logon is tried again that may have found no room: a slot may become free late. */
const LATER_MS = [1000, 2000]

/**
 * Counts how many tokens of a user this Core has room for, with nothing else under way.
 * @param wanted as many are enough
 */
export async function roomFor(context: RunContext, wanted: number): Promise<number> {
  const { session, schedule } = context
  const tokens: Token[] = []
  const on = session.connections.lease()
  const oneMore = async () => {
    if (await logOn(context, tokens, on)) return true
    for (const ms of LATER_MS) {
      on.give()
      await schedule.until(schedule.now() + ms, { spec: '', what: 'since the Core refuses logons' })
      if (await logOn(context, tokens, on)) return true
    }
    return false
  }
  try {
    while (tokens.length < wanted && (await oneMore())) {}
    session.fullAt = tokens.length < wanted ? tokens.length : undefined
    return tokens.length
  } finally {
    await session.giveBack(tokens, [], on).finally(() => on.give())
  }
}

/**
 * Logs on once, on a new connection: a lack of room shows on any. What a logon does for what came before on its connection, such as to end
 * the tokens of its own, or to be refused, is another matter.
 * @param tokens receives the issued token
 * @returns whether a token was issued
 */
async function logOn(context: RunContext, tokens: Token[], on: ConnectionLease): Promise<boolean> {
  const { session, parts } = context
  const send = (request: WireRequest) => session.exchange(request, on)
  const logon = await session.exchange(roleRequest(parts, 'logon'), on, { isNew: true })
  const token = session.take(logon, 'token to see how many are kept')
  if (!token) return false
  tokens.push(token)
  await warmToken(context, token, send)
  return true
}

async function lives({ session, parts, answers }: RunContext, token: Token, on: ConnectionLease): Promise<boolean> {
  const isAlive = answers.probe.accepts(await session.exchange(probeWith(parts, token.value), on))
  if (isAlive) token.accepted()
  else token.rejected()
  return isAlive
}
