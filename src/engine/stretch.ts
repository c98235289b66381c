import { isSafe } from '../ground/methods.js'
import { BYSTANDERS } from '../suite/bystanders.js'
import { methodsOf, type Step, type Suite } from '../suite/spec.js'
import type { Stretch } from './phases/quiet.js'
import { isSpecial } from './send-specially.js'

/**
 * Returns how many connections the steps need at a time, from this one to the next wait or the end. Two are needed
 * where a kept connection stays open while another one is opened, and is used again afterwards; else one. A look at a
 * bystander takes another connection where there is one. With a single connection, the kept one is opened anew
 * afterwards.
 * @param most most connections that are available at a time
 */
export function connectionsNeeded(steps: readonly Step[], from: number, most: number): 1 | 2 {
  let isKept = false
  let isBeside = false
  for (const step of steps.slice(from)) {
    if (step.action === 'wait' || step.action === 'later') break
    if (step.action !== 'logon' && step.action !== 'send') continue
    const opens = step.action === 'logon' ? step.isNew : step.connection === 'new'
    const isNew = opens && (most > 1 || !isBystander(step))
    if (!isNew && isBeside) return 2
    if (!isNew) isKept = true
    else if (isKept) isBeside = true
  }
  return 1
}

/** Whether a step logs on for a bystander, or looks at one. */
export function isBystander(step: Step): boolean {
  const token = step.action === 'logon' ? step.token : step.action === 'send' ? step.token?.name : undefined
  return BYSTANDERS.some(name => name === token)
}

/** Classifies the steps from this one to the next wait by their effect on the Core. */
export function stretchAt(steps: readonly Step[], index: number, requests: Suite['requests']): Stretch {
  const following = steps.slice(index)
  const wait = following.findIndex(({ action }) => action === 'wait')
  const stretch = wait < 0 ? following : following.slice(0, wait)
  const isFirst = !steps.slice(0, index).some(({ action }) => action === 'wait')
  if (!stretch.some(step => stirs(step, isFirst, requests))) return 'calm'
  // What has to look in time cannot wait until all others have ended.
  return wait < 0 && !isFirst && !isUrgentAt(steps, index) ? 'last' : 'stirs'
}

/** Whether a step may change what others look at. A first logon does not count: every spec begins with one. */
function stirs(step: Step, isFirst: boolean, requests: Suite['requests']): boolean {
  if (step.action === 'logon') return !isFirst
  if (step.action !== 'send') return false
  return methodsOf(step, requests).some(method => !isSafe(method))
}

/** Whether a step follows a wait in which its token should not expire. Later the token may have expired. */
export function isUrgentAt(steps: readonly Step[], index: number): boolean {
  const wait = steps.slice(0, index).findLast(({ action }) => action === 'wait')
  return wait?.action === 'wait' && !(wait.span === 'past lifetime' && wait.since === 'used')
}

/** Whether a step follows a moment for late effects: the tokens that it looks at get old. */
export function isAfterMoment(steps: readonly Step[], index: number): boolean {
  return steps.slice(0, index).findLast(({ action }) => action === 'wait' || action === 'later')?.action === 'later'
}

/**
 * Whether a step sends many requests that do not depend on earlier ones on their connection. Others need not wait for
 * all of them.
 */
export function isLong(step: Step | undefined): boolean {
  return step?.action === 'send' && (step.times > 1 || step.each !== undefined) && !isSpecial(step)
}

/** Returns the index after the last step that is sent at the same time as this one. */
export function groupEnd(steps: readonly Step[], from: number, end: number): number {
  let next = from + 1
  while (next < end && steps[next]?.isBeside) next++
  return next
}
