import type { Command } from '../../config/command.js'
import { oneOf } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { TARGET, TARGET_NAME, USERNAME } from '../shared/settings.js'

/** The CI systems that `init` writes for. */
const CI_NAMES = ['github', 'gitlab', 'jenkins', 'none'] as const
/** The CI system to write for. */
export const CI = setting(
  'ci',
  oneOf(...CI_NAMES),
  'for which CI (default: the one whose files are in this folder, else github)',
  { env: 'CORE_INIT_CI' },
)

/** `core-conformance init`. */
export const INIT: Command = {
  name: 'init',
  about: 'write a configuration file and a CI workflow, and add the dependency to package.json; changes no other file',
  options: [TARGET, USERNAME, TARGET_NAME, CI],
  operands: { value: 'TARGET', about: 'the base URL of the Core, such as https://10.0.0.5', atLeast: 0, atMost: 1 },
}
