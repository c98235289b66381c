import type { Command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, ONE_CORE, PASSWORD, TARGET_NAME, TOKEN_FIELD } from '../shared/settings.js'

/** Whether to write the configuration file. */
export const WRITE = setting({
  flag: 'write',
  env: 'CORE_DOCTOR_WRITE',
  takes: toggle,
  about: 'write what fits into the configuration file, which is made where there is none',
})

/** `core-conformance doctor`. */
export const DOCTOR: Command = {
  name: 'doctor',
  about: 'tell whether a Core can be tested from here, and with which settings; judges nothing',
  options: [
    ...ONE_CORE,
    CONFIGURATION.probePath,
    TOKEN_FIELD,
    CONFIGURATION.deadline,
    CONFIGURATION.maxRefusedLogons,
    WRITE,
    TARGET_NAME,
    CONFIG,
  ],
  operands: { value: 'TARGET', about: 'the Core, as --target names it', atLeast: 0, atMost: 1, completes: 'targets' },
  secrets: [{ ...PASSWORD, about: 'the password of that user; without it, what takes one is left out' }],
}
