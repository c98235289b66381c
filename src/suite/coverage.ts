import type { Requirement, Spec, Suite } from './spec.js'

/** One requirement with the specs that test it. */
export interface Coverage {
  requirement: Requirement
  /** Ids in the order of the suite. Empty for an excluded requirement. */
  specs: string[]
  /** Whether a spec of its level tests it. An excluded requirement counts as covered. */
  covered: boolean
}

/** Lists every requirement of the ledger, in its order, with the specs that test it. */
export function coverage({ requirements, specs }: Pick<Suite, 'requirements' | 'specs'>): Coverage[] {
  return [...requirements.values()].map(requirement => {
    const testing = specs.filter(spec => spec.requirements.some(({ id }) => id === requirement.id))
    return { requirement, specs: testing.map(({ id }) => id), covered: isCovered(requirement, testing) }
  })
}

/** Whether a requirement is tested. A spec that only observes does not test a `must`: it could never fail. */
function isCovered({ level = 'must' }: Requirement, testing: Spec[]): boolean {
  return level === 'excluded' || testing.some(spec => level === 'observe' || spec.level === 'must')
}
