import type { Command } from './option.js'
import { OUT, QUIET, reporterOption, VERBOSE } from './shared.js'

/** `core-conformance report`. */
export const REPORT: Command = {
  name: 'report',
  about: 'make reports of the result of an earlier run, or of a fleet',
  options: [
    reporterOption('report'),
    { ...OUT, about: 'where the reports go (default beside the result)' },
    { ...QUIET, about: 'of the console report only what went wrong and the verdict' },
    VERBOSE,
  ],
  operands: {
    value: 'RESULT',
    about: 'the result of a run, or the fleet.json of many (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
  secrets: [],
}
