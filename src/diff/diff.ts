/** Differences between runs: results in, {@link Diff} out. */
import type { RunResult } from '../result.js'
import { compare } from './compare.js'
import { matrixOf } from './matrix.js'
import { DIFF_SCHEMA_VERSION, type Diff, type RunHead } from './types.js'

/** A result with the file that it was read from. */
export interface Source {
  /** As the user named it. */
  file: string
  result: RunResult
}

/**
 * What changed between runs.
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

/** Whether something may have changed that nobody saw, since a run did not come to its end. */
export function isUnfinished({ runs }: Diff): boolean {
  return runs.some(({ verdict }) => verdict === 'incomplete' || verdict === 'untestable' || verdict === 'pending')
}

/**
 * What a diff says to whatever waits for it: 1 when something breaks clients; 3 when a run did not come to its end, or two
 * have nothing to compare; else 0.
 */
export function exitCodeOf(diff: Diff): 0 | 1 | 3 {
  const { comparisons } = diff
  if (comparisons.some(({ counts }) => counts.breaking > 0)) return 1
  return isUnfinished(diff) || comparisons.some(({ compared }) => compared === 0) ? 3 : 0
}

/** The runs by what their users call them; those of one name are told apart by their files. */
function headsOf(sources: readonly Source[]): RunHead[] {
  const names = sources.map(({ file, result: { target } }) => {
    const told = [target.label, target.firmware].filter(part => part !== undefined)
    return told.join(' ') || file
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
      reason,
      suiteVersion: suite.version,
    }
  })
}
