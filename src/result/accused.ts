/** Says which requirements a spec accuses. Every report and comparison asks here. */
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
