import type { Step } from '../suite/spec.js'

/**
 * How many connections the steps need at a time, from this one up to the next wait or the end: two where a connection that
 * is kept has to stay open while another is opened, since it is used again after that; else one.
 */
export function connectionsNeeded(steps: readonly Step[], from: number): 1 | 2 {
  let isKept = false
  let isBeside = false
  for (const step of steps.slice(from)) {
    if (step.action === 'wait' || step.action === 'later') break
    if (step.action !== 'logon' && step.action !== 'send') continue
    const isNew = step.action === 'send' && step.connection === 'new'
    if (!isNew && isBeside) return 2
    if (!isNew) isKept = true
    else if (isKept) isBeside = true
  }
  return 1
}
