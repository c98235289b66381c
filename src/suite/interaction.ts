/** Finds the steps of a spec that contracts show. */
import type { InteractionRecord } from '../result.js'
import type { RawSpec, RawStep } from './raw-step.js'
import type { State } from './step-words.js'
import { tokensIn } from './variables.js'

/** The states of the token that a request carries. */
const TOKEN_STATES: readonly State[] = [
  'a valid token',
  'a revoked token',
  'an expired token',
  'a token that was never issued',
]

/** Returns the interactions of a spec, in the order of its steps. */
export function interactionsOf({ given = [], steps }: RawSpec): InteractionRecord[] {
  return [...given, ...steps].flatMap(({ interaction }, step) => (interaction ? [{ ...interaction, step }] : []))
}

/** Says in a sentence each why a step cannot be an interaction of a contract. */
export function interactionMisses(spec: RawSpec, step: RawStep): string[] {
  const state = step.interaction?.state
  if (state === undefined) return []
  const misses: string[] = []
  if (spec.level === 'observe')
    misses.push('only a spec that can pass gives an interaction, and one that observes cannot')
  if (step.without?.length) misses.push('a contract cannot say that a header is missing: mark another step')
  if (step.http === '1.0') misses.push('contracts speak HTTP/1.1: mark another step')
  const carries = step.token !== undefined || tokensIn([step.path, step.headers, step.body]).length > 0
  if (TOKEN_STATES.includes(state) && !carries) misses.push(`with '${state}' the request must carry a token`)
  if (!TOKEN_STATES.includes(state) && carries) misses.push(`'${state}' does not go with a token in the request`)
  const isOff = spec.when?.['access-control'] === 'off'
  if (isOff !== (state === 'access control off'))
    misses.push("'access control off' is the state of specs that are for it, and of no others")
  return misses
}
