/** Runs the steps that compare tokens, and send nothing. */
import type { DistinctStep, OpaqueStep } from '../../suite/spec.js'
import { credentialIn } from '../credentials.js'
import type { StepResult } from '../step-result.js'
import type { SpecTalk } from './spec-talk.js'

/** Checks that tokens differ from each other. */
export function distinctStep(talk: SpecTalk, { tokens: names }: DistinctStep): StepResult {
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
export function opaqueStep(talk: SpecTalk, { token }: OpaqueStep): StepResult {
  const found = credentialIn(talk.token(token).value, talk.context.parts.variables)
  return {
    outcome: found ? 'miss' : 'ok',
    expected: 'a token that is not made of the credentials',
    got: found ? `a token that holds ${found}` : 'a token without credentials',
    isCertain: found !== undefined,
  }
}
