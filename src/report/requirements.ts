/** Collects what a run says about each requirement, for reports that show requirements. */
import { count } from '../ground/count.js'
import { grouped } from '../ground/grouped.js'
import { countedAs, isJudged } from '../result/outcomes.js'
import type {
  CoverageRecord,
  Covered,
  Outcome,
  RequirementRecord,
  RequirementState,
  RunResult,
  SpecRecord,
} from '../result.js'
import type { Table } from './blocks.js'
import { why } from './words.js'

/** One requirement with its specs in this run, of any outcome, and how many of its specs were not selected. */
export type Standing = ReturnType<typeof standings>[number]

/** The outcome whose mark and colour each state of a requirement has. */
export const STATES: Record<RequirementState, Outcome> = {
  'not met': 'failed',
  'in doubt': 'inconclusive',
  'known failure': 'known failure',
  'met so far': 'pending',
  'not tested': 'skipped',
  met: 'passed',
  observed: 'observed',
  'not testable': 'skipped',
}

/**
 * Lists all requirements of a result, in the order of the ledger. `reasons`: why specs have no judgement, each once, those that
 * were not selected last; `doubts`: evidence against the requirement that is too weak for a verdict, in sentences.
 */
export function standings(result: RunResult) {
  return result.requirements.map(requirement => {
    const specs = result.specs.filter(({ requirements }) => requirements.some(({ id }) => id === requirement.id))
    const ran = new Set(specs.map(({ id }) => id))
    const unselected = requirement.specs.filter(id => !ran.has(id)).length
    const doubts = (result.doubts ?? []).filter(doubt => doubt.requirement === requirement.id).map(({ text }) => text)
    const { state } = requirement
    return { requirement, state, specs, unselected, reasons: reasonsOf(specs, unselected, result), doubts }
  })
}

/** Sums up the requirements: `14 of 15 tested: 13 met, 1 not met; 5 of 6 open points observed`. */
export function coverageText(all: readonly Standing[]): string {
  const ofLevel = (level: RequirementRecord['level']) => all.filter(({ requirement }) => requirement.level === level)
  const [stated, open] = [ofLevel('must'), ofLevel('observe')]
  const told = (['not met', 'in doubt', 'known failure', 'met so far', 'met'] as const).flatMap(state => {
    const number = stated.filter(standing => standing.state === state).length
    return number > 0 ? [state === 'known failure' ? countedAs(number, state) : `${number} ${state}`] : []
  })
  const tested = stated.filter(({ state }) => state !== 'not tested').length
  const seen = open.filter(({ state }) => state === 'observed').length
  return [
    `${tested} of ${stated.length} tested${told.length > 0 ? `: ${told.join(', ')}` : ''}`,
    ...(open.length > 0 ? [`${seen} of ${count(open.length, 'open point')} observed`] : []),
  ].join('; ')
}

/** Makes the table of what requests were judged, by requirement, with what would be next. */
export function coverageTable(all: readonly (Pick<RequirementRecord, 'id'> & { covered: CoverageRecord })[]): Table {
  const part = ({ judged, of }: Covered) => `${judged} of ${of}`
  const cells = all.map(({ id, covered: { variations, pairs, triples, next } }) => ({
    cells: [id, part(variations), part(pairs), triples ? part(triples) : '', next?.[0]?.join(' and ') ?? ''],
  }))
  return { table: ['Requirement', 'Variations', 'Pairs', 'Triples', 'First that is open'], cells, isCut: true }
}

function reasonsOf(specs: readonly SpecRecord[], unselected: number, { configuration }: RunResult): string[] {
  const unjudged = specs.filter(spec => !isJudged(spec))
  const told = [...grouped(unjudged, spec => `${spec.outcome}: ${why(spec)}`)].map(
    ([reason, own]) => `${count(own.length, 'spec')} ${reason}`,
  )
  if (unselected === 0) return told
  const { only } = configuration
  // Without a selection, only specs that measure are left out.
  const by =
    only.length > 0 ? `not selected: only ${only.join(', ')} was` : 'left out: measuring needs run --measure-lifetime'
  return [...told, `${count(unselected, 'spec')} ${by}`]
}
