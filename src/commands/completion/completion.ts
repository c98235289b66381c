import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { Terminal } from '../../terminal.js'
import { SHELLS } from './settings.js'
import { completionOf } from './shell-scripts.js'

/**
 * `core-conformance completion`: prints the completion script of a shell.
 * @returns the exit code: 0
 * @throws ConfigError for a shell without a completion script
 */
export async function completion({ operands, commands }: Settings, { stdout }: Terminal): Promise<number> {
  const shell = SHELLS.find(name => name === operands[0])
  if (!shell) throw new ConfigError(`there is a completion for ${SHELLS.join(', ')}, and for no other shell`)
  stdout.write(completionOf(shell, commands))
  return 0
}
