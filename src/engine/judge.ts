import { STATUS_CODES } from 'node:http'
import { type Answers, alike, answerOf } from '../core/answers.js'
import { type Exchange, isBroken, summary } from '../core/exchange.js'
import { signsInWords } from '../settings/refused.js'
import { type BodySchema, bodyMisses } from '../suite/body-schema.js'
import type { Expectation } from '../suite/step-words.js'

/** The judgement of one expectation. */
export interface Judgement {
  holds: boolean
  expected: string
  got: string
}

/** The expectations that a response alone decides. */
export type Visible = Exclude<Expectation, 'nothing issued' | 'issued' | 'revoked'>

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
export function isAboutToken(expectation: Expectation): boolean {
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
