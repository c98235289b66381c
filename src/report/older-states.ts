/**
 * What results of older versions say of each requirement. Their steps do not say what they test, so it is concluded from which
 * specs failed; a result of today says it itself.
 */
import type { RequirementRecord, RequirementState, RunResult, SpecRecord } from '../result.js'

/** A requirement whose state is known. */
export type StatedRequirement = RequirementRecord & Required<Pick<RequirementRecord, 'state' | 'evidence'>>

/** The requirements of a result with their states; of one of before the ledger was kept, those that its specs name. */
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

/** A result with the states of its requirements, whichever version wrote it. */
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
 * Which of its requirements each broken spec is held against. One that names several is no news of those that others broke
 * alone; where none was, it is about the first. So a Core is not said to break what only a neighbour of it broke.
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
  // What was skipped because the whole run ended early, or was to be a quick one, is open too.
  const isCutShort = (message = '') => message === reason || message.includes('profile quick')
  const isOpen = ({ outcome, message }: SpecRecord) =>
    ['inconclusive', 'blocked', 'pending'].includes(outcome) || (outcome === 'skipped' && isCutShort(message))
  const ran = new Set(specs.map(spec => spec.id))
  const isPart = configuration.only.length > 0 && all.some(spec => !ran.has(spec))
  return isPart || judging.some(isOpen) ? 'met so far' : 'met'
}

/** What is known of the ledger where the result does not hold it. What the reference leaves open comes last. */
function namedBy(specs: readonly SpecRecord[]): RequirementRecord[] {
  const found = new Map<string, RequirementRecord>()
  for (const spec of specs.filter(({ pin, area }) => pin === undefined && area !== 'baseline')) {
    for (const requirement of spec.requirements) {
      const known = found.get(requirement.id) ?? { ...requirement, level: 'observe', specs: [] }
      found.set(requirement.id, known)
      if (spec.level === 'must') known.level = 'must'
      if (!known.specs.includes(spec.id)) known.specs.push(spec.id)
    }
  }
  const isOpen = ({ level }: RequirementRecord) => Number(level === 'observe')
  return [...found.values()].sort((a, b) => isOpen(a) - isOpen(b) || byId.compare(a.id, b.id))
}

/** `ACCESS-2` before `ACCESS-20`, wherever this runs. */
const byId = new Intl.Collator('en', { numeric: true })
