/** The reports of a run, from the registry: a new one is in every list of the tests by itself. */
import { filesOf, REPORTERS, type Reporter } from '../../dist/report/index.js'
import type { RunResult } from '../../dist/result.js'

/** Every report, as `--reporter` takes them; `github` can be made in GitHub Actions only. */
export const ALL = REPORTERS.map(({ name }) => name).join()
/** Every report that can be made anywhere. */
export const ANYWHERE = REPORTERS.filter(({ needs }) => needs === undefined)
  .map(({ name }) => name)
  .join()
/** The files of all reports, in the order in which they are told. */
export const TOLD_FILES = filesOf(REPORTERS)
/** The same, sorted. */
export const FILES = [...TOLD_FILES].sort()

/** The reporters of these names. */
export function reporters(...names: string[]): Reporter<RunResult>[] {
  return names.map(name => {
    const found = REPORTERS.find(reporter => reporter.name === name)
    if (!found) throw new Error(`there is no reporter ${name}`)
    return found
  })
}
