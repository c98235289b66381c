import { DIFF_REPORTERS } from '../report/diff.js'
import type { Command, Option } from './option.js'
import { RUN } from './run.js'
import {
  BASELINE,
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  DEADLINE,
  MAX_REFUSED_LOGONS,
  NAMES,
  ONLY,
  OUT,
  PACING,
  PASSWORD,
  PATIENCE,
  PROBE_PATH,
  QUIET,
  SPECS,
  TARGET,
  TOKEN_FIELD,
} from './shared.js'

/** An option of which each Core may have its own value. */
const each = (option: Option): Option =>
  option.value ? { ...option, list: true, about: `${option.about}; several: one for each Core, in order` } : option

/** What is about Cores that are run, and says nothing of files. */
export const OF_RUNS: Option[] = [
  ...[...TARGET.filter(({ flag }) => flag !== 'target'), ...NAMES].map(each),
  ...PACING,
  PROBE_PATH,
  TOKEN_FIELD,
  ONLY,
  SPECS,
  BASELINE,
  ...RUN.options.filter(({ flag }) => flag === 'concurrency'),
  MAX_REFUSED_LOGONS,
  DEADLINE,
  PATIENCE,
  each(CONTROL_URL),
]

/** `core-conformance diff`. */
export const DIFF: Command = {
  name: 'diff',
  about: 'say what changed between runs, and what it means for clients',
  options: [
    { ...OUT, about: 'where the reports go, those of runs into folders in it (default reports)' },
    // Its own variable, since a run has other reports.
    {
      flag: 'reporter',
      env: 'CORE_DIFF_REPORTER',
      value: 'NAMES',
      list: true,
      about: `which reports: ${DIFF_REPORTERS.map(({ name }) => name).join(', ')} (default all)`,
    },
    { ...QUIET, about: 'no progress, and on the console nothing of what is harmless' },
    ...OF_RUNS,
    CONFIG,
  ],
  operands: {
    value: 'RESULT|URL|NAME…',
    about:
      'two or more, the oldest first: a result.json, or a Core to run now, by its base URL or its name in the configuration file; or two fleet.json',
    atLeast: 2,
  },
  secrets: [PASSWORD, CONTROL_KEY],
}
