/** Says which requirements a spec accuses, and of which kind an answer is. Every report and comparison asks here. */
import type { RequirementRef, SpecRecord, StepRecord } from '../result.js'

/** Whether the answer to a step missed the expectation. A missed time window is no miss of the Core. */
export function isMiss({ outcome }: StepRecord): boolean {
  return outcome === 'miss'
}

/**
 * Returns the requirements that a failed spec accuses: those of the step that missed. A record whose steps name no requirements
 * (a pin, a baseline entry) accuses all its requirements. Empty for a spec that did not fail.
 */
export function accused({ outcome, steps, requirements }: SpecRecord): RequirementRef[] {
  if (outcome !== 'failed' && outcome !== 'known failure') return []
  if (steps.every(step => step.requirements === undefined)) return requirements
  const ids = steps.filter(isMiss).flatMap(({ requirements: tested = [] }) => tested)
  return requirements.filter(({ id }) => ids.includes(id))
}

/**
 * Returns the kind of an expectation or answer: its status or first words, without parts that vary between exchanges, and whether
 * it opened the API. A family of which every variation got through is of the kind of a single request that did.
 */
export function answerKind(text = ''): string {
  const [, ofEach] = /^each of \d+ (?:variations?|rows?) of [^:]+: (.+)$/s.exec(text) ?? []
  if (ofEach !== undefined) return answerKind(ofEach)
  const [, , every] = /^(\d+) of \1 got through: [^()]*\((\d{3})\b/.exec(text) ?? []
  const [status = every] = /^\d{3}\b/.exec(text) ?? []
  const isOpen = every !== undefined || text.includes('as a fresh token gets') || text.includes('with a token')
  return `${status ?? text.replace(/[:(,].*$/s, '').replace(/\d+/g, '#')}${isOpen ? ', accepted' : ''}`
}
