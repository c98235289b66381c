import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { inert } from '../../report/inert.js'
import type { Terminal } from '../../terminal.js'
import { NAMES } from './names.js'
import { SHELLS } from './settings.js'
import { completionOf } from './shell-scripts.js'

/**
 * `core-conformance completion`: prints the completion script of a shell, or, for such a script, names of one kind.
 * @returns the exit code: 0
 * @throws ConfigError for a shell without a completion script
 */
export async function completion(settings: Settings, { stdout }: Terminal): Promise<number> {
  const { operands, commands } = settings
  const [asked = ''] = operands
  const names = Object.entries(NAMES).find(([kind]) => kind === asked)?.[1]
  if (names) {
    for (const name of await names(settings)) stdout.write(`${inert(name)}\n`)
    return 0
  }
  const shell = SHELLS.find(name => name === asked)
  if (!shell) throw new ConfigError(`there is a completion for ${SHELLS.join(', ')}, and for no other shell`)
  stdout.write(completionOf(shell, commands))
  return 0
}
