/** Flags and operands from argv. */
import { parseArgs } from 'node:util'
import { nearest } from '../suite/problem.js'
import type { Command } from './command.js'
import { ConfigError } from './error.js'

/**
 * Takes argv apart.
 * @param args what follows the command
 * @param commands all that there are: a flag may be another's
 * @throws ConfigError for what is not known or misses its value
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
  // Checked first, so that no message can repeat what follows it.
  if (own.some(isPasswordFlag)) throw new ConfigError(NO_PASSWORDS)
  try {
    const { values, positionals } = parseArgs({
      args: own,
      options: { ...config, help: { type: 'boolean', short: 'h' } },
      strict: true,
      allowPositionals: command.operands !== undefined && !command.operands.afterDashes,
    })
    const flags = Object.entries(values).map(([flag, value]): [string, string] => [flag, [value].flat().join(',')])
    // What a script leaves empty by mistake would change the run in silence.
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
  // What a script leaves empty by mistake would name the working directory, or nothing.
  if (given.includes('')) throw new ConfigError(`one of ${value} is empty`)
}

/** Why passwords on the command line are refused. */
export const NO_PASSWORDS =
  'passwords are not taken from the command line, where others can read them: set CORE_PASSWORD'

/** Whether an argument is a flag that seems to give a password, whatever its name is. */
export function isPasswordFlag(arg: string): boolean {
  return /^--?[a-z_-]*(pass|pwd)[a-z_-]*(=|$)/i.test(arg)
}

/** What parseArgs found, without the values, which may be secrets. */
function flagMessage(command: Command, error: unknown, commands: readonly Command[]): string {
  const { code, message } = error as NodeJS.ErrnoException
  const flag = /'(?:-h, )?(--?[^\s'=]*)/.exec(message)?.[1] ?? 'an option'
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const name = flag.replace(/^-+/, '')
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
