/** Who is accused of what: the one place that says it, for all that is made of results. */
import type { RequirementRef, SpecRecord, StepRecord } from './result.js'

/** Whether a step missed that was to go well. A window that was missed is no miss of the Core. */
export function isMiss({ outcome }: StepRecord): boolean {
  return outcome === 'miss'
}

/**
 * The requirements that a broken spec accuses: those that the step that missed tests. What says nothing of its steps (a pin, an
 * entry of the baseline, a result of an older version) accuses all that it names. Empty for a spec that is not broken.
 */
export function accused(spec: SpecRecord): RequirementRef[] {
  const { outcome, steps, requirements } = spec
  if (outcome !== 'failed' && outcome !== 'known failure') return []
  if (!saysWhatItTests(spec)) return requirements
  const ids = steps.filter(isMiss).flatMap(({ requirements: tested = [] }) => tested)
  return requirements.filter(({ id }) => ids.includes(id))
}

/** Whether the steps of a spec say what they test; those of a result of an older version do not. */
export function saysWhatItTests({ steps }: SpecRecord): boolean {
  return steps.some(({ requirements }) => requirements !== undefined)
}
