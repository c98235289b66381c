/** Notes what an exchange of a step means for the tokens of its spec. */
import type { Exchange, WireRequest } from '../../core/exchange.js'
import type { Token } from '../../core/token.js'
import { isSafe } from '../../ground/methods.js'
import type { SendStep } from '../../suite/spec.js'
import { tokensIn } from '../../suite/variables.js'
import { gotThrough } from '../got-through.js'
import { pathOnly } from '../requests.js'
import { gapSince, missedExpired } from '../window.js'
import type { SpecTalk } from './spec-talk.js'

/**
 * Notes whether a token had lapsed before the first try of an exchange. Dropped tries may have been use of the token.
 */
export function noteEarlier({ context }: SpecTalk, token: Token, exchange: Exchange): void {
  const { earlier = [] } = exchange
  if (!missedExpired(gapSince(token.possibleUse, earlier[0] ?? exchange), context.lifetime)) token.lapse()
  for (const tried of earlier) token.used(tried, false)
}

/**
 * Notes use, revocation and death of a token, and a token issued by the answer.
 * @param own the request of the step, where this is a variation of it
 */
export function note(
  talk: SpecTalk,
  step: SendStep,
  exchange: Exchange,
  token: Token | undefined,
  own: WireRequest | undefined,
): void {
  const { answers } = talk.context
  const { request } = exchange
  if (talk.mayActAs('logon', exchange, step) && !step.expect.includes('nothing issued'))
    talk.take(exchange, 'token issued unasked')
  for (const name of tokensIn([step.headers, step.path, step.body])) talk.named.get(name)?.used(exchange, false)
  if (!token) return
  if (request.breaksOff) {
    token.used(exchange, false)
    return
  }
  const kind = answers.of(request)
  // Another target may be answered as the probe is, and still be another thing.
  const isAccepted = own ? gotThrough(exchange, own, talk.context) : kind.accepts(exchange)
  token.used(exchange, isAccepted)
  const revokes = talk.mayActAs('revoke', exchange, step) && !request.omitHost
  const effect = answers.effectOf(exchange)
  // A refusal after a try that dropped is right: that one may have revoked it.
  const isRight = effect === 'accepted' || (effect === 'refused' && exchange.earlier?.some(({ error }) => error))
  if (revokes && isRight) token.revoked(effect === 'accepted' && carries(request, token) ? exchange : undefined)
  if (revokes || request.omitHost) return
  // An answer to another path or method may be about the path or method. The same holds for a chapter's own request.
  const isAboutToken = !own && (step.role !== undefined || answers.has(request))
  if (kind.rejects(exchange) && isAboutToken)
    token.rejected(endedByItself(talk, token, exchange) ? exchange : undefined)
  // A Core may confirm a revocation and still accept the token. A logon needs none.
  if (isAccepted && !talk.mayActAs('logon', exchange, step)) token.accepted(exchange)
}

/** Whether a request carries a token as it was issued, and nothing else that a Core may look at in its place. */
function carries({ headers }: WireRequest, { value }: Token): boolean {
  const credentials = headers.filter(([name]) => name.toLowerCase() === 'authorization').map(([, text]) => text)
  return credentials.join() === `Bearer ${value}`
}

/**
 * Whether a refusal shows that the token ended by itself: the probe is refused as tokens are that the Core does not know, and no
 * request that may have changed something carried this one.
 */
function endedByItself(talk: SpecTalk, { value }: Token, { request, response }: Exchange): boolean {
  const { refusals } = talk.context.answers.probe
  return (
    pathOnly(request.path) === pathOnly(talk.inRole('probe').path) &&
    refusals.some(({ status }) => status === response?.status) &&
    !talk.exchanges.some(each => !isSafe(each.request.method) && JSON.stringify(each.request).includes(value))
  )
}
