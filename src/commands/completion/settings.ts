import type { Command } from '../../config/command.js'

/** The shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `core-conformance completion`. */
export const COMPLETION: Command = {
  name: 'completion',
  about: 'print what completes commands and options in a shell: bash, zsh or fish',
  options: [],
  operands: {
    value: 'SHELL',
    about: `${SHELLS.join(', ')}; see docs/doctor.md for where it goes`,
    atLeast: 1,
    atMost: 1,
  },
  secrets: [],
}
