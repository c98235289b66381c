/** Lists the reports of a run from the registry, so that a new one appears in every test by itself. */
import { filesOf, type Reporter } from '../../dist/report/reporter.js'
import { REPORTERS } from '../../dist/report/reporters.js'
import type { RunResult } from '../../dist/result.js'

/** Every report in the form of `--reporter`; `github` works in GitHub Actions only. */
export const ALL = REPORTERS.map(({ name }) => name).join()
/** Every report that works anywhere. */
export const ANYWHERE = REPORTERS.filter(({ needs }) => needs === undefined)
  .map(({ name }) => name)
  .join()
/** The files of all reports, in the order in which a run names them. */
export const TOLD_FILES = filesOf(REPORTERS)
/** The same files, sorted. */
export const FILES = [...TOLD_FILES].sort()

/** Returns the reporters of these names. */
export function reporters(...names: string[]): Reporter<RunResult>[] {
  return names.map(name => {
    const found = REPORTERS.find(reporter => reporter.name === name)
    if (!found) throw new Error(`there is no reporter ${name}`)
    return found
  })
}
