/** Judges a variation that is sent without a token to a Core with access control off. */
import { asksForToken, type Exchange, summary } from '../../core/exchange.js'
import { withToken } from '../../core/session.js'
import type { Token } from '../../core/token.js'
import type { Ready } from '../variations.js'
import type { EachTally } from './each-tally.js'
import { type EachTools, putVariation } from './each-tools.js'

/** The parts of a step over a family that the judgement needs. */
interface OpenMeans {
  tools: EachTools
  tally: EachTally
  /** The token that the same request is sent with, where its answer says nothing by itself; absent: none. */
  token: Token | undefined
}

/** Notes whether a variation is asked for a token, twice where it is, or shows nothing. */
export async function judgeOpen(ready: Ready, exchange: Exchange, means: OpenMeans): Promise<void> {
  const { tools, tally } = means
  const { name, request } = ready
  // What an open Core makes of another Authorization header is not shown.
  const isAnonymous = !request.headers.some(([header]) => header.toLowerCase() === 'authorization')
  if (isAnonymous && (await needsToken(ready, exchange, means))) {
    const isOnce = !(await needsToken(ready, (await putVariation(tools, ready)).exchange, means))
    const got = summary(exchange) + (isOnce ? ', once of twice' : '')
    tally.missed.push({ name, got, isCertain: false, isOnce, exchange })
  } else if (!isAccepted(exchange, tools)) tally.open.push({ name, why: 'its form' })
}

/**
 * Whether a variation needs a token: its answer asks for one, or the same request is accepted with one.
 */
async function needsToken({ request, name }: Ready, exchange: Exchange, { tools, token }: OpenMeans): Promise<boolean> {
  const { response, error } = exchange
  if (!response || error || isAccepted(exchange, tools)) return false
  if (asksForToken(response)) return true
  // A limit or a fault of the Core is no refusal.
  if (!token || response.status >= 500) return false
  const twin = await tools.exchange(withToken(request, token.value))
  twin.variation = `${name}, with a token`
  const isTaken = isAccepted(twin, tools)
  token.used(twin, isTaken)
  return isTaken
}

function isAccepted(exchange: Exchange, { context }: EachTools): boolean {
  return exchange.response !== undefined && !exchange.error && context.answers.probe.accepts(exchange)
}
