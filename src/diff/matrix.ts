import { accused } from '../result/accused.js'
import { isJudged, isSpec } from '../result/outcomes.js'
import type { RequirementRef, RequirementState, RunResult, SpecRecord } from '../result.js'
import type { Cell, Row } from './types.js'

/** Sorts `ACCESS-2` before `ACCESS-20`, in every locale. */
const byId = new Intl.Collator('en', { numeric: true })

/** Returns one row for each requirement, with its state in each run, sorted by id. */
export function matrixOf(results: RunResult[]): Row[] {
  const known = new Map<string, RequirementRef>()
  for (const { specs } of results) {
    // The wording of the latest run wins.
    for (const spec of specs.filter(isSpec)) for (const each of spec.requirements) known.set(each.id, each)
  }
  const sorted = [...known.values()].sort((a, b) => byId.compare(a.id, b.id))
  return sorted.map(({ id: requirement, text, consequence }) => ({
    requirement,
    text,
    ...(consequence !== undefined && { consequence }),
    cells: results.map(result => cellOf(requirement, result)),
  }))
}

function tests({ requirements }: SpecRecord, requirement: string): boolean {
  return requirements.some(({ id }) => id === requirement)
}

function cellOf(requirement: string, { specs: all, requirements }: RunResult): Cell {
  const specs = all.filter(spec => isSpec(spec) && tests(spec, requirement))
  const judged = specs.filter(isJudged)
  const state = requirements?.find(({ id }) => id === requirement)?.state
  const failed = specs.filter(spec => accused(spec).some(({ id }) => id === requirement))
  return {
    state: stateOf(specs, judged, failed, state),
    judged: judged.length,
    total: specs.length,
    failed: failed.map(({ id }) => id),
  }
}

/** Returns the state that the result names, else one that follows from the outcomes of the specs. */
function stateOf(
  specs: SpecRecord[],
  judged: SpecRecord[],
  failed: SpecRecord[],
  state: RequirementState | undefined,
): Cell['state'] {
  if (!specs.length) return 'none'
  if (state === 'in doubt') return 'in doubt'
  if (!judged.length) return 'not judged'
  if (state === 'not met' || failed.some(({ outcome }) => outcome === 'failed')) return 'failed'
  if (state === 'known failure' || failed.length > 0) return 'known failure'
  return judged.every(({ outcome }) => outcome === 'observed') ? 'observed' : 'passed'
}
