import type { Command } from '../../config/command.js'
import { text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { BASELINE, FROM } from '../shared/settings.js'

/** The reason of new entries. */
export const REASON = setting({
  flag: 'reason',
  env: 'CORE_BASELINE_REASON',
  takes: text('TEXT'),
  about: 'the reason of new entries (default empty, to be filled in)',
})

/** `core-conformance baseline update`. */
export const BASELINE_UPDATE: Command = {
  name: 'baseline update',
  about: 'write what failed in a run to the baseline, and take out what passed',
  options: [FROM, { ...BASELINE, about: 'the file to write; made where there is none' }, REASON],
  secrets: [],
}
