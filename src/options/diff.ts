import type { Command } from './option.js'
import { OUT } from './shared.js'

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
      about: 'which reports: console, markdown, html, json (default all)',
    },
  ],
  operands: { value: 'RESULT…', about: 'two result.json or more, the oldest first', atLeast: 2 },
  secrets: [],
}
