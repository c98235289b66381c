import { command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, FEW_REFUSED, ONE_CORE, PASSWORD, TARGET_NAME, TOKEN_FIELD } from '../shared/settings.js'

/** `core-conformance doctor`. */
export const DOCTOR = command({
  name: 'doctor',
  about: 'check whether this machine can test a Core, and suggest settings',
  settings: {
    ...ONE_CORE,
    probePath: CONFIGURATION.probePath,
    tokenField: TOKEN_FIELD,
    refused: CONFIGURATION.refused,
    deadline: CONFIGURATION.deadline,
    maxRefusedLogons: { ...CONFIGURATION.maxRefusedLogons, about: FEW_REFUSED },
    write: setting(
      'write',
      toggle,
      'write the suggested settings into the configuration file, which is created if needed',
      { env: 'CORE_DOCTOR_WRITE' },
    ),
    name: TARGET_NAME,
    file: CONFIG,
  },
  operands: { value: 'TARGET', about: 'the Core, as for --target', atLeast: 0, atMost: 1, completes: 'targets' },
  secrets: [{ ...PASSWORD, about: 'the password of that user; without it, checks that need one are skipped' }],
})
