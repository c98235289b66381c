import { type Exchange, summary } from '../core/exchange.js'
import type { Token } from '../core/token.js'
import type { Gap } from '../result.js'
import type { SendStep } from '../suite/spec.js'

/** How one step went. Only a `miss` of a check speaks against the Core. */
export interface StepResult {
  /** `limited`: the Core has no room for another token now. */
  outcome: 'ok' | 'miss' | 'missed window' | 'unreachable' | 'limited'
  expected?: string
  got?: string
  /** The token that was to be alive and was not accepted, where it missed for that. */
  dead?: Token
  /** Whether it missed by something that no other spec, network or restart can bring about, such as a request that was let in. */
  isCertain?: boolean
  /** Whether all that was let in was refused when it was sent once more. */
  isOnce?: boolean
  /** How many tokens the Core had room for; present with `limited`. */
  room?: number
  /** How long its token had been unused. */
  gap?: Gap
  /** Whether its token was accepted. */
  isAlive?: boolean
  /** Of the exchanges of the step, those that show why it missed; absent: all of them. */
  telling?: readonly Exchange[]
}

/** A step that expects nothing, or whose expectation is told beside. */
export const OK: StepResult = { outcome: 'ok' }

/** One result for a step with several expectations: the first that does not hold, else all of them; undefined for none. */
export function combine(results: StepResult[]): StepResult | undefined {
  const bad = results.find(({ outcome }) => outcome === 'miss') ?? results.find(({ outcome }) => outcome !== 'ok')
  if (bad) return bad
  const expected = results.map(result => result.expected).join('; ')
  const got = [...new Set(results.map(result => result.got))].join('; ')
  const { gap, isAlive } = results.find(result => result.gap) ?? {}
  const timed = { ...(gap && { gap }), ...(isAlive !== undefined && { isAlive }) }
  return results.length ? { ...OK, expected, got, ...timed } : undefined
}

/** The result of a step that expects nothing; what is to be observed is told all the same. */
export function seen({ observe }: SendStep, exchange: Exchange): StepResult {
  return observe === undefined
    ? OK
    : { ...OK, expected: 'anything: the reference leaves it open', got: summary(exchange) }
}
