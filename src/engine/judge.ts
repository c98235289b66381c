import { STATUS_CODES } from 'node:http'
import { type Answers, alike, answerOf } from '../core/answers.js'
import { type Exchange, summary } from '../core/exchange.js'
import { type BodySchema, bodyMisses } from '../suite/body-schema.js'
import type { Expectation } from '../suite/step-words.js'

/** The judgement of one expectation. */
export interface Judgement {
  holds: boolean
  expected: string
  got: string
}

/** The expectations that a response alone decides. */
export type Visible = Exclude<Expectation, 'nothing issued' | 'issued'>

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

function holds(expectation: Plain, { response, error }: Exchange, answers: Answers): boolean {
  if (expectation === 'not accepted' && !response) return true
  if (!response || error) return false
  if (typeof expectation === 'number') return response.status === expectation
  if (expectation === 'either') return answers.accepts(response) || answers.rejects(response)
  if (expectation === 'not accepted') return !alike(answerOf(response), answers.accepted)
  return expectation === 'accepted' ? answers.accepts(response) : answers.rejects(response)
}

function describe(expectation: Plain, { accepted, refusals }: Answers): string {
  if (typeof expectation === 'number') return status(expectation)
  if (expectation === 'accepted') return `accepted, as a fresh token is (${status(accepted.status)})`
  if (expectation === 'not accepted')
    return `anything but what a fresh token gets (${status(accepted.status)} with that body)`
  if (expectation === 'either') return 'accepted or rejected'
  const seen = refusals.find(refusal => refusal.status >= 400 && refusal.status < 500)
  const example = seen ? `, such as ${status(seen.status)}` : ''
  return `${expectation === 'expired' ? 'rejected as expired' : 'rejected'}: a 4xx that can be told from acceptance${example}`
}

function got(exchange: Exchange, answers: Answers): string {
  const { response } = exchange
  const accepted = response && !exchange.error && answers.accepts(response)
  return `${summary(exchange)}${accepted ? ', as a fresh token gets' : ''}`
}

function status(code: number): string {
  return `${code} ${STATUS_CODES[code] ?? ''}`.trim()
}
