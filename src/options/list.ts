import type { Command } from './option.js'
import { CONFIG, ONLY, PACING, SPECS } from './shared.js'

/** `core-conformance list`. */
export const LIST: Command = {
  name: 'list',
  about: 'show the specs, or what covers the reference',
  options: [
    { flag: 'requirements', env: 'CORE_REQUIREMENTS', about: 'the statements of the reference, with their specs' },
    { flag: 'plan', env: 'CORE_PLAN', about: 'what waits when, with which tokens, and how long a run takes' },
    { flag: 'json', env: 'CORE_JSON', about: 'as JSON' },
    ONLY,
    SPECS,
    ...PACING,
    CONFIG,
  ],
  secrets: [],
}
