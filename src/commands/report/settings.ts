import { command } from '../../config/command.js'
import { outBeside, QUIET, reporterOption, VERBOSE } from '../shared/settings.js'

/** `core-conformance report`. */
export const REPORT = command({
  name: 'report',
  about: 'make reports from the result of an earlier run or fleet',
  settings: {
    reporter: reporterOption('report'),
    out: outBeside('the reports go', 'the result'),
    quiet: { ...QUIET, about: 'print only what went wrong and the verdict' },
    verbose: VERBOSE,
  },
  operands: {
    value: 'RESULT',
    about: 'the result of a run, or the fleet.json of many (default reports/result.json, else reports/fleet.json)',
    atLeast: 0,
    atMost: 1,
  },
})
