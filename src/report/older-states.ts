/**
 * Finds the state of each requirement in results of older versions. The steps of these results do not name requirements, so the
 * state follows from the specs that failed. A result of today holds its states.
 */
import { isSpec } from '../result/outcomes.js'
import type { RequirementRecord, RequirementState, RunResult, SpecRecord } from '../result.js'

/** A requirement with its state and evidence. */
export type StatedRequirement = RequirementRecord & Required<Pick<RequirementRecord, 'state' | 'evidence'>>

/** Returns the requirements of a result with their states. A result without a ledger has those that its specs name. */
export function stated(result: RunResult): StatedRequirement[] {
  const { requirements = namedBy(result.specs) } = result
  if (requirements.every(isStated)) return requirements
  const blame = blamed(result.specs)
  return requirements.map(requirement => {
    const own = result.specs.filter(spec => spec.requirements.some(({ id }) => id === requirement.id))
    const accusing = own.filter(spec => blame.get(spec)?.has(requirement.id))
    const evidence = accusing.flatMap(({ id, steps }) =>
      steps.flatMap(({ outcome }, step) => (outcome === 'miss' ? [{ spec: id, step }] : [])),
    )
    return { ...requirement, state: stateOf(requirement, own, accusing, result), evidence }
  })
}

/** Returns a result of any version with the states of its requirements. */
export function withStates(result: RunResult): RunResult {
  const { requirements } = result
  return requirements === undefined || requirements.every(isStated)
    ? result
    : { ...result, requirements: stated(result) }
}

function isStated(requirement: RequirementRecord): requirement is StatedRequirement {
  return requirement.state !== undefined && requirement.evidence !== undefined
}

function isBroken({ outcome }: SpecRecord): boolean {
  return outcome === 'failed' || outcome === 'known failure'
}

/**
 * Finds which requirements each failed spec accuses. A spec with several requirements accuses those that also failed in a spec
 * of their own; if there are none, it accuses its first. So no requirement is accused just because a spec names it.
 */
function blamed(specs: readonly SpecRecord[]): Map<SpecRecord, Set<string>> {
  const failed = specs.filter(isBroken)
  const alone = new Set(failed.flatMap(({ requirements }) => (requirements.length === 1 ? [requirements[0]?.id] : [])))
  return new Map(
    failed.map(spec => {
      const ids = spec.requirements.map(({ id }) => id)
      const known = ids.filter(id => alone.has(id))
      return [spec, new Set(known.length > 0 ? known : ids.slice(0, 1))]
    }),
  )
}

function stateOf(
  { id, level, specs: all }: RequirementRecord,
  specs: SpecRecord[],
  accusing: SpecRecord[],
  { reason, configuration, doubts = [] }: RunResult,
): RequirementState {
  if (level === 'excluded') return 'not testable'
  if (accusing.some(({ outcome }) => outcome === 'failed')) return 'not met'
  if (accusing.length > 0) return 'known failure'
  if (specs.some(isBroken) || doubts.some(({ requirement }) => requirement === id)) return 'in doubt'
  if (level === 'observe') return specs.some(({ outcome }) => outcome === 'observed') ? 'observed' : 'not tested'
  const judging = specs.filter(spec => spec.level === 'must')
  if (!judging.some(({ outcome }) => outcome === 'passed' || outcome === 'unexpected pass')) return 'not tested'
  // A spec that was skipped because the run ended early, or was a quick one, is open, too.
  const isCutShort = (message = '') => message === reason || message.includes('profile quick')
  const isOpen = ({ outcome, message }: SpecRecord) =>
    ['inconclusive', 'blocked', 'pending'].includes(outcome) || (outcome === 'skipped' && isCutShort(message))
  const ran = new Set(specs.map(spec => spec.id))
  const isPart = configuration.only.length > 0 && all.some(spec => !ran.has(spec))
  return isPart || judging.some(isOpen) ? 'met so far' : 'met'
}

/** Collects the requirements that specs name, for a result without a ledger. Requirements of the level `observe` come last. */
function namedBy(specs: readonly SpecRecord[]): RequirementRecord[] {
  const found = new Map<string, RequirementRecord>()
  for (const spec of specs.filter(isSpec)) {
    for (const requirement of spec.requirements) {
      const known = found.get(requirement.id) ?? { ...requirement, level: 'observe', specs: [] }
      found.set(requirement.id, known)
      if (spec.level === 'must') known.level = 'must'
      if (!known.specs.includes(spec.id)) known.specs.push(spec.id)
    }
  }
  const isOpen = ({ level }: RequirementRecord) => Number(level === 'observe')
  // Sorts `ACCESS-2` before `ACCESS-20`, in every locale. Made here: that takes 10 ms, and results of today do not need it.
  const byId = new Intl.Collator('en', { numeric: true })
  return [...found.values()].sort((a, b) => isOpen(a) - isOpen(b) || byId.compare(a.id, b.id))
}
