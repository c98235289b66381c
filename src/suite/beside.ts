/** Checks steps that are sent at the same time as the step before them. */
import { type Miss, miss } from './problem.js'
import type { RawStep } from './raw-step.js'
import { UNKNOWN_TOKEN } from './step-words.js'

/**
 * Finds faults of `beside` in a list of steps. A request has to come before such a step. And no step may expect something of a
 * token while another issues or revokes it: the state of the token is unknown then.
 * @param revoke the name of the request that revokes; undefined where there is none
 */
export function besideMisses(steps: readonly RawStep[], revoke: string | undefined): Miss[] {
  const isRevocation = ({ send, without }: RawStep) => send !== undefined && send === revoke && without === undefined
  const isOpen = ({ expect, observe, each }: RawStep) => [expect, observe, each].every(each => each === undefined)
  const clashes = (name: string, one: RawStep, other: RawStep) => {
    if (!tokensOf(other).includes(name)) return false
    if (one.logon !== undefined || other.logon !== undefined || (isRevocation(one) && isRevocation(other))) return true
    return isRevocation(one) ? !isOpen(other) : isRevocation(other) && !isOpen(one)
  }
  const misses: Miss[] = []
  let group: RawStep[] = []
  for (const [position, step] of steps.entries()) {
    const { beside, logon, send } = step
    const isRequest = logon !== undefined || send !== undefined
    if (!beside) group = []
    else if (isRequest && group.length === 0)
      misses.push(miss("'beside' needs a logon or a request as the step before it", position, 'beside'))
    const clash = beside && group.flatMap(other => tokensOf(other).filter(name => clashes(name, other, step)))[0]
    const message = `token '${clash}' is issued or revoked by one and used by the other at the same time`
    if (clash) misses.push(miss(message, position, 'beside'))
    if (isRequest) group.push(step)
  }
  return misses
}

function tokensOf({ logon, token }: RawStep): string[] {
  if (logon !== undefined) return [logon]
  return typeof token === 'string' && token !== UNKNOWN_TOKEN ? [token] : []
}
