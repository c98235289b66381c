import { type Exchange, summary } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import type { Gap, StepRecord } from '../result.js'
import type { SendStep } from '../suite/spec.js'

/** Result of one step. Only a `miss` of a check counts against the Core. */
export interface StepResult extends Pick<StepRecord, 'covered' | 'rows'> {
  /** `limited`: the Core has no room for another token now. */
  outcome: 'ok' | 'miss' | 'missed window' | 'unreachable' | 'limited'
  expected?: string
  got?: string
  /** The token that should be alive and was not accepted, where that is the cause of the miss. */
  dead?: Token
  /** Whether no other spec, network or restart can cause this miss. A request that was let in is such a miss. */
  isCertain?: boolean
  /** Whether the Core refused each request that it had let in when it was sent again. */
  isOnce?: boolean
  /** How many tokens the Core had room for; present with `limited`. */
  room?: number
  /** How long the token had been unused. */
  gap?: Gap
  /** Whether the token was accepted. */
  isAlive?: boolean
  /** The exchanges of the step that the result is about. A step sends others: controls, looks, clean-up. */
  telling?: readonly Exchange[]
}

/** Result of a step without expectations, or with expectations that another result states. */
export const OK: StepResult = { outcome: 'ok' }

/**
 * Combines the results of several expectations: the first miss, else the first other failure, else one result that
 * states all; undefined for none.
 */
export function combine(results: StepResult[]): StepResult | undefined {
  const bad = results.find(({ outcome }) => outcome === 'miss') ?? results.find(({ outcome }) => outcome !== 'ok')
  if (bad) return bad
  const expected = results.map(result => result.expected).join('; ')
  const got = [...new Set(results.map(result => result.got))].join('; ')
  const { gap, isAlive } = results.find(result => result.gap) ?? {}
  const timed = { ...(gap && { gap }), ...(isAlive !== undefined && { isAlive }) }
  return results.length ? { ...OK, expected, got, ...timed } : undefined
}

/** Returns the result of a step that expects nothing. A step that observes states what it saw. */
export function observedResult({ observe }: SendStep, exchange: Exchange): StepResult {
  return observe === undefined
    ? OK
    : { ...OK, expected: 'anything: the reference leaves it open', got: summary(exchange) }
}
