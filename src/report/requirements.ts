/** What a run says of each requirement, for the reports that show more than the specs one by one. */
import type { RequirementRecord, RunResult, SpecRecord } from '../result.js'
import { grouped } from './grouped.js'
import { count, why } from './words.js'

/**
 * What the specs of a requirement came to.
 * `not met`: a spec failed, and this is what it is about; `in doubt`: all that failed are first of all about another
 * requirement; `known failure`: not met, as the baseline says; `met so far`: some of its specs are still open, or were not
 * selected; `observed`: the reference leaves it open, and what this Core does was seen; `not testable`: no test over the wire
 * can tell.
 */
export type State =
  | 'not met'
  | 'in doubt'
  | 'known failure'
  | 'met so far'
  | 'not tested'
  | 'met'
  | 'observed'
  | 'not testable'

/** One requirement with what this run says of it. */
export interface Standing {
  requirement: RequirementRecord
  state: State
  /** Its specs in this run, whatever came of them. */
  specs: SpecRecord[]
  /** How many more specs test it, which were not selected. */
  unselected: number
  /** Why some of its specs, or all, tell nothing, each reason once: `2 specs skipped: …`. What was not selected comes last. */
  reasons: string[]
}

/** Every requirement of a result, in the order of the ledger; in a result of before it was kept, those that specs name. */
export function standings(result: RunResult): Standing[] {
  const ledger = result.requirements ?? namedBy(result.specs)
  const blame = blamed(result.specs)
  return ledger.map(requirement => {
    const specs = result.specs.filter(spec => names(spec, requirement.id))
    const ran = new Set(specs.map(({ id }) => id))
    const unselected = requirement.specs.filter(id => !ran.has(id)).length
    const state = stateOf({ requirement, specs, unselected }, blame, result)
    return { requirement, state, specs, unselected, reasons: reasonsOf(specs, unselected, result) }
  })
}

/** The requirements that a failed spec is held to be about, each with those specs, in the order of the standings. */
export function broken(
  all: readonly Standing[],
  specs: readonly SpecRecord[],
): Pick<Standing, 'requirement' | 'specs'>[] {
  const blame = blamed(specs)
  return all
    .map(({ requirement, specs: own }) => ({
      requirement,
      specs: own.filter(spec => spec.outcome === 'failed' && blame.get(spec)?.has(requirement.id)),
    }))
    .filter(({ specs: own }) => own.length > 0)
}

/** `14 of 15 tested: 13 met, 1 not met`, then what is seen of what the reference leaves open. */
export function coverageText(all: readonly Standing[]): string {
  const ofLevel = (level: RequirementRecord['level']) => all.filter(({ requirement }) => requirement.level === level)
  const [stated, open] = [ofLevel('must'), ofLevel('observe')]
  const told = (['not met', 'in doubt', 'known failure', 'met so far', 'met'] as const).flatMap(state => {
    const number = stated.filter(standing => standing.state === state).length
    return number > 0 ? [`${number} ${state}`] : []
  })
  const tested = stated.filter(({ state }) => state !== 'not tested').length
  const seen = open.filter(({ state }) => state === 'observed').length
  return [
    `${tested} of ${stated.length} tested${told.length > 0 ? `: ${told.join(', ')}` : ''}`,
    ...(open.length > 0 ? [`${seen} of ${count(open.length, 'open point')} observed`] : []),
  ].join('; ')
}

function names(spec: SpecRecord, requirement: string): boolean {
  return spec.requirements.some(({ id }) => id === requirement)
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
  { requirement: { id, level }, specs, unselected }: Pick<Standing, 'requirement' | 'specs' | 'unselected'>,
  blame: ReadonlyMap<SpecRecord, Set<string>>,
  { reason, configuration }: RunResult,
): State {
  if (level === 'excluded') return 'not testable'
  const accusing = specs.filter(spec => blame.get(spec)?.has(id))
  if (accusing.some(({ outcome }) => outcome === 'failed')) return 'not met'
  if (accusing.length > 0) return 'known failure'
  if (specs.some(isBroken)) return 'in doubt'
  if (level === 'observe') return specs.some(({ outcome }) => outcome === 'observed') ? 'observed' : 'not tested'
  const judging = specs.filter(spec => spec.level === 'must')
  if (!judging.some(({ outcome }) => outcome === 'passed' || outcome === 'unexpected pass')) return 'not tested'
  // What was skipped because the whole run ended early, or was to be a quick one, is open too.
  const isCutShort = (message = '') => message === reason || message.includes('--profile quick')
  const isOpen = ({ outcome, message }: SpecRecord) =>
    ['inconclusive', 'blocked', 'pending'].includes(outcome) || (outcome === 'skipped' && isCutShort(message))
  const isPart = unselected > 0 && configuration.only.length > 0
  return isPart || judging.some(isOpen) ? 'met so far' : 'met'
}

const UNJUDGED: readonly SpecRecord['outcome'][] = ['inconclusive', 'blocked', 'pending', 'skipped']

function reasonsOf(specs: readonly SpecRecord[], unselected: number, { configuration }: RunResult): string[] {
  const unjudged = specs.filter(({ outcome }) => UNJUDGED.includes(outcome))
  const told = [...grouped(unjudged, spec => `${spec.outcome}: ${why(spec)}`)].map(
    ([reason, own]) => `${count(own.length, 'spec')} ${reason}`,
  )
  if (unselected === 0) return told
  const { only } = configuration
  // Without a selection, only what measures is left out, unless it is asked for.
  const by =
    only.length > 0 ? `not selected by --only ${only.join(', ')}` : 'left out: measuring takes --measure-lifetime'
  return [...told, `${count(unselected, 'spec')} ${by}`]
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
