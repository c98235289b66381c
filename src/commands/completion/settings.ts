import type { Command } from '../../config/command.js'

/** `core-conformance completion`. */
export const COMPLETION: Command = {
  name: 'completion',
  about: 'print the completion script of a shell: bash, zsh or fish',
  options: [],
  operands: {
    value: 'SHELL',
    about: 'bash, zsh, fish; docs/doctor.md says where to put the script',
    atLeast: 1,
    atMost: 1,
  },
  secrets: [],
}
