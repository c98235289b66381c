import type { Command } from '../../config/command.js'
import { text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { BASELINE, FROM } from '../shared/settings.js'

/** The reason of new entries. */
export const REASON = setting(
  'reason',
  text('TEXT'),
  'the reason of new entries (default: empty, for you to fill in)',
  { env: 'CORE_BASELINE_REASON' },
)

/** `core-conformance baseline update`. */
export const BASELINE_UPDATE: Command = {
  name: 'baseline update',
  about: 'update the list of known failures from a run: add what failed, remove what passed',
  options: [FROM, { ...BASELINE, about: 'the file to update; created if needed' }, REASON],
}
