import { isSafe } from '../ground/methods.js'
import { BYSTANDERS } from '../suite/bystanders.js'
import { methodsOf, type SendStep, type Step, type Suite } from '../suite/spec.js'
import type { Stretch } from './phases/quiet.js'
import { isSpecial } from './specially.js'

/**
 * How many connections the steps need at a time, from this one up to the next wait or the end: two where a connection that
 * is kept has to stay open while another is opened, since it is used again after that; else one. A bystander is looked at on
 * another one where it can be had: with a single connection, the kept one is opened anew after that.
 * @param most how many can be had at a time
 */
export function connectionsNeeded(steps: readonly Step[], from: number, most: number): 1 | 2 {
  let isKept = false
  let isBeside = false
  for (const step of steps.slice(from)) {
    if (step.action === 'wait' || step.action === 'later') break
    if (step.action !== 'logon' && step.action !== 'send') continue
    const isNew = step.action === 'send' && step.connection === 'new' && (most > 1 || !isBystander(step))
    if (!isNew && isBeside) return 2
    if (!isNew) isKept = true
    else if (isKept) isBeside = true
  }
  return 1
}

function isBystander({ token }: SendStep): boolean {
  return BYSTANDERS.some(name => name === token?.name)
}

/** What the steps from this one to the next wait do to the Core. */
export function stretchAt(steps: readonly Step[], index: number, requests: Suite['requests']): Stretch {
  const following = steps.slice(index)
  const wait = following.findIndex(({ action }) => action === 'wait')
  const stretch = wait < 0 ? following : following.slice(0, wait)
  const isFirst = !steps.slice(0, index).some(({ action }) => action === 'wait')
  if (!stretch.some(step => stirs(step, isFirst, requests))) return 'calm'
  return wait < 0 && !isFirst ? 'last' : 'stirs'
}

/** Whether a step may change what others look at. At first everybody logs on. */
function stirs(step: Step, isFirst: boolean, requests: Suite['requests']): boolean {
  if (step.action === 'logon') return !isFirst
  if (step.action !== 'send') return false
  return methodsOf(step, requests).some(method => !isSafe(method))
}

/** Whether a step comes after a wait in which its token was not to expire: later, it may have. */
export function isUrgentAt(steps: readonly Step[], index: number): boolean {
  const wait = steps.slice(0, index).findLast(({ action }) => action === 'wait')
  return wait?.action === 'wait' && !(wait.span === 'past lifetime' && wait.since === 'used')
}

/** Whether a step sends much, none of which needs what was sent before on its connection: others need not wait until all is sent. */
export function isLong(step: Step | undefined): boolean {
  return step?.action === 'send' && (step.times > 1 || step.each !== undefined) && !isSpecial(step)
}

/** Where the steps end that are sent at the same time as this one. */
export function groupEnd(steps: readonly Step[], from: number, end: number): number {
  let next = from + 1
  while (next < end && steps[next]?.isBeside) next++
  return next
}
