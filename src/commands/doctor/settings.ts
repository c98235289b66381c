import type { Command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, FEW_REFUSED, ONE_CORE, PASSWORD, TARGET_NAME, TOKEN_FIELD } from '../shared/settings.js'

/** Whether to write the configuration file. */
export const WRITE = setting(
  'write',
  toggle,
  'write the suggested settings into the configuration file, which is created if needed',
  { env: 'CORE_DOCTOR_WRITE' },
)

/** `core-conformance doctor`. */
export const DOCTOR: Command = {
  name: 'doctor',
  about: 'check whether this machine can test a Core, and suggest settings',
  options: [
    ...ONE_CORE,
    CONFIGURATION.probePath,
    TOKEN_FIELD,
    CONFIGURATION.refused,
    CONFIGURATION.deadline,
    { ...CONFIGURATION.maxRefusedLogons, about: FEW_REFUSED },
    WRITE,
    TARGET_NAME,
    CONFIG,
  ],
  operands: { value: 'TARGET', about: 'the Core, as for --target', atLeast: 0, atMost: 1, completes: 'targets' },
  secrets: [{ ...PASSWORD, about: 'the password of that user; without it, checks that need one are skipped' }],
}
