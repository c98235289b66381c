import type { Command } from './option.js'
import { CONFIG, CONTROL_KEY, OUT, PASSWORD, QUIET, REPORTER } from './shared.js'

/** `core-conformance resume`. */
export const RESUME: Command = {
  name: 'resume',
  about: 'finish a run that was detached, interrupted or killed, from its journal',
  options: [
    { ...OUT, about: 'the folder of that run, with its journal (default reports)' },
    { flag: 'detach', env: 'CORE_DETACH', about: 'do what is due, and leave again what has to wait longer' },
    { flag: 'abandon', env: 'CORE_ABANDON', about: 'only revoke the tokens of that run, and forget it' },
    { ...REPORTER, about: 'which reports, as in run (default: those of the run)' },
    QUIET,
    CONFIG,
  ],
  secrets: [
    { ...PASSWORD, about: 'the password that the run began with; asked for on a terminal when not set' },
    CONTROL_KEY,
  ],
}
