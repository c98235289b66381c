import type { Command } from '../../config/command.js'
import { outBeside, QUIET, reporterOption, VERBOSE } from '../shared/settings.js'

/** The folder of the reports. */
export const REPORT_OUT = outBeside('the reports go', 'the result')

/** `core-conformance report`. */
export const REPORT: Command = {
  name: 'report',
  about: 'make reports from the result of an earlier run or fleet',
  options: [
    reporterOption('report'),
    REPORT_OUT,
    { ...QUIET, about: 'print only what went wrong and the verdict' },
    VERBOSE,
  ],
  operands: {
    value: 'RESULT',
    about: 'the result of a run, or the fleet.json of many (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
}
