import { command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, JSON_SWITCH, SPECS } from '../shared/settings.js'

const { accessControl, idleLifetime, idleTolerance, profile, maxTokens, measureLifetime, only, seed } = CONFIGURATION

/** `core-conformance list`. */
export const LIST = command({
  name: 'list',
  about: 'list the specs, or the requirements with the specs that test them',
  settings: {
    requirements: setting('requirements', toggle, 'list the requirements, with the specs that test them'),
    plan: setting('plan', toggle, 'show what waits when, and how long a run takes'),
    coverage: setting(
      'coverage',
      toggle,
      'show how much of what requests may differ in a run covers, or these results',
    ),
    json: JSON_SWITCH,
    only,
    specFolders: SPECS,
    accessControl,
    idleLifetime,
    idleTolerance,
    profile,
    maxTokens,
    measureLifetime,
    seed: { ...seed, about: 'with the coverage of a run: its seed' },
    config: CONFIG,
  },
  operands: {
    value: 'RESULT…',
    about: 'with --coverage: results, or folders with results in them, which add up',
    atLeast: 0,
  },
})
