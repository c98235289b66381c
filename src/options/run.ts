import { CONTRACTS } from './contracts.js'
import type { Command } from './option.js'
import {
  ACCESS_CONTROL,
  CONTROL_KEY,
  CONTROL_URL,
  DEADLINE,
  IDLE_LIFETIME,
  IDLE_TOLERANCE,
  MAX_REFUSED_LOGONS,
  ONLY,
  PASSWORD,
  PROBE_PATH,
  PROFILE,
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
    ACCESS_CONTROL,
    IDLE_LIFETIME,
    IDLE_TOLERANCE,
    PROBE_PATH,
    TOKEN_FIELD,
    PROFILE,
    ONLY,
    SPECS,
    { flag: 'out', env: 'CORE_OUT', value: 'FOLDER', about: 'where the reports go (default reports)' },
    {
      flag: 'reporter',
      env: 'CORE_REPORTER',
      value: 'NAMES',
      list: true,
      about: 'which reports: console, junit, json (default all)',
    },
    {
      flag: 'concurrency',
      env: 'CORE_CONCURRENCY',
      value: 'N',
      about: 'how many exchanges at a time, 1 to 32 (default 4)',
    },
    MAX_REFUSED_LOGONS,
    DEADLINE,
    CONTROL_URL,
    ...CONTRACTS,
  ],
  secrets: [PASSWORD, CONTROL_KEY],
}
