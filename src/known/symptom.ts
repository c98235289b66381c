/** Tells failures of one spec apart: a failure that is known accepts no other one. */
import { inert } from '../report/inert.js'
import { accused, isMiss } from '../result/accused.js'
import { answerKind } from '../result/answer-kind.js'
import type { KnownFailure, SpecRecord, StepRecord } from '../result.js'

/** What a spec saw fail: the requirement that it accuses, and what was seen. */
export type Symptom = Pick<KnownFailure, 'requirement' | 'seen'>

/**
 * Returns the symptom of a failed spec. It is the same in every run in which the Core does the same: times, tokens and numbers of
 * tries have no part in it, and of the answers before the miss only the class of their status has.
 */
export function symptomOf(spec: SpecRecord): Symptom {
  const [requirement] = accused(spec)
  const at = spec.steps.findIndex(isMiss)
  const step = spec.steps[at]
  const seen = step && `${step.seen ?? step.text} (${answersOf(spec, spec.steps.slice(0, at), step)})`
  return { ...(requirement && { requirement: requirement.id }), ...(seen !== undefined && { seen: inert(seen) }) }
}

/** Whether a failure is the one that an entry names. An entry of an older version names none, so any failure will do. */
export function isKnown({ requirement, seen }: Symptom, spec: SpecRecord): boolean {
  const now = symptomOf(spec)
  return (requirement === undefined || requirement === now.requirement) && (seen === undefined || seen === now.seen)
}

/** Says a symptom in words: `REVOKE-1: a revoked token is still accepted (…)`. */
export function symptomText({ requirement, seen }: Symptom): string {
  return [requirement, seen].filter(part => part !== undefined).join(': ') || 'no symptom'
}

/** Says what the Core answered: `200, accepted, after POST 2xx, DELETE 4xx`. */
function answersOf({ exchanges }: SpecRecord, before: StepRecord[], { got = 'nothing' }: StepRecord): string {
  const earlier = before.flatMap(step => {
    const { request, response } = exchanges[step.exchanges[0] ?? -1] ?? {}
    if (!request) return []
    return `${request.method} ${response ? `${Math.floor(response.status / 100)}xx` : 'without an answer'}`
  })
  const after = earlier.length > 0 ? `, after ${[...new Set(earlier)].join(', ')}` : ''
  return `${answerKind(got)}${after}`
}
