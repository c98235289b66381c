import type { Command } from './option.js'
import { BASELINE, FROM } from './shared.js'

/** `core-conformance baseline update`. */
export const BASELINE_UPDATE: Command = {
  name: 'baseline update',
  about: 'write what failed in a run to the baseline, and take out what passed',
  options: [
    FROM,
    { ...BASELINE, about: 'the file to write; made where there is none' },
    {
      flag: 'reason',
      env: 'CORE_BASELINE_REASON',
      value: 'TEXT',
      about: 'the reason of new entries (default empty, to be filled in)',
    },
  ],
  secrets: [],
}
