/** Turns the results of several runs into a {@link Diff}. */

import { accused } from '../result/accused.js'
import { isJudged, isSpec } from '../result/outcomes.js'
import { verdictText } from '../result/scope.js'
import type { RequirementRef, RequirementState, RunResult, SpecRecord } from '../result.js'
import { compare } from './compare.js'
import { type Cell, DIFF_SCHEMA_VERSION, type Diff, type Row, type RunHead } from './types.js'

/** A result and the file it was read from. */
export interface Source {
  /** The path, as the user wrote it. */
  file: string
  result: RunResult
}

/** Compares each run with the one before it. @param sources two or more, the oldest first */
export function diffOf(sources: readonly Source[]): Diff {
  const results = sources.map(({ result }) => result)
  const comparisons = results.slice(1).map((later, from) => {
    const earlier = results[from] as RunResult
    return { from, to: from + 1, ...compare(earlier, later) }
  })
  return { schemaVersion: DIFF_SCHEMA_VERSION, runs: headsOf(sources), comparisons, matrix: matrixOf(results) }
}

/** Whether a run is unfinished, so that a change may have gone unseen. */
export function isUnfinished({ runs }: Diff): boolean {
  return runs.some(({ verdict }) => verdict === 'incomplete' || verdict === 'untestable' || verdict === 'pending')
}

/**
 * Returns the exit code of a diff: 1 if a change breaks clients; 3 if a run is unfinished, or two runs have no judged spec in
 * common; else 0.
 */
export function exitCodeOf(diff: Diff): 0 | 1 | 3 {
  const { comparisons } = diff
  if (comparisons.some(({ counts }) => counts.breaking > 0)) return 1
  return isUnfinished(diff) || comparisons.some(({ compared }) => compared === 0) ? 3 : 0
}

/** Names each run by the label and firmware that the user gave. Runs with the same name get their file added. */
function headsOf(sources: readonly Source[]): RunHead[] {
  const names = sources.map(({ file, result: { target } }) => {
    const given = [target.label, target.firmware].filter(part => part !== undefined)
    return given.join(' ') || file
  })
  return sources.map(({ file, result }, index) => {
    const { target, startedAt, verdict, reason, suite } = result
    const name = names[index] ?? file
    const isOnly = name === file || names.indexOf(name) === names.lastIndexOf(name)
    return {
      name: isOnly ? name : `${name} (${file})`,
      file,
      url: target.url,
      startedAt,
      verdict,
      verdictText: verdictText(result),
      reason,
      suiteVersion: suite.version,
    }
  })
}

/** Sorts `ACCESS-2` before `ACCESS-20`, in every locale. */
export const byId = new Intl.Collator('en', { numeric: true })

/** Returns one row for each requirement, with its state in each run, sorted by id. */
function matrixOf(results: RunResult[]): Row[] {
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

function cellOf(requirement: string, { specs: all, requirements }: RunResult): Cell {
  const specs = all.filter(spec => isSpec(spec) && spec.requirements.some(({ id }) => id === requirement))
  const judged = specs.filter(isJudged)
  const state = requirements.find(({ id }) => id === requirement)?.state
  const failed = specs.filter(spec => accused(spec).some(({ id }) => id === requirement))
  return {
    state: specs.length ? stateOf(judged, failed, state) : 'none',
    judged: judged.length,
    total: specs.length,
    failed: failed.map(({ id }) => id),
  }
}

/** Returns the state that the result names, else one that follows from the outcomes of the specs. */
function stateOf(judged: SpecRecord[], failed: SpecRecord[], state: RequirementState | undefined): Cell['state'] {
  if (state === 'in doubt') return 'in doubt'
  if (!judged.length) return 'not judged'
  if (state === 'not met' || failed.some(({ outcome }) => outcome === 'failed')) return 'failed'
  if (state === 'known failure' || failed.length > 0) return 'known failure'
  return judged.every(({ outcome }) => outcome === 'observed') ? 'observed' : 'passed'
}
