import type { Requirement, Spec, Suite } from './spec.js'

/** One requirement with the specs that test it. */
export interface Coverage {
  requirement: Requirement
  /** Ids, in the order of the suite. Empty for what is excluded. */
  specs: string[]
  /** Whether a statement that can be tested is tested by a spec of its level. */
  covered: boolean
}

/** Every requirement of the ledger, in its order, with the specs that test it. */
export function coverage({ requirements, specs }: Pick<Suite, 'requirements' | 'specs'>): Coverage[] {
  return [...requirements.values()].map(requirement => {
    const testing = specs.filter(spec => spec.requirements.some(({ id }) => id === requirement.id))
    return { requirement, specs: testing.map(({ id }) => id), covered: isCovered(requirement, testing) }
  })
}

/** What only an observing spec looks at is not tested: it could never fail. */
function isCovered({ level = 'must' }: Requirement, testing: Spec[]): boolean {
  return level === 'excluded' || testing.some(spec => level === 'observe' || spec.level === 'must')
}
