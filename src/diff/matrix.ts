import type { RequirementRef, RunResult, SpecRecord } from '../result.js'
import { fails, isJudged, isSpec } from './specs.js'
import type { Cell, Row } from './types.js'

/** `ACCESS-2` before `ACCESS-20`, wherever this runs. */
const byId = new Intl.Collator('en', { numeric: true })

/** Every requirement in every run, sorted by id. */
export function matrixOf(results: RunResult[]): Row[] {
  const known = new Map<string, RequirementRef>()
  for (const { specs } of results) {
    // What a later run says of a requirement is the newer wording.
    for (const spec of specs.filter(isSpec)) for (const each of spec.requirements) known.set(each.id, each)
  }
  const sorted = [...known.values()].sort((a, b) => byId.compare(a.id, b.id))
  return sorted.map(({ id: requirement, text, consequence }) => ({
    requirement,
    text,
    ...(consequence !== undefined && { consequence }),
    cells: results.map(({ specs }) => cellOf(specs.filter(spec => isSpec(spec) && tests(spec, requirement)))),
  }))
}

function tests({ requirements }: SpecRecord, requirement: string): boolean {
  return requirements.some(({ id }) => id === requirement)
}

function cellOf(specs: SpecRecord[]): Cell {
  const judged = specs.filter(isJudged)
  return {
    state: stateOf(specs, judged),
    judged: judged.length,
    total: specs.length,
    failed: specs.filter(fails).map(({ id }) => id),
  }
}

function stateOf(specs: SpecRecord[], judged: SpecRecord[]): Cell['state'] {
  if (!specs.length) return 'none'
  if (!judged.length) return 'not judged'
  if (judged.some(({ outcome }) => outcome === 'failed')) return 'failed'
  if (judged.some(fails)) return 'known failure'
  return judged.every(({ outcome }) => outcome === 'observed') ? 'observed' : 'passed'
}
