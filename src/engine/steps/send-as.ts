/** Sends a request of a step, and judges the answer by what the step expects. */
import { type Exchange, summary, type WireRequest } from '../../core/exchange.js'
import { turnsAway } from '../../core/pause.js'
import type { Token } from '../../core/token.js'
import { isSafe } from '../../ground/methods.js'
import type { SendStep } from '../../suite/spec.js'
import { factsOf } from '../facts.js'
import type { StepResult } from '../step-result.js'
import { check } from './expectations.js'
import { sendOnce, unsettledResult, untestedResult } from './on-the-wire.js'
import type { SpecTalk } from './spec-talk.js'
import { note, noteEarlier } from './token-notes.js'

/**
 * Sends a request of a step, and judges it.
 * @param own the request of the step, where this is a variation of it
 * @param isAgain whether it was turned away once, while there was room for a token
 * @returns `result` where the exchange decides nothing, else the results of the expectations
 */
export async function sendAs(
  talk: SpecTalk,
  step: SendStep,
  whole: WireRequest,
  token: Token | undefined,
  own?: WireRequest,
  isAgain = false,
): Promise<{ result?: StepResult | undefined; results: StepResult[]; exchange: Exchange }> {
  const { session } = talk.context
  const sentBefore = talk.exchanges.length
  const exchange = await sendOnce(talk, whole, step, token).catch(async (error: unknown) => {
    // What could only be sent in another way than its own had its effect all the same.
    for (const other of talk.exchanges.slice(sentBefore).filter(({ request }) => !isSafe(request.method))) {
      if (step.expect.includes('nothing issued')) await check(talk, 'nothing issued', other, token, own)
      note(talk, step, other, token, own)
    }
    throw error
  })
  const isAway = turnsAway(exchange.response?.status ?? 0)
  const roomNow = isAway && !own ? await hasRoom(talk, exchange) : undefined
  // It came too soon after others.
  if (roomNow && !isAgain) return sendAs(talk, step, whole, token, own, true)
  // Checked without expectations too: later steps would be judged as if this one had happened.
  const unjudged = (await untestedResult(talk, exchange)) ?? unsettledResult(talk, exchange, step, token)
  if (token) noteEarlier(talk, token, exchange)
  const results: StepResult[] = []
  for (const expectation of unjudged ? [] : step.expect)
    results.push(await check(talk, expectation, exchange, token, own))
  note(talk, step, exchange, token, own)
  if (step.observe !== undefined && !own)
    Object.assign(talk.facts, factsOf(step.observe, exchange, isRefused(talk, step, exchange, results)))
  // The variation may be the reason why a logon is refused, or its chunks.
  const isTold = !own && !step.isChunked && !isAway
  const isFull = (isTold ? await hasRoom(talk, exchange) : roomNow) === false
  const limited: StepResult | undefined = isFull
    ? { outcome: 'limited', room: session.live, expected: 'a token is issued', got: summary(exchange) }
    : undefined
  return { result: limited ?? unjudged, results, exchange }
}

/** Whether an answer is a refusal, whatever its status: a logon that issued no token, or a body that this Core refuses with. */
function isRefused(talk: SpecTalk, step: SendStep, exchange: Exchange, results: readonly StepResult[]): boolean {
  const { response, request } = exchange
  if (!response) return false
  if (step.expect.includes('nothing issued')) return results.every(({ outcome }) => outcome === 'ok')
  if (talk.mayActAs('logon', exchange, step))
    return !talk.issued.some(({ issued }) => issued.sentAt === exchange.sentAt)
  return talk.context.answers.of(request).rejects(exchange)
}

/**
 * Whether there is room for another token, where a right logon gave none: then another logon gives one. Where the run holds none, there is,
 * and what turned the logon away was something else.
 * @returns undefined for anything else
 */
async function hasRoom(talk: SpecTalk, exchange: Exchange): Promise<boolean | undefined> {
  const { session } = talk.context
  if (!exchange.response || !session.isRightLogon(exchange.request)) return undefined
  if (talk.issued.some(token => token.issued.sentAt === exchange.sentAt)) return undefined
  if (session.live === 0) return turnsAway(exchange.response.status) || undefined
  const again = await talk.exchange(talk.inRole('logon'), { isNew: true, isUnwaited: true })
  const token = talk.take(again, 'token to see whether there is room')
  if (token) await talk.giveBack(token)
  return token !== undefined
}
