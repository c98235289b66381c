/** Runs one step of a spec. Each kind of step has a module of its own. */
import type { StepRecord } from '../../result.js'
import type { Step } from '../../suite/spec.js'
import type { StepResult } from '../step-result.js'
import { logonStep } from './logon-step.js'
import { sendStep } from './send-step.js'
import type { SpecTalk } from './spec-talk.js'
import { distinctStep, opaqueStep } from './token-steps.js'
import { laterStep, waitStep } from './wait-step.js'

/**
 * Runs one step. @throws Interrupted from a wait; NotSent where a step could do harm, or does not apply to this Core
 */
export function runStep(talk: SpecTalk, step: Step, kind: StepRecord['kind']): Promise<StepResult> | StepResult {
  switch (step.action) {
    case 'logon':
      return logonStep(talk, step, kind)
    case 'send':
      return sendStep(talk, step)
    case 'wait':
      return waitStep(talk, step)
    case 'later':
      return laterStep(talk)
    case 'distinct':
      return distinctStep(talk, step)
    case 'opaque':
      return opaqueStep(talk, step)
  }
}
