import type { Command } from '../../config/command.js'
import { CONFIG, SPECS } from '../shared/settings.js'

/** The shells with a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const

/** `core-conformance completion`. */
export const COMPLETION: Command = {
  name: 'completion',
  about: 'print the completion script of a shell: bash, zsh or fish',
  // The scripts ask the program for names of the user, such as `completion targets`.
  options: [SPECS, CONFIG],
  operands: {
    value: 'SHELL',
    about: `${SHELLS.join(', ')}; docs/doctor.md says where to put the script`,
    atLeast: 1,
    atMost: 1,
  },
  secrets: [],
}
