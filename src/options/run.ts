import { CONTRACTS } from './contracts.js'
import type { Command } from './option.js'
import {
  BASELINE,
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  DEADLINE,
  MAX_REFUSED_LOGONS,
  NAMES,
  ONLY,
  OUT,
  PACING,
  PASSWORD,
  PROBE_PATH,
  QUIET,
  REPORTER,
  SPECS,
  TARGET,
  TOKEN_FIELD,
} from './shared.js'

/** `core-conformance run`. */
export const RUN: Command = {
  name: 'run',
  about: 'run the suite against a Core; without a target, against a mock Core',
  options: [
    ...TARGET,
    ...NAMES,
    ...PACING,
    PROBE_PATH,
    TOKEN_FIELD,
    ONLY,
    SPECS,
    {
      flag: 'pin',
      env: 'CORE_PIN',
      value: 'FILE',
      about: 'these facts are to stay: result.json, or names and values',
    },
    BASELINE,
    OUT,
    REPORTER,
    QUIET,
    {
      flag: 'concurrency',
      env: 'CORE_CONCURRENCY',
      value: 'N',
      about: 'how many exchanges at a time, 1 to 32 (default 4)',
    },
    MAX_REFUSED_LOGONS,
    DEADLINE,
    {
      flag: 'detach',
      env: 'CORE_DETACH',
      about: 'do what needs no long waiting, and end; resume goes on with the rest',
    },
    CONTROL_URL,
    ...CONTRACTS,
    CONFIG,
  ],
  secrets: [PASSWORD, CONTROL_KEY],
}
