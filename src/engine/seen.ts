/** What a step that missed has seen, in words, and what that means for clients. */
import { type Answers, alike, answerOf } from '../core/answers.js'
import type { Exchange } from '../core/exchange.js'
import type { StepRecord } from '../result.js'
import type { Spec, Step } from '../suite/spec.js'

/** What reports say of a miss. */
type Words = Pick<StepRecord, 'seen' | 'consequence'>

/**
 * What a testing step that missed has seen. The words of its spec are for the miss that it is there to find: acceptance in
 * place of rejection, or the other way round. Where no answer came, or one that is neither, that is said instead, for the worst
 * that a requirement could mean was not seen.
 * @param last the exchange that missed; undefined for a step that sends nothing
 * @param answers what this Core answers to requests like that one
 * @returns nothing for a step that tests nothing
 */
export function inWords(spec: Spec, step: Step, last: Exchange | undefined, answers: Answers | undefined): Words {
  const [id] = step.tests
  if (id === undefined) return {}
  if (step.action === 'send' || step.action === 'logon') {
    if (last && !last.response) return NO_ANSWER
    if (last && answers && isNeither(step, last, answers)) return NEITHER
  }
  const consequence = step.consequence ?? spec.requirements.find(requirement => requirement.id === id)?.consequence
  return {
    seen: step.otherwise ?? `it does not hold that ${spec.title}`,
    ...(consequence !== undefined && { consequence }),
  }
}

const NO_ANSWER: Words = {
  seen: 'the request got no answer',
  consequence: 'A client gets no answer, and cannot know what became of its request.',
}

const NEITHER: Words = {
  seen: 'the answer is neither what an accepted nor what a rejected request gets',
  consequence: 'A client gets an answer that it cannot tell from others, and does not know what became of its request.',
}

/** Whether an answer that is to be acceptance or rejection is none of the two. */
function isNeither(step: Step, { response }: Exchange, answers: Answers): boolean {
  if (step.action !== 'send' || !response) return false
  if (step.expect.includes('accepted')) return !answers.rejects(response)
  // Also a page that is no acceptance to a client may be what opens the API to somebody else.
  return (
    (step.expect.includes('rejected') || step.expect.includes('expired')) &&
    !answers.accepts(response) &&
    !alike(answerOf(response), answers.accepted)
  )
}
