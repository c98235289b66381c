import type { Command } from './option.js'
import { RUN } from './run.js'
import { CONFIG, CONTROL_KEY, OUT, PASSWORD, QUIET, reporterOption, SINCE, VERBOSE } from './shared.js'

/** What decides how a run goes; said again, it has to be the same. */
const OF_THE_RUN = [
  'target',
  'username',
  'insecure',
  'ca-file',
  'fingerprint',
  'label',
  'firmware',
  'access-control',
  'idle-lifetime',
  'idle-tolerance',
  'profile',
  'max-tokens',
  'measure-lifetime',
  'probe-path',
  'token-field',
  'only',
  'specs',
  'concurrency',
  'max-refused-logons',
  'deadline',
  'patience',
  'explore',
  'seed',
  'control-url',
]

/** Their names stand in the help of `run`. */
const { names: _names, ...REPORTER } = reporterOption('run')

/** `core-conformance resume`. */
export const RESUME: Command = {
  name: 'resume',
  about: 'finish a run, or a fleet, that was detached, interrupted or killed, from its journals',
  options: [
    { ...OUT, about: 'the folder of that run, with its journal, or of that fleet (default reports)' },
    { flag: 'detach', env: 'CORE_DETACH', about: 'do what is due, and leave again what has to wait longer' },
    { flag: 'abandon', env: 'CORE_ABANDON', about: 'only revoke the tokens of that run, and forget it' },
    { ...REPORTER, about: 'which reports, as in run (default: those of the run)' },
    QUIET,
    VERBOSE,
    ...RUN.options.filter(({ flag }) => flag === 'cores'),
    SINCE,
    CONFIG,
    ...RUN.options
      .filter(({ flag }) => OF_THE_RUN.includes(flag))
      .map(option => ({ ...option, about: 'as the run was begun with; another is refused' })),
  ],
  operands: { value: 'FOLDER', about: 'the same as --out', atLeast: 0, atMost: 1 },
  secrets: [
    { ...PASSWORD, about: 'the password that the run began with; asked for on a terminal when not set' },
    CONTROL_KEY,
  ],
}
