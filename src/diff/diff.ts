/** Turns the results of several runs into a {@link Diff}. */
import { verdictText } from '../result/scope.js'
import type { RunResult } from '../result.js'
import { compare } from './compare.js'
import { matrixOf } from './matrix.js'
import { DIFF_SCHEMA_VERSION, type Diff, type RunHead } from './types.js'

/** A result and the file it was read from. */
export interface Source {
  /** The path, as the user wrote it. */
  file: string
  result: RunResult
}

/**
 * Compares each run with the one before it.
 * @param sources two or more, the oldest first
 */
export function diffOf(sources: readonly Source[]): Diff {
  const results = sources.map(({ result }) => result)
  const comparisons = results.slice(1).map((later, index) => {
    const earlier = results[index] as RunResult
    return { from: index, to: index + 1, ...compare(earlier, later) }
  })
  return {
    schemaVersion: DIFF_SCHEMA_VERSION,
    runs: headsOf(sources),
    comparisons,
    matrix: matrixOf(results),
  }
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
    const { url } = target
    return {
      name: isOnly ? name : `${name} (${file})`,
      file,
      url,
      startedAt,
      verdict,
      verdictText: verdictText(result),
      reason,
      suiteVersion: suite.version,
    }
  })
}
