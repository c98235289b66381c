import { command } from '../../config/command.js'
import { text } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { BASELINE, FROM } from '../shared/settings.js'

/** `core-conformance baseline update`. */
export const BASELINE_UPDATE = command({
  name: 'baseline update',
  about: 'update the list of known failures from a run: add what failed, remove what passed',
  settings: {
    from: FROM,
    baseline: { ...BASELINE, about: 'the file to update; created if needed' },
    reason: setting('reason', text('TEXT'), 'the reason of new entries (default: empty, for you to fill in)', {
      env: 'CORE_BASELINE_REASON',
    }),
  },
})
