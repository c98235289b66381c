/** Judges the answer to a step by the step's expectations. */

import { STATUS_CODES } from 'node:http'
import { type Answers, alike, answerOf } from '../../core/answers.js'
import { type Candidate, candidates } from '../../core/candidates.js'
import { type Exchange, isBroken, summary, type WireRequest, type WireResponse } from '../../core/exchange.js'
import { alphabetOf, type Token } from '../../core/token.js'
import type { Gap } from '../../result.js'
import { signsInWords } from '../../settings/refused.js'
import { type BodySchema, bodyMisses } from '../../suite/body-schema.js'
import { waits } from '../../suite/spec.js'
import type { Expectation } from '../../suite/step-words.js'
import { gotThrough } from '../got-through.js'
import { probeWith } from '../requests.js'
import { OK, type StepResult } from '../step-result.js'
import { warmToken } from '../warm.js'
import { gapSince, missedAlive, missedExpired, timingBasis } from '../window.js'
import type { SpecTalk } from './spec-talk.js'

/** Most strings of a response that are tried to see that no token was issued. */
const MAX_TRIED = 3

/**
 * Judges an exchange by one expectation. @param own the request of the step, where the exchange is a variation of it
 */
export async function check(
  talk: SpecTalk,
  expectation: Expectation,
  exchange: Exchange,
  token: Token | undefined,
  own?: WireRequest,
): Promise<StepResult> {
  const { context } = talk
  const { answers } = context
  if (expectation === 'nothing issued') return checkNothingIssued(talk, exchange)
  // A use of the token shows whether it was issued, or revoked.
  if (expectation === 'issued' || expectation === 'revoked') return OK
  // `judgeOpen` judges it: the same request with a token may tell what the answer means.
  if (expectation === 'open') return OK
  const { request, error } = exchange
  // A path that may not exist is compared with the answers of the probe's path.
  const kind = expectation === 'not accepted' ? answers.probe : answers.of(request)
  const { holds: isAsSaid, expected, got } = judge(expectation, exchange, kind)
  const isThrough = own && gotThrough(exchange, own, context)
  const isRefusal = expectation === 'rejected' || expectation === 'expired' || expectation === 'not accepted'
  const holds = isThrough !== undefined && isRefusal ? !isThrough : isAsSaid
  const answer = answers.of(request).kindOf(exchange)
  // Refused where a status of its own is expected of a good token (405, say), a token is dead as well.
  const isMissed = !holds && (expectation === 'accepted' || (typeof expectation === 'number' && answer === 'refused'))
  const timed = token && timedBy(talk, isMissed && !request.omitHost ? 'accepted' : expectation, exchange, token)
  const told = { expected, ...(timed?.gap && { gap: timed.gap }) }
  if (timed?.missed) return { outcome: 'missed window', ...told, got: `${got}, but ${timed.missed}` }
  const isAway = answer === 'turned away'
  if (!holds && isAboutToken(expectation) && isAway)
    return {
      outcome: 'unreachable',
      ...told,
      got: `${got}: the request was turned away, which says nothing of its token`,
    }
  const isSame = (each: Token) => each !== token && each.value === token?.value && each.givenBack
  if (isMissed && context.session.tokens.some(isSame))
    return { outcome: 'unreachable', ...told, got: `${got}: another logon gave the same token, which was revoked` }
  const dead = isMissed ? token : undefined
  const isAlive = isThrough ?? (!error && answers.of(request).accepts(exchange))
  const isCertain = !holds && expectation !== 'accepted' && isAlive === true
  const basis = timed?.basis ?? (timed?.gap && timingBasis(timed.gap, context.lifetime))
  const why = !holds && basis ? `; ${basis}` : ''
  return {
    outcome: holds ? 'ok' : 'miss',
    ...told,
    got: got + why,
    ...(dead && { dead }),
    ...(isCertain && { isCertain }),
    ...(timed?.gap && { isAlive }),
  }
}

/**
 * Returns how long the token of an exchange had been unused, or what else its judgement rests on, and why that decides nothing,
 * where it does not.
 */
function timedBy(
  { context: { lifetime }, spec }: SpecTalk,
  expectation: Expectation,
  exchange: Exchange,
  token: Token,
): { gap?: Gap; basis?: string; missed?: string | undefined } {
  // In a spec without waits, the gap says nothing.
  const isTold = waits(spec)
  if (expectation === 'expired') {
    const gap = gapSince(token.possibleUse, exchange)
    const missed = missedExpired(gap, lifetime)
    const told = isTold ? { gap } : {}
    // That it was let in since then does not bring it back.
    if (missed && token.lapsed) return { ...told, basis: 'the token had been unused for more than its lifetime before' }
    return { ...told, missed }
  }
  if (expectation !== 'accepted' && expectation !== 'either') return {}
  const gap = gapSince(token.certainUse, exchange)
  return { ...(isTold && { gap }), missed: expectation === 'accepted' ? missedAlive(gap, lifetime) : undefined }
}

/** Checks that no string of a response opens the API: neither one at the token's place nor one with a token's shape. */
async function checkNothingIssued(talk: SpecTalk, exchange: Exchange): Promise<StepResult> {
  const { session, answers } = talk.context
  const expected = 'no token is issued'
  const like = session.tokens[0]?.value ?? ''
  const { response } = exchange
  const isLike = ({ value }: Candidate) => value.length === like.length && alphabetOf(value) === alphabetOf(like)
  const isSuspect = (each: Candidate, response: WireResponse) =>
    isLike(each) || (session.isPlace(each.pointer) && !session.isWord(each, response))
  const suspects = response ? candidates(response).filter(each => isSuspect(each, response)) : []
  // A refusal that repeats an earlier token does not issue it.
  const isRepeated = ({ value }: { value: string }) =>
    Number(response?.status) >= 400 && session.tokens.some(token => token.value === value)
  const carried = session.carriedBy(exchange.request)
  for (const suspect of suspects.filter(each => !isRepeated(each)).slice(0, MAX_TRIED)) {
    const { value } = suspect
    const token = session.add(value, 'token issued unasked', exchange)
    talk.issued.push(token)
    const use = await talk.exchange(probeWith(talk.context.parts, value))
    const isAccepted = answers.probe.accepts(use)
    if (isAccepted && carried.length > 0 && isRenewal(suspect, use)) {
      session.renewals.push(value)
      token.revoked()
      continue
    }
    if (isAccepted || (await warmToken(talk.context, token, request => talk.exchange(request)))) {
      const got = `${summary(exchange)}, with a token that opens the API`
      return { outcome: 'miss', expected, got, isCertain: true }
    }
    token.revoked()
  }
  // Holds without an answer too: another expectation judges whether there has to be one.
  return { ...OK, expected, got: summary(exchange) }
}

/** Whether a token comes with every use of another one, as a further name of that: then no logon issued it. */
function isRenewal({ pointer, value }: Candidate, { response }: Exchange): boolean {
  return (
    response !== undefined && candidates(response).some(other => other.pointer === pointer && other.value !== value)
  )
}

/** The judgement of one expectation. */
interface Judgement {
  holds: boolean
  expected: string
  got: string
}

/** The expectations that a response alone decides. */
type Visible = Exclude<Expectation, 'nothing issued' | 'issued' | 'revoked'>

/** Judges one response. Acceptance and rejection look as the survey saw them on this Core. */
export function judge(expectation: Visible, exchange: Exchange, answers: Answers): Judgement {
  if (typeof expectation === 'object') return judgeBody(expectation.body, exchange)
  return {
    holds: holds(expectation, exchange, answers),
    expected: describe(expectation, answers),
    got: got(exchange, answers),
  }
}

/** Judges the body of a response by a schema. A body that broke off is not judged as a whole one. */
function judgeBody(schema: BodySchema, exchange: Exchange): Judgement {
  const { response, error } = exchange
  const expected = 'a body that fits the schema'
  const told = summary(exchange)
  if (!response || error) return { holds: false, expected, got: told }
  const misses = bodyMisses(schema, response.body)
  return { holds: misses.length === 0, expected, got: [told, ...misses].join('; ') }
}

/** The expectations that are words or a status. */
type Plain = Exclude<Visible, object>

function holds(expectation: Plain, exchange: Exchange, answers: Answers): boolean {
  const { response, error } = exchange
  if (expectation === 'not accepted') {
    if (!response) return true
    return !error && !alike(answerOf(response), answers.accepted) && answers.shown(exchange) === undefined
  }
  if (typeof expectation === 'number') return !error && response?.status === expectation
  const kind = answers.kindOf(exchange)
  if (expectation === 'either') return !isBroken(exchange) && kind !== 'turned away'
  return !isBroken(exchange) && kind === (expectation === 'accepted' ? 'accepted' : 'refused')
}

/** Whether an expectation asks what the answer says of the token. What was turned away says nothing of it. */
function isAboutToken(expectation: Expectation): boolean {
  return ['accepted', 'rejected', 'expired', 'either'].some(each => each === expectation)
}

function describe(expectation: Plain, { accepted, signs }: Answers): string {
  if (typeof expectation === 'number') return status(expectation)
  if (expectation === 'accepted') return `accepted, as a fresh token is (${status(accepted.status)})`
  if (expectation === 'not accepted')
    return `anything but what a fresh token gets (${status(accepted.status)} with that body)`
  if (expectation === 'either') return 'accepted or rejected'
  const example = signs.length > 0 ? ` (${signsInWords(signs)})` : ''
  return `${expectation === 'expired' ? 'rejected as expired' : 'rejected'}, as a request without a token is${example}`
}

function got(exchange: Exchange, answers: Answers): string {
  if (exchange.error || !answers.accepts(exchange)) return summary(exchange)
  const isSuccess = exchange.response !== undefined && exchange.response.status < 300
  const held = isSuccess || !answers.succeeds ? undefined : answers.shown(exchange)
  return `${summary(exchange)}, as a fresh token gets${held === undefined ? '' : `: it holds ${held}`}`
}

function status(code: number): string {
  return `${code} ${STATUS_CODES[code] ?? ''}`.trim()
}
