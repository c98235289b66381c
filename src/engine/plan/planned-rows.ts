/** The rows that a run would send: what of the input space its plan covers. */
import type { ConfigurationRecord, RowsRecord } from '../../result.js'
import { makeAll, SAMPLE } from '../../suite/families/generators.js'
import type { Varying } from '../../suite/family.js'
import { allSteps, type Spec } from '../../suite/spec.js'
import type { RunContext } from '../context.js'
import { ShapeBook } from '../shape-book.js'
import type { Value } from '../steps/row-values.js'
import { Rows } from '../steps/rows.js'

/** The rows of a step. */
export interface StepRows {
  /** The id of the spec, and the number of the step in it: they are the same in each run. */
  step: string
  /** The requirements that the step tests. */
  requirements: readonly string[]
  rows: RowsRecord
}

/** Returns how a run covers what requests may differ in. */
export function coveringOf({ profile, seed }: ConfigurationRecord): RunContext['covering'] {
  return { strength: profile === 'quick' ? 'values' : 'pairs', seed: seed ?? 1 }
}

/** Returns the rows that a run of these specs, which all apply, sends to a Core that takes all variations. */
export function plannedRows(specs: readonly Spec[], covering: RunContext['covering']): StepRows[] {
  return specs.flatMap(spec =>
    allSteps(spec).flatMap((step, at): StepRows[] => {
      if (step.action !== 'send' || !step.each?.dimensions) return []
      const rows = new Rows(step, sampleValues, { method: 'GET', path: step.request }, new ShapeBook())
      return [{ step: `${spec.id} ${at}`, requirements: step.tests, rows: rows.record(rows.plan(covering)) }]
    }),
  )
}

/** Returns the values of a family for a token of 64 hex digits. */
export function sampleValues({ made, variations }: Varying): Value[] {
  return [
    ...makeAll(made, SAMPLE).map(each => ({ name: each.name, made: each })),
    ...variations.map(each => ({ name: each.name, listed: each })),
  ]
}
