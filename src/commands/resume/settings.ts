import type { Command } from '../../config/command.js'
import type { Setting } from '../../settings/setting.js'
import { CORES, SINCE } from '../fleet/settings.js'
import { OF_A_RUN } from '../run/settings.js'
import { ABANDON, CONFIG, CONTROL_KEY, OUT, PASSWORD, REPORTER, SEVERAL_TARGETS, SHOWN } from '../shared/settings.js'

/** The setting without the list of reports: the help of `run` has that list. */
const { names: _names, ...NAMELESS } = REPORTER
/** `core-conformance resume`. */
export const RESUME: Command = {
  name: 'resume',
  about: 'finish a run or a fleet that was detached, interrupted or killed',
  options: [
    { ...OUT, about: 'the report folder of that run or fleet, with its journal' },
    { ...SHOWN.detach, about: 'do what is due, then exit again if something has to wait longer' },
    ABANDON,
    { ...NAMELESS, about: 'which reports to write, as for run (default: those of the run)' },
    SHOWN.quiet,
    SHOWN.verbose,
    CORES,
    SINCE,
    CONFIG,
    // They may be repeated, with the value that the run was begun with.
    ...[SEVERAL_TARGETS, ...Object.values(OF_A_RUN)].map(({ default: _default, ...declared }: Setting) => ({
      ...declared,
      about: 'must be the same as when the run began',
    })),
  ],
  operands: { value: 'FOLDER', about: 'the same as --out', atLeast: 0, atMost: 1 },
  secrets: [
    { ...PASSWORD, about: 'the password that the run began with; asked for on a terminal when not set' },
    CONTROL_KEY,
  ],
}
