/** Runs one step of a spec. Each kind of step has a module of its own. */
import type { StepRecord } from '../../result.js'
import type { DistinctStep, OpaqueStep, Step } from '../../suite/spec.js'
import { credentialIn } from '../credentials.js'
import type { StepResult } from '../step-result.js'
import { logonStep } from './logon-step.js'
import { sendStep } from './send-step.js'
import type { SpecTalk } from './spec-talk.js'
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

/** Checks that tokens differ from each other. */
function distinctStep(talk: SpecTalk, { tokens: names }: DistinctStep): StepResult {
  const values = names.map(name => talk.token(name).value)
  const holds = new Set(values).size === values.length
  return {
    outcome: holds ? 'ok' : 'miss',
    expected: `${names.join(' and ')} are different tokens`,
    got: holds ? 'different tokens' : 'the same token',
    isCertain: !holds,
  }
}

/** Checks that a token does not contain the credentials. */
function opaqueStep(talk: SpecTalk, { token }: OpaqueStep): StepResult {
  const found = credentialIn(talk.token(token).value, talk.context.parts.variables)
  return {
    outcome: found ? 'miss' : 'ok',
    expected: 'a token that is not made of the credentials',
    got: found ? `a token that holds ${found}` : 'a token without credentials',
    isCertain: found !== undefined,
  }
}
