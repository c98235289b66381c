import type { Action } from './action.js'
import { waitMs } from './lower.js'
import type { Timing } from './model.js'

/** Returns the most time that a sequence takes, in milliseconds: all its waits one after another, and its requests. */
export function takesMs(actions: readonly Action[], timing: Timing): number {
  return actions.reduce((sum, { wait }) => {
    const span = typeof wait?.unused === 'string' ? waitMs(wait.unused, timing) : 0
    return sum + span + timing.requestMs
  }, 0)
}
