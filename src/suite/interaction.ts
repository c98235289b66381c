/** Finds the steps of a spec that contracts show. */
import type { InteractionRecord } from '../result.js'
import { type Miss, miss } from './problem.js'
import type { RawSpec, RawStep } from './raw-step.js'
import { TOKEN_STATES } from './step-words.js'
import { tokensIn } from './variables.js'

/** Returns the interactions of a spec, in the order of its steps. */
export function interactionsOf({ given = [], steps }: RawSpec): InteractionRecord[] {
  return [...given, ...steps].flatMap(({ interaction }, step) => (interaction ? [{ ...interaction, step }] : []))
}

/** Finds why a step cannot be an interaction of a contract. */
export function interactionMisses({ level, when }: RawSpec, step: RawStep): Miss[] {
  const state = step.interaction?.state
  if (state === undefined) return []
  const isOfToken = TOKEN_STATES.some(each => each === state)
  const carries = step.token !== undefined || tokensIn([step.path, step.headers, step.body]).length > 0
  const isOff = when?.['access-control'] === 'off'
  const told = [
    level === 'observe' && 'only a spec that can pass gives an interaction, and one that observes cannot',
    step.without?.length && 'a contract cannot say that a header is missing: mark another step',
    step.http === '1.0' && 'contracts speak HTTP/1.1: mark another step',
    isOfToken && !carries && `with '${state}' the request must carry a token`,
    !isOfToken && carries && `'${state}' does not go with a token in the request`,
    isOff !== (state === 'access control off') &&
      "'access control off' is the state of specs that are for it, and of no others",
  ]
  return told.flatMap(message => (message ? [miss(message, 'interaction')] : []))
}
