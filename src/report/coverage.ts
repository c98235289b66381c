/** Shows how much of what requests may differ in was judged, by requirement. */
import type { CoverageRecord, Covered, RequirementRecord } from '../result.js'
import type { Table } from './blocks.js'

/** A requirement, and what the rows of its steps covered. */
export type CoveredRequirement = Pick<RequirementRecord, 'id'> & { covered: CoverageRecord }

/** Makes the table of what was covered, with what would be next. */
export function coverageTable(all: readonly CoveredRequirement[]): Table {
  const part = ({ judged, of }: Covered) => `${judged} of ${of}`
  const cells = all.map(({ id, covered: { variations, pairs, triples, next } }) => ({
    cells: [id, part(variations), part(pairs), triples ? part(triples) : '', next?.[0]?.join(' and ') ?? ''],
  }))
  return { table: ['Requirement', 'Variations', 'Pairs', 'Triples', 'First that is open'], cells, isCut: true }
}
