import { command } from '../../config/command.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { placeOf } from '../../report/reporter.js'
import { list } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { SINCE } from '../fleet/settings.js'
import { OUT, QUIET } from '../shared/settings.js'

const REPORTS = FLEET_REPORTERS.map(each => ({ name: each.name, about: `${each.about} (${placeOf(each)})` }))

/** `core-conformance merge`. */
export const MERGE = command({
  name: 'merge',
  about: 'combine the results of shards, or of single runs, into one fleet',
  settings: {
    outDir: { ...OUT, about: 'the folder for the fleet, with a folder for each Core' },
    // `run` has other reports, so this setting has its own variable.
    reporters: setting(
      'reporter',
      list('NAMES'),
      'which reports to write, see below (default all that can be made here)',
      { env: 'CORE_MERGE_REPORTER', names: { title: 'Reports', rows: REPORTS } },
    ),
    since: SINCE,
    quiet: { ...QUIET, about: 'print only what went wrong and the verdict' },
  },
  operands: {
    value: 'FOLDER…',
    about: 'report folders of shards or of single runs, or folders that contain such folders',
    atLeast: 1,
  },
})
