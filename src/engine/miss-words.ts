/** Puts into words what a missed step has seen, and what that means for clients. */
import type { Exchange } from '../core/exchange.js'
import type { SendStep, Spec, Step } from '../suite/spec.js'
import type { StepResult } from './step-result.js'

/** The words of reports about a miss. */
interface Words {
  seen?: string
  consequence?: string
}

/**
 * Describes the miss of a testing step. The words of the spec fit the miss that it looks for: acceptance in place of
 * rejection, or the reverse. Where no whole answer came, other words say so: the run did not see the worst that a broken
 * requirement can mean.
 * @param result the miss, with the exchanges that show it; none for a step that sends nothing
 * @returns nothing for a step that tests nothing
 */
export function missWords(spec: Spec, step: Step, { telling: missed = [] }: StepResult): Words {
  const [id] = step.tests
  if (id === undefined) return {}
  const isFamily = step.action === 'send' && step.each !== undefined
  if (missed.length > 0) {
    if (missed.every(({ response }) => !response)) return NO_ANSWER
    if (missed.every(({ error }) => error)) return BROKEN_OFF
  }
  // The other members of the family were refused, so what its spec says of them all would be too much.
  const isHeadOnly = isFamily && wantsRefusal(step) && missed.length > 0 && missed.every(isHead)
  const consequence = isHeadOnly
    ? HEAD_ONLY
    : (step.consequence ?? spec.requirements.find(requirement => requirement.id === id)?.consequence)
  return {
    seen: step.otherwise ?? `it does not hold that ${spec.title}`,
    ...(consequence !== undefined && { consequence }),
  }
}

const NO_ANSWER: Words = {
  seen: 'the request got no answer',
  consequence: 'A client gets no answer, and cannot know what became of its request.',
}

const BROKEN_OFF: Words = {
  seen: 'the answer to the request did not arrive whole',
  consequence: 'A client gets only a part of an answer, and cannot know what became of its request.',
}

const HEAD_ONLY = 'Anybody who asks with HEAD sees what is there, and its headers, though not what it holds.'

function isHead({ request }: Exchange): boolean {
  return request.method === 'HEAD'
}

function wantsRefusal({ expect }: SendStep): boolean {
  return expect.includes('rejected') || expect.includes('expired') || expect.includes('not accepted')
}
