import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse as parseDotenv } from 'dotenv'
import { COMMANDS, type Command, ENV_BY_FLAG, KNOWN_ENV } from '../options/index.js'
import { nearest, systemReason } from '../suite/problem.js'

/** A flag, a variable or a file that cannot be used. Exit code 2. */
export class ConfigError extends Error {}

/** Where a setting came from; an earlier one beats a later one. */
export const ORIGINS = ['flag', 'environment', '.env'] as const
/** See {@link ORIGINS}. */
export type Origin = (typeof ORIGINS)[number]

/** A value as the user wrote it. */
export interface Setting {
  /** Of a list, the parts in their order; of a switch, `true` or `false`. */
  text: string
  origin: Origin
  /** How messages call it: `--idle-lifetime`, `CORE_IDLE_LIFETIME` or `CORE_IDLE_LIFETIME in .env`. */
  label: string
}

/** The settings of one command, by flag name, from argv, the environment and `.env`. */
export class Settings {
  /** What the user should know, though it stops nothing. */
  readonly warnings: string[] = []
  /** What was given beside the options. */
  readonly operands: string[]
  private readonly flags: Map<string, string>
  private readonly dotenv: Record<string, string>

  /**
   * @param args what follows the command in argv
   * @param env the environment
   * @param folder where `.env` is looked for; not read when help is asked for
   * @throws ConfigError for what is not known or misses its value
   */
  constructor(
    private readonly command: Command,
    args: string[],
    private readonly env: Record<string, string | undefined>,
    folder: string,
  ) {
    const parsed = parse(command, args)
    this.flags = parsed.flags
    this.operands = parsed.operands
    this.dotenv = this.help ? {} : this.readDotenv(folder)
    for (const name of Object.keys(this.dotenv).sort()) this.checkName(name, ' in .env')
    for (const name of Object.keys(env).sort()) this.checkName(name, '')
  }

  /** Whether `--help` was given. */
  get help(): boolean {
    return this.flags.has('help')
  }

  /** A setting; undefined where it is set nowhere, or to nothing. */
  get(flag: string): Setting | undefined {
    return ORIGINS.map(origin => this.from(flag, origin)).find(setting => setting?.text)
  }

  /** A setting of one origin only; `text` may be empty. */
  from(flag: string, origin: Origin): Setting | undefined {
    const env = this.command.options.find(option => option.flag === flag)?.env ?? ''
    if (origin === 'flag') {
      const text = this.flags.get(flag)
      return text === undefined ? undefined : { text, origin, label: `--${flag}` }
    }
    return this.variable(env, origin)
  }

  /** A secret, which has no flag; undefined where it is set nowhere, or to nothing. */
  secret(env: string): string | undefined {
    return this.variable(env, 'environment')?.text || this.variable(env, '.env')?.text || undefined
  }

  /** The environment without the variables that mean something here: what another program may be given. */
  foreign(): Record<string, string> {
    const entries = Object.entries(this.env).filter(([name]) => !KNOWN_ENV.has(name))
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  private variable(env: string, origin: 'environment' | '.env'): Setting | undefined {
    const text = (origin === '.env' ? this.dotenv : this.env)[env]
    return text === undefined ? undefined : { text, origin, label: origin === '.env' ? `${env} in .env` : env }
  }

  private readDotenv(folder: string): Record<string, string> {
    let bytes: Buffer
    try {
      bytes = readFileSync(`${folder}/.env`)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw new ConfigError(`.env cannot be read: ${systemReason(error, 'file')}; mend that, or move it away`)
    }
    const text = bytes.toString('utf8')
    // Some editors and shells write UTF-16, in which no variable would be found, and nobody would be told.
    if (!isUtf8(bytes) || text.includes('\0')) throw new ConfigError('.env is not UTF-8 text: save it as UTF-8')
    for (const [, name] of text.matchAll(
      /^[ \t]*(?:export[ \t]+)?(CORE_[A-Z_]+)[ \t]*=(?![ \t]*["'`])(?:[^\n#]*[^\s#])?#/gm,
    )) {
      this.warnings.push(`the value of ${name} in .env ends before its '#'; put it in quotes if the '#' belongs to it`)
    }
    return parseDotenv(text)
  }

  /** A variable that is nearly one of ours is most likely meant to be it; in `.env`, one that is not ours is a slip. */
  private checkName(name: string, where: string): void {
    if (!/^core[_-]/i.test(name) || KNOWN_ENV.has(name)) return
    const near = ENV_BY_FLAG.get(name.toUpperCase()) ?? nearest(name, KNOWN_ENV)
    if (near) this.warnings.push(`${name}${where} means nothing here; did you mean ${near}?`)
    else if (where) this.warnings.push(`${name}${where} means nothing here`)
  }
}

function parse(command: Command, args: string[]): { flags: Map<string, string>; operands: string[] } {
  const known = command.options.map(({ flag }) => flag)
  const config = Object.fromEntries(
    command.options.map(({ flag, value, list }) => [
      flag,
      value ? { type: 'string' as const, ...(list && { multiple: true }) } : { type: 'boolean' as const },
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
    throw error instanceof ConfigError ? error : new ConfigError(flagMessage(command, error, known))
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
function flagMessage(command: Command, error: unknown, known: string[]): string {
  const { code, message } = error as NodeJS.ErrnoException
  const flag = /'(?:-h, )?(--?[^\s'=]*)/.exec(message)?.[1] ?? 'an option'
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const name = flag.replace(/^-+/, '')
      const other = COMMANDS.find(({ options }) => options.some(option => option.flag === name))
      if (other) return `${flag} is an option of ${other.name}, not of ${command.name}`
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
