/** Sends the request of a step so that its effect is known, and finds answers that say nothing about the Core. */
import { type Exchange, isDelivered, summary, type WireRequest } from '../../core/exchange.js'
import { TRIES, toEarlier } from '../../core/sender.js'
import type { Token } from '../../core/token.js'
import { isSafe } from '../../ground/methods.js'
import type { SendStep } from '../../suite/spec.js'
import { pathOnly, probeWith } from '../requests.js'
import { isSpecial, sendSpecially } from '../send-specially.js'
import type { StepResult } from '../step-result.js'
import type { SpecTalk } from './spec-talk.js'

/**
 * Sends a request so that its effect is known. A dropped revocation may or may not have had its effect. The token shows
 * which: where it still works, the revocation is sent again.
 */
export async function sendOnce(
  talk: SpecTalk,
  request: WireRequest,
  step: SendStep,
  token: Token | undefined,
): Promise<Exchange> {
  const { context, exchanges } = talk
  const isNew = step.connection === 'new'
  const send = () => attempt(talk, request, step)
  let exchange = await (isSpecial(step) ? sendSpecially(talk, step, request, send) : send())
  const isRevocation = token && talk.mayActAs('revoke', exchange, step)
  for (let tries = 1; tries < TRIES && isRevocation && hasDropped(exchange); tries++) {
    const look = await talk.exchange(probeWith(context.parts, token.value), { isNew })
    if (context.answers.probe.rejects(look)) token.revoked()
    if (!context.answers.probe.accepts(look)) return exchange
    const again = await send()
    exchange = { ...again, earlier: [...(exchange.earlier ?? []), toEarlier(exchange), ...(again.earlier ?? [])] }
    exchanges.splice(-1, 1, exchange)
  }
  return exchange
}

/** Sends the request of a step. A logon that should be refused counts towards their budget. @throws NotSent */
async function attempt(talk: SpecTalk, request: WireRequest, step: SendStep): Promise<Exchange> {
  const { session } = talk.context
  const isNew = step.connection === 'new' || request.breaksOff !== undefined
  const logon = talk.inRole('logon')
  const isSaid = step.body !== undefined && !step.expect.includes('issued')
  const isLogon =
    pathOnly(request.path) === logon.path &&
    (request.method === logon.method || (step.role === 'logon' && request.body))
  if (!isLogon || !isSaid || request.omitHost) return talk.exchange(request, { isNew })
  // Chance decides which spec has to wait for a good logon first, so that logon is not part of its record.
  const exchange = await session.wrongLogon(request, {
    owner: talk.spec.id,
    on: talk.lease,
    isNew,
    isPaced: step.isSpread === true,
    isAgain: step.isAgain === true,
  })
  talk.exchanges.push(exchange)
  return exchange
}

/**
 * Returns the result where a request may or may not have had its effect. Either it was turned away by a fault of the way, and neither
 * an expectation of the step nor a contract says what that means. Or its connection dropped, and it was not repeated for that reason: its answer is
 * unknown. A revocation or a right logon without expectations is fine: later steps show its
 * effect.
 */
export function unsettledResult(
  talk: SpecTalk,
  exchange: Exchange,
  step: SendStep,
  token: Token | undefined,
): StepResult | undefined {
  const { request, response, earlier = [] } = exchange
  const { answers } = talk.context
  const isRepeated = exchange.error?.kind === 'oversized' || earlier.length + 1 >= TRIES
  // Given each time, it is this Core's answer. But a request that changes something may have done so all the same.
  const isOwn = isRepeated && isSafe(request.method)
  const isFault = response !== undefined && response.status >= 500 && answers.effectOf(exchange) === 'turned away'
  if (isFault && !isOwn && !step.expect.length && step.observe === undefined && !step.isVerified) {
    const got = `${summary(exchange)}: the request was turned away, and may have had no effect`
    return { outcome: 'unreachable', expected: 'an answer', got }
  }
  const isRefused = answers.of(request).rejects(exchange)
  if (!hasDropped(exchange) || isRefused || isSafe(request.method) || isRepeated) return undefined
  const isShownLater = talk.context.session.isRightLogon(request) || (token && talk.mayActAs('revoke', exchange, step))
  if (!step.expect.length && isShownLater) return undefined
  const got = `${summary(exchange)}: the request may have had its effect before that, so it was not sent again`
  return { outcome: 'missed window', expected: 'an answer', got }
}

/** Returns the result where an exchange says nothing about the Core: it was out of reach, or limits the rate. */
export async function untestedResult(talk: SpecTalk, exchange: Exchange): Promise<StepResult | undefined> {
  const { error, response } = exchange
  const missed = (got: string): StepResult => ({ outcome: 'unreachable', expected: 'an answer', got })
  if (!isDelivered(exchange)) return missed(summary(exchange))
  if (exchange.request.breaksOff) return undefined
  if (talk.context.answers.of(exchange.request).rejects(exchange)) return undefined
  // A Core that just went away is out of reach too, and not at fault.
  if (error && !isDelivered(await talk.exchange(talk.inRole('probe'))))
    return missed(`${summary(exchange)}, and then the Core was gone`)
  if (response?.status !== 429) return undefined
  return missed(`${summary(exchange)}: the Core limits the rate, also after waiting`)
}

/** Whether a request was delivered, and its connection dropped before the whole answer arrived, though its client waited for it. */
function hasDropped(exchange: Exchange): boolean {
  return exchange.error !== undefined && isDelivered(exchange) && !exchange.request.breaksOff
}
