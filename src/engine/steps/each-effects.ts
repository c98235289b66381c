/** Looks at what a variation did: whether a logon issued a token, a revocation ended one, or an open Core asked for one. */
import { asksForToken, type Exchange, summary } from '../../core/exchange.js'
import { withToken } from '../../core/give-back.js'
import type { Token } from '../../core/token.js'
import { requestOf } from '../../suite/roles.js'
import type { SendStep } from '../../suite/spec.js'
import { probeWith } from '../requests.js'
import type { StepResult } from '../step-result.js'
import { type Ready, Variations } from '../variations.js'
import { warmToken } from '../warm.js'
import type { EachTally } from './each-tally.js'
import { logOnAs } from './logon-step.js'
import type { Value } from './row-values.js'
import type { SpecTalk } from './spec-talk.js'

/** Whether another logon gave the same token before. */
export function isAgain({ context }: SpecTalk, token: Token): boolean {
  return context.session.tokens.some(each => each !== token && each.value === token.value)
}

/** One token of so many is looked at on another connection than that of its logon. */
const ELSEWHERE = 4

/**
 * Whether the answer to a logon holds a new token that opens the API. The token is given back.
 * @param isNew whether that is looked at on another connection; absent: now and then
 */
export async function isIssued(
  talk: SpecTalk,
  logon: Exchange,
  isNew = talk.issued.length % ELSEWHERE === 0,
): Promise<boolean> {
  const { issued, context } = talk
  const token = issued.find(each => each.issued.sentAt === logon.sentAt)
  if (!token || isAgain(talk, token)) return false
  await warmToken(context, token, request => talk.exchange(request))
  const use = probeWith(context.parts, token.value)
  const { probe } = context.answers
  // A connection that refuses everybody from now on says nothing of the token.
  const isAccepted =
    probe.accepts(await talk.exchange(use, { isNew })) || probe.accepts(await talk.exchange(use, { isNew: true }))
  await talk.giveBack(token)
  // A token whose revocation is refused may have been good for one request only.
  const livesOn = token.givenBack || probe.accepts(await talk.exchange(use, { isNew: true }))
  return isAccepted && livesOn
}

/**
 * Logs on, and revokes the new token, which gets the name of the step's.
 * @param values what the revocation departs by
 * @returns whether the token is accepted afterwards, with the exchange of the revocation; or the result that decides nothing
 */
export async function tryToRevoke(
  variations: Variations,
  values: readonly Value[],
): Promise<{ result: StepResult; exchange?: Exchange } | { exchange: Exchange; isAlive: boolean }> {
  const { talk, step } = variations
  const { context } = talk
  const { probe } = context.answers
  const row = (one: SendStep) => new Variations(one, talk).row(values)
  const name = step.token?.name ?? ''
  // A Core may have room for one token only.
  const before = talk.named.get(name)
  if (before?.isLive) await talk.giveBack(before)
  const logon = await logOnAs(talk, name)
  const token = talk.named.get(name)
  // A logon is a matter of other requirements.
  if (logon.outcome !== 'ok' || !token) return { result: { ...logon, outcome: 'unreachable' } }
  const revocation = row(step)
  const { result, exchange } = await variations.put(revocation)
  if (result.outcome !== 'ok') return { result, exchange }
  const look = await talk.exchange(probeWith(context.parts, token.value))
  look.variation = `${revocation.name}, afterwards`
  if (!probe.accepts(look)) {
    token.revoked()
    return { exchange, isAlive: false }
  }
  token.used(look, true)
  token.accepted(look)
  // A token that two logons gave, or that no request opens the API with in this form, is a matter of other requirements.
  const use: SendStep = { ...step, request: requestOf(context.parts.requests, 'probe'), role: 'probe', expect: [] }
  const isTaken = !isAgain(talk, token) && probe.accepts((await variations.put(row(use))).exchange)
  await talk.giveBack(token)
  return { exchange, isAlive: isTaken }
}

/** Notes whether a variation is asked for a token, twice where it is, or shows nothing. */
export async function judgeOpen(
  variations: Variations,
  tally: EachTally,
  ready: Ready,
  exchange: Exchange,
): Promise<void> {
  const { name, request } = ready
  // What an open Core makes of another Authorization header is not shown.
  const isAnonymous = !request.headers.some(([header]) => header.toLowerCase() === 'authorization')
  if (isAnonymous && (await needsToken(variations, ready, exchange))) {
    const isOnce = !(await needsToken(variations, ready, (await variations.put(ready)).exchange))
    const got = summary(exchange) + (isOnce ? ', once of twice' : '')
    tally.missed.push({ name, got, isCertain: false, isOnce, exchange })
  } else if (!isAccepted(exchange, variations.talk)) tally.open.push({ name, why: 'its form' })
}

/**
 * Whether a variation needs a token: its answer asks for one, or the same request is accepted with one.
 */
async function needsToken({ talk, step }: Variations, { request, name }: Ready, exchange: Exchange): Promise<boolean> {
  const { response, error } = exchange
  if (!response || error || isAccepted(exchange, talk)) return false
  if (asksForToken(response)) return true
  // A limit or a fault of the Core is no refusal.
  const token = talk.named.get(step.bracket ?? '')
  if (!token || response.status >= 500) return false
  const twin = await talk.exchange(withToken(request, token.value))
  twin.variation = `${name}, with a token`
  const isTaken = isAccepted(twin, talk)
  token.used(twin, isTaken)
  return isTaken
}

function isAccepted(exchange: Exchange, { context }: SpecTalk): boolean {
  return exchange.response !== undefined && !exchange.error && context.answers.probe.accepts(exchange)
}
