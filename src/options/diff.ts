import { DIFF_REPORTERS } from '../report/diff.js'
import type { Command } from './option.js'
import { CONFIG, OUT, QUIET } from './shared.js'

/** `core-conformance diff`. */
export const DIFF: Command = {
  name: 'diff',
  about: 'say what changed between runs, and what it means for clients',
  options: [
    OUT,
    // Its own variable, since a run has other reports.
    {
      flag: 'reporter',
      env: 'CORE_DIFF_REPORTER',
      value: 'NAMES',
      list: true,
      about: `which reports: ${DIFF_REPORTERS.map(({ name }) => name).join(', ')} (default all)`,
    },
    { ...QUIET, about: 'on the console nothing of what is harmless' },
    CONFIG,
  ],
  operands: {
    value: 'RESULT…',
    about: 'two or more result.json, the oldest first; or two fleet.json',
    atLeast: 2,
  },
  secrets: [],
}
