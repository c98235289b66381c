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
    runs: sources.map(headOf),
    comparisons,
    matrix: matrixOf(results),
  }
}

/** What a diff says to whatever waits for it: 1 when something breaks clients, 3 when nothing could be compared, else 0. */
export function exitCodeOf({ comparisons }: Diff): 0 | 1 | 3 {
  if (comparisons.some(({ counts }) => counts.breaking > 0)) return 1
  return comparisons.some(({ compared }) => compared === 0) ? 3 : 0
}

function headOf({ file, result }: Source): RunHead {
  const { target, startedAt, verdict, reason, suite } = result
  const { firmware, label } = target
  const named = [label, firmware].filter(name => name !== undefined).join(' ')
  return { name: named || file, file, url: target.url, startedAt, verdict, reason, suiteVersion: suite.version }
}
