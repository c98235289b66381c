import { command } from '../../config/command.js'
import { oneOf } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { TARGET, TARGET_NAME, USERNAME } from '../shared/settings.js'

/** `core-conformance init`. */
export const INIT = command({
  name: 'init',
  about: 'write a configuration file and a CI workflow, and add the dependency to package.json; changes no other file',
  settings: {
    target: TARGET,
    username: USERNAME,
    name: TARGET_NAME,
    ci: setting(
      'ci',
      oneOf('github', 'gitlab', 'jenkins', 'none'),
      'for which CI (default: the one whose files are in this folder, else github)',
      { env: 'CORE_INIT_CI' },
    ),
  },
  operands: { value: 'TARGET', about: 'the base URL of the Core, such as https://10.0.0.5', atLeast: 0, atMost: 1 },
})
