import type { Command } from '../../config/command.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { list } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, OUT, QUIET } from '../shared/settings.js'

/** The reports to make. `run` has other reports, so this setting has its own variable. */
export const DIFF_REPORTER = setting(
  'reporter',
  list('NAMES'),
  `which reports: ${DIFF_REPORTERS.map(({ name }) => name).join(', ')} (default all)`,
  { env: 'CORE_DIFF_REPORTER' },
)

/** `core-conformance diff`. */
export const DIFF: Command = {
  name: 'diff',
  about: 'show what changed between runs, and what that means for clients',
  options: [OUT, DIFF_REPORTER, { ...QUIET, about: 'do not print harmless changes' }, CONFIG],
  operands: {
    value: 'RESULT…',
    about: 'two or more result.json, the oldest first; or two fleet.json',
    atLeast: 2,
  },
}
