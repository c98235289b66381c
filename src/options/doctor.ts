import type { Command } from './option.js'
import {
  CONFIG,
  DEADLINE,
  MAX_REFUSED_LOGONS,
  PASSWORD,
  PROBE_PATH,
  TARGET,
  TARGET_NAME,
  TOKEN_FIELD,
} from './shared.js'

/** `core-conformance doctor`. */
export const DOCTOR: Command = {
  name: 'doctor',
  about: 'tell whether a Core can be tested from here, and with which settings; judges nothing',
  options: [
    ...TARGET,
    PROBE_PATH,
    TOKEN_FIELD,
    DEADLINE,
    MAX_REFUSED_LOGONS,
    {
      flag: 'write',
      env: 'CORE_DOCTOR_WRITE',
      about: 'write what fits into the configuration file, which is made where there is none',
    },
    TARGET_NAME,
    CONFIG,
  ],
  operands: { value: 'TARGET', about: 'the Core, as --target names it', atLeast: 0, atMost: 1 },
  secrets: [{ ...PASSWORD, about: 'the password of that user; without it, what takes one is left out' }],
}
