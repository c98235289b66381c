/** Reads flags and operands from argv. */

import { parseArgs } from 'node:util'
import { ConfigError } from '../ground/config-error.js'
import { ownCommand } from '../ground/own-command.js'
import { nearest } from '../suite/problem.js'
import type { Command } from './command.js'

/**
 * Splits argv into flags and operands.
 * @param commands all commands, so that a message can name the command that a misplaced flag belongs to
 * @returns the flags by name, a list as one text with commas; the operands in their order
 * @throws ConfigError for an unknown flag, a missing or empty value, a password, and too few or too many operands
 */
export function parseArguments(
  command: Command,
  args: string[],
  commands: readonly Command[],
): { flags: Map<string, string>; operands: string[] } {
  const config = Object.fromEntries(
    command.options.map(({ flag, takes: { placeholder, isList } }) => [
      flag,
      placeholder ? { type: 'string' as const, ...(isList && { multiple: true }) } : { type: 'boolean' as const },
    ]),
  )
  const dashes = command.operands?.afterDashes ? args.indexOf('--') : -1
  const [own, others] = dashes < 0 ? [args, []] : [args.slice(0, dashes), args.slice(dashes + 1)]
  // Checked first, so that no message can repeat the password after the flag.
  if (own.some(isPasswordFlag)) throw new ConfigError(NO_PASSWORDS)
  try {
    const { values, positionals } = parseArgs({
      args: own,
      options: { ...config, help: { type: 'boolean', short: 'h' } },
      strict: true,
      allowPositionals: command.operands !== undefined && !command.operands.afterDashes,
    })
    const flags = Object.entries(values).map(([flag, value]): [string, string] => [flag, [value].flat().join(',')])
    // A script may pass an empty value by mistake. It would change the run in silence.
    const empty = flags.find(([, text]) => !text)
    if (empty) throw new ConfigError(`--${empty[0]} is empty: give it a value, or leave it out`)
    const operands = [...positionals, ...others]
    if (!values.help) checkOperands(command, operands)
    return { flags: new Map(flags), operands }
  } catch (error) {
    throw error instanceof ConfigError ? error : new ConfigError(flagMessage(command, error, commands))
  }
}

function checkOperands({ name, operands }: Command, given: string[]): void {
  if (!operands) return
  const { value, about, atLeast, atMost = Number.POSITIVE_INFINITY, afterDashes } = operands
  if (given.length < atLeast) throw new ConfigError(`${name} needs ${afterDashes ? '-- ' : ''}${value}: ${about}`)
  if (given.length > atMost) throw new ConfigError(`${name} takes no more than ${atMost} of ${value}: ${about}`)
  // A script may pass an empty operand by mistake. It would name the working directory, or nothing.
  if (given.includes('')) throw new ConfigError(`one of ${value} is empty`)
}

export const NO_PASSWORDS =
  'passwords are not taken from the command line, where others can read them: set CORE_PASSWORD'

/** Whether an argument looks like a flag for a password, known or not. */
export function isPasswordFlag(arg: string): boolean {
  return /^--?[a-z_-]*(pass|pwd)[a-z_-]*(=|$)/i.test(arg)
}

/** Explains an error of `parseArgs`. Leaves out values, since they may be secrets. */
function flagMessage(command: Command, error: unknown, commands: readonly Command[]): string {
  const { code, message } = error as NodeJS.ErrnoException
  const flag = /'(?:-h, )?(--?[^\s'=]*)/.exec(message)?.[1] ?? 'an option'
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const name = flag.replace(/^-+/, '')
      if (flag === '-v' || flag === '-V') return `unknown option ${flag}; ${shortV(command)}`
      const other = commands.find(({ options }) => options.some(option => option.flag === name))
      if (other) return `${flag} is an option of ${other.name}, not of ${command.name}`
      const known = command.options.map(option => option.flag)
      const near = nearest(name, known)
      return `unknown option ${flag}${near === undefined ? '' : `; did you mean --${near}?`}`
    }
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return command.operands?.afterDashes
        ? `what belongs to ${command.operands.value} comes after --`
        : `${command.name} takes options only; one of the arguments has no option before it`
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE':
      return /does not take/.test(message) ? `${flag} takes no value` : `${flag} needs a value`
    default:
      return message
  }
}

/** What `-v` may have meant, which some programs take for the version and others for more words. */
function shortV({ options }: Command): string {
  const verbose = options.some(({ flag }) => flag === 'verbose') ? '--verbose prints more, and ' : ''
  return `${verbose}${ownCommand('--version')} prints the version`
}
