import { isUtf8 } from 'node:buffer'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parse as parseDotenv } from 'dotenv'
import { COMMANDS, type Command, ENV_BY_FLAG, KNOWN_ENV } from '../options/index.js'
import { hint, nearest, systemReason } from '../suite/problem.js'
import type { ConfigFile, FileSetting, Layer } from './file.js'

/** A flag, a variable or a file that cannot be used. Exit code 2. */
export class ConfigError extends Error {}

/** Where a setting came from; an earlier one beats a later one. */
export const ORIGINS = ['flag', 'environment', '.env', 'file'] as const
/** See {@link ORIGINS}. */
export type Origin = (typeof ORIGINS)[number]

/** A value as the user wrote it. */
export interface Setting {
  /** Of a list, the parts in their order; of a switch, `true` or `false`. */
  text: string
  origin: Origin
  /**
   * How messages call it: `--idle-lifetime`, `CORE_IDLE_LIFETIME`, `CORE_IDLE_LIFETIME in .env` or
   * `idle-lifetime (core-conformance.config.yaml:4:3)`.
   */
  label: string
}

/** What GitHub Actions says of itself in the environment. */
export interface GithubActions {
  /** The file of the step summary, to be appended to; undefined where there is none. */
  summaryFile: string | undefined
}

/** Where the configuration file is looked for when nothing names it. */
const CONFIG_FILE = 'core-conformance.config.yaml'

/** The settings of one command, by flag name, from argv, the environment, `.env` and the configuration file. */
export class Settings {
  /** What the user should know, though it stops nothing. */
  readonly warnings: string[] = []
  /** What was given beside the options. */
  readonly operands: string[]
  private readonly flags: Map<string, string>
  private readonly dotenv: Record<string, string>
  private file: ConfigFile | undefined

  /**
   * The configuration file is read by {@link load}.
   * @param args what follows the command in argv
   * @param env the environment
   * @param folder where `.env` is looked for; not read when help is asked for
   * @throws ConfigError for what is not known or misses its value
   */
  constructor(
    private readonly command: Command,
    args: string[],
    private readonly env: Record<string, string | undefined>,
    private readonly folder: string,
  ) {
    const parsed = parse(command, args)
    this.flags = parsed.flags
    this.operands = parsed.operands
    this.dotenv = this.help ? {} : this.readDotenv(folder)
    for (const name of Object.keys(this.dotenv).sort()) this.checkName(name, ' in .env')
    for (const name of Object.keys(env).sort()) this.checkName(name, '')
  }

  /**
   * Reads the configuration file, where the command takes one: that of `--config`, else the one in the folder if it is there.
   * @throws ConfigError for a file that cannot be used, and for a target that is not in it
   */
  async load(): Promise<void> {
    if (this.help || !this.command.options.some(({ flag }) => flag === 'config')) return
    const named = this.get('config')
    const path = named?.text ?? CONFIG_FILE
    if (!named && !existsSync(resolve(this.folder, path))) return
    const { readConfigFile } = await import('./file.js')
    this.file = readConfigFile(resolve(this.folder, path), path, named?.label)
    this.checkTarget(this.file)
    this.checkProfile(this.file)
  }

  /** Whether `--help` was given. */
  get help(): boolean {
    return this.flags.has('help')
  }

  /** A setting; undefined where it is set nowhere, or to nothing. */
  get(flag: string): Setting | undefined {
    return ORIGINS.map(origin => this.from(flag, origin)).find(setting => setting?.text)
  }

  /** A setting of one origin only; `text` may be empty. A name that the configuration file explains is what it stands for. */
  from(flag: string, origin: Origin): Setting | undefined {
    const setting = origin === 'file' ? this.fromFile(flag) : this.given(flag, origin)
    if (!setting || !this.file) return setting
    const meant =
      flag === 'target'
        ? this.file.targets.get(setting.text)?.get('url')
        : flag === 'profile'
          ? this.profileNamed(setting.text)
          : undefined
    return meant ? { ...meant, origin } : setting
  }

  /** What a named profile says of the profile proper: `full` unless it says otherwise. */
  private profileNamed(name: string): FileSetting | undefined {
    const profile = this.file?.profiles.get(name)
    return profile && (profile.get('profile') ?? { text: 'full', label: `profile ${name}` })
  }

  private given(flag: string, origin: Exclude<Origin, 'file'>): Setting | undefined {
    const env = this.command.options.find(option => option.flag === flag)?.env ?? ''
    if (origin === 'flag') {
      const text = this.flags.get(flag)
      return text === undefined ? undefined : { text, origin, label: `--${flag}` }
    }
    return this.variable(env, origin)
  }

  /** What the file says: of the target in use first, then of the profile in use, then for every run. */
  private fromFile(flag: string): Setting | undefined {
    const { file } = this
    if (!file || !this.command.options.some(option => option.flag === flag)) return undefined
    // Of flags of the same name the first command's is meant: `out` is the folder of the reports.
    const [env, own] = [COMMANDS, [this.command]].map(
      commands => commands.flatMap(({ options }) => options).find(option => option.flag === flag)?.env,
    )
    if (env !== own) return undefined
    const target = file.targets.get(this.chosen('target') ?? '')
    const first = (layers: (Layer | undefined)[], name: string) =>
      layers.map(layer => layer?.get(name)).find(found => found !== undefined)
    if (flag === 'profile') {
      const setting = first([target, file.defaults], flag)
      return setting && { ...setting, origin: 'file' }
    }
    const profile = this.chosen('profile') ?? first([target, file.defaults], 'profile')?.text ?? ''
    const setting = first([target, file.profiles.get(profile), file.defaults], flag)
    return setting && { ...setting, origin: 'file' }
  }

  /** What flags and variables say, as it stands. */
  private chosen(flag: string): string | undefined {
    for (const origin of ['flag', 'environment', '.env'] as const) {
      const setting = this.given(flag, origin)
      if (setting?.text) return setting.text
    }
    return undefined
  }

  /** A target that is no URL is the name of one, and has to be in the file. */
  private checkTarget({ path, targets }: ConfigFile): void {
    const name = this.chosen('target')
    if (name === undefined || name.includes('://') || targets.has(name)) return
    // What is no name may hold credentials, and is not repeated.
    const isName = /^[\w.-]+$/.test(name)
    throw new ConfigError(
      `there is no target ${isName ? `'${name}'` : 'of that name'} in ${path}${isName ? hint(name, targets.keys()) : ''}; a URL begins with https://`,
    )
  }

  /** A profile is a built-in one, or has to be in the file. */
  private checkProfile({ profiles }: ConfigFile): void {
    const setting = ORIGINS.map(origin =>
      origin === 'file' ? this.fromFile('profile') : this.given('profile', origin),
    ).find(found => found?.text)
    const known = ['quick', 'full', ...profiles.keys()]
    if (!setting || known.includes(setting.text)) return
    throw new ConfigError(`${setting.label}: there is no profile '${setting.text}'${hint(setting.text, known)}`)
  }

  /** Where GitHub Actions is told of a run; undefined elsewhere. */
  github(): GithubActions | undefined {
    const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = this.env
    if (GITHUB_ACTIONS !== 'true') return undefined
    return { summaryFile: GITHUB_STEP_SUMMARY || undefined }
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
