import type { Command } from './option.js'
import { TARGET, TARGET_NAME } from './shared.js'

/** The CI systems that `init` writes for. */
export const CI_NAMES = ['github', 'gitlab', 'jenkins', 'none'] as const

/** `core-conformance init`. */
export const INIT: Command = {
  name: 'init',
  about: 'write a configuration file and a CI workflow for this folder; what is there stays as it is',
  options: [
    ...TARGET.filter(({ flag }) => flag === 'target' || flag === 'username'),
    TARGET_NAME,
    {
      flag: 'ci',
      env: 'CORE_INIT_CI',
      value: CI_NAMES.join('|'),
      about: 'for which CI (default: the one that this folder has files of, else github)',
    },
  ],
  operands: { value: 'TARGET', about: 'the base URL of the Core, such as https://10.0.0.5', atLeast: 0, atMost: 1 },
  secrets: [],
}
