import { command } from '../../config/command.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { list } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, OUT, QUIET } from '../shared/settings.js'

/** `core-conformance diff`. */
export const DIFF = command({
  name: 'diff',
  about: 'show what changed between runs, and what that means for clients',
  settings: {
    outDir: OUT,
    // `run` has other reports, so this setting has its own variable.
    reporters: setting(
      'reporter',
      list('NAMES'),
      `which reports: ${DIFF_REPORTERS.map(({ name }) => name).join(', ')} (default all)`,
      { env: 'CORE_DIFF_REPORTER' },
    ),
    quiet: { ...QUIET, about: 'do not print harmless changes' },
    config: CONFIG,
  },
  operands: { value: 'RESULT…', about: 'two or more result.json, the oldest first; or two fleet.json', atLeast: 2 },
})
