import { command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { CONFIG, SPECS } from '../shared/settings.js'

/** `core-conformance explain`. */
export const EXPLAIN = command({
  name: 'explain',
  about: 'explain a spec or a requirement: what is sent, in which order, and why',
  settings: { specs: SPECS, probePath: CONFIGURATION.probePath, config: CONFIG },
  operands: {
    value: 'ID',
    about: 'a spec, such as revocation-rejects, or a requirement, such as REVOKE-1',
    atLeast: 1,
    completes: 'topics',
  },
})
