import { FLEET_REPORTERS } from '../report/fleet/reporters.js'
import { placeOf } from '../report/reporter.js'
import type { Command } from './option.js'
import { OUT, QUIET, SINCE } from './shared.js'

/** `core-conformance merge`. */
export const MERGE: Command = {
  name: 'merge',
  about: 'make one fleet of shards, or of the results of single runs',
  options: [
    { ...OUT, about: 'where the fleet goes, each Core into a folder in it (default reports)' },
    // Its own variable, since a run has other reports.
    {
      flag: 'reporter',
      env: 'CORE_MERGE_REPORTER',
      value: 'NAMES',
      list: true,
      about: 'which reports, by the names below (default all that can be made here)',
      names: {
        title: 'Reports',
        rows: FLEET_REPORTERS.map(reporter => ({
          name: reporter.name,
          about: `${reporter.about} (${placeOf(reporter)})`,
        })),
      },
    },
    SINCE,
    { ...QUIET, about: 'of the console report only what went wrong and the verdict' },
  ],
  operands: {
    value: 'FOLDER…',
    about: 'the reports of shards or of single runs, or folders of such folders',
    atLeast: 1,
  },
  secrets: [],
}
