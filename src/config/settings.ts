/**
 * Gives the settings of a command as values. Over 250 lines, since all methods of its one class read the same flags,
 * variables and file. Code without that state is in `argv.ts`, `variables.ts` and `layers.ts`.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from '../ground/config-error.js'
import type { GithubActions } from '../report/reporter.js'
import type { Kind } from '../settings/kinds.js'
import type { Setting, ValueOf, ValuesOf } from '../settings/setting.js'
import { parseArguments } from './argv.js'
import { CONFIG_FILE, type Command, optionsOf, variablesOf } from './command.js'
import type { ConfigFile } from './file.js'
import { checkProfile, checkTarget, explained, settingIn } from './layers.js'
import { type Given, ORIGINS, type Origin, SAID } from './origin.js'
import { isTargetSecret, readDotenv, strangeNames, strayTargetSecrets, targetSecret, unusedProxy } from './variables.js'

/** The settings of one command, by flag name, from argv, the environment, `.env` and the configuration file. */
export class Settings {
  /** Warnings for the user, in one sentence each. None of them stops the command. */
  readonly warnings: string[] = []
  readonly operands: string[]
  private flags: ReadonlyMap<string, string>
  private readonly dotenv: Record<string, string>
  /** The configuration file, after {@link load}; undefined where there is none. */
  configFile: ConfigFile | undefined
  private called = (flag: string) => `--${flag}`

  /**
   * Reads argv, the environment and `.env`. {@link load} reads the configuration file.
   * @param folder the folder of `.env`, which is not read with `--help`
   * @param commands all commands, since flags, variables and the file may be meant for another one
   * @throws ConfigError for wrong arguments, and for a `.env` that cannot be read
   */
  constructor(
    private command: Command,
    args: string[],
    private readonly env: Record<string, string | undefined>,
    private readonly folder: string,
    readonly commands: readonly Command[],
  ) {
    const parsed = parseArguments(command, args, commands)
    this.flags = parsed.flags
    this.operands = parsed.operands
    this.dotenv = this.help ? {} : readDotenv(folder, warning => this.warnings.push(warning))
    this.warnings.push(...strangeNames(Object.keys(this.dotenv).sort(), ' in .env', commands))
    this.warnings.push(...strangeNames(Object.keys(env).sort(), '', commands))
  }

  /**
   * Reads the configuration file, where the command takes one: the file of `--config`, else the default file, if it
   * exists.
   * @throws ConfigError where the file cannot be used, or lacks the target or the profile
   */
  async load(): Promise<void> {
    if (this.help) return
    if (this.takes('config')) {
      await this.loadFile()
      const names = [...Object.keys(this.dotenv), ...Object.keys(this.env)]
      this.warnings.push(...strayTargetSecrets(names, this.configFile))
    }
    const { operands, configFile: file } = this
    const cores = operands.filter(operand => operand.includes('://') || file?.targets.has(operand))
    const named = this.chosen('target')?.split(',') ?? []
    this.warnings.push(...this.unusedProxy([...named, ...cores]))
  }

  private async loadFile(): Promise<void> {
    const named = this.get('config')
    const path = named?.text ?? CONFIG_FILE
    if (!named && !existsSync(resolve(this.folder, path))) return
    const { readConfigFile } = await import('./file.js')
    const options = optionsOf(this.commands)
    const isPath = (flag: string, text: string) => options.find(each => each.flag === flag)?.takes.isPath(text) ?? false
    this.configFile = readConfigFile(resolve(this.folder, path), path, named?.label, isPath)
    // A list of targets is checked later, name by name.
    const isList = this.command.options.some(({ flag, takes }) => flag === 'target' && takes.isList)
    checkTarget(this.configFile, this.chosen('target'), isList)
    checkProfile(this.configFile, this.profile)
  }

  /**
   * Returns the settings of one Core of a fleet, as if the user had named this Core alone.
   * @param target the base URL of the Core, or its name in the configuration file
   * @param label name of the target setting in messages
   * @param flags further flags that the program sets, such as the folder of the reports
   * @throws ConfigError for an unknown profile
   */
  forTarget(target: string, label: string, flags: Readonly<Record<string, string>>): Settings {
    const own: Settings = Object.create(Settings.prototype)
    const all = new Map([...this.flags, ['target', target] as const, ...Object.entries(flags)])
    const called = (flag: string) => (flag === 'target' ? label : `--${flag}`)
    Object.assign(own, this, { flags: all, called, operands: [], warnings: [] })
    if (this.configFile) checkProfile(this.configFile, own.profile)
    return own
  }

  /** Returns the settings of another command with these arguments, which the same user gives in the same place. */
  async another(command: Command, args: string[]): Promise<Settings> {
    const own = new Settings(command, args, this.env, this.folder, this.commands)
    await own.load()
    return own
  }

  /** Returns an environment variable of another program, such as `CI_NODE_INDEX`. */
  surrounding(name: string): string | undefined {
    return this.env[name]
  }

  /**
   * Makes settings of values that a program gives: no argv, no environment, no `.env` and no configuration file.
   * @param flags values by flag name; a switch as `true`
   */
  static of(
    command: Command,
    flags: ReadonlyMap<string, string>,
    secrets: Readonly<Record<string, string | undefined>>,
    called: (flag: string) => string,
  ): Settings {
    const own: Settings = Object.create(Settings.prototype)
    const commands = [command]
    const given = { flags, env: secrets, dotenv: {}, operands: [], warnings: [] }
    return Object.assign(own, { command, commands, called, ...given })
  }

  /**
   * Warns that no proxy is used for these Cores.
   * @param targets base URLs, or names of targets
   */
  unusedProxy(targets: string[]): string[] {
    const urls = targets.map(target => this.configFile?.targets.get(target)?.get('url')?.text ?? target)
    return unusedProxy(this.env, urls)
  }

  /** The name of the target in use in the configuration file; undefined where the file does not list the target. */
  get targetName(): string | undefined {
    const name = this.chosen('target') ?? ''
    return this.configFile?.targets.has(name) ? name : undefined
  }

  takes(flag: string): boolean {
    return this.command.options.some(option => option.flag === flag)
  }

  get help(): boolean {
    return this.flags.has('help')
  }

  /** Returns the strongest value of a setting among these origins; undefined where it is not set, or empty. */
  get(flag: string, among: readonly Origin[] = ORIGINS): Given | undefined {
    return among.map(origin => this.from(flag, origin)).find(setting => setting?.text)
  }

  /** Returns the value of a setting: the given one, else the default. @throws ConfigError for a wrong value */
  value<S extends Setting>(setting: S): ValueOf<S> {
    const given = this.get(setting.flag)
    return (given ? readGiven(given, setting) : setting.usual) as ValueOf<S>
  }

  /** Returns the values of several settings, by the names that a table gives them, such as that of a command. */
  values<const T extends Readonly<Record<string, Setting>>>(table: T): ValuesOf<T> {
    const found = Object.entries(table).map(([name, setting]) => [name, this.value(setting)])
    return Object.fromEntries(found) as ValuesOf<T>
  }

  /**
   * Returns the name of a setting in messages: as the user gave it, else its flag.
   * @throws Error for a flag that the command lacks, so that no message names such a flag
   */
  label(flag: string): string {
    if (!this.takes(flag)) throw new Error(`${this.command.name} has no ${flag}`)
    return this.get(flag)?.label ?? `--${flag}`
  }

  /** Returns a setting from one origin; `text` may be empty. Names of the configuration file are {@link explained}. */
  from(flag: string, origin: Origin): Given | undefined {
    const setting = origin === 'file' ? this.fromFile(flag) : this.given(flag, origin)
    if (!setting || !this.configFile) return setting
    return explained(this.configFile, flag, setting)
  }

  /** Returns a setting from one origin, with the name of a target or a profile as it was given. */
  given(flag: string, origin: (typeof SAID)[number]): Given | undefined {
    const env = this.command.options.find(option => option.flag === flag)?.env ?? ''
    if (origin !== 'flag') return this.variable(env, origin)
    const text = this.flags.get(flag)
    return text === undefined ? undefined : { text, origin, label: this.called(flag) }
  }

  private fromFile(flag: string): Given | undefined {
    const { configFile: file } = this
    const [first, own] = [optionsOf(this.commands), this.command.options].map(all =>
      all.find(each => each.flag === flag),
    )
    // `out` is the folder of the reports, and none of the files that other commands write.
    if (!file || !own || first?.env !== own.env) return undefined
    return settingIn(file, flag, this.chosen('target'), this.chosen('profile'))
  }

  /** The profile as the user names it: a built-in profile, or one of the file. */
  private get profile(): Given | undefined {
    return this.said('profile') ?? this.fromFile('profile')
  }

  /** Returns the strongest value of a setting outside the file, unexplained. */
  private said(flag: string): Given | undefined {
    return SAID.map(origin => this.given(flag, origin)).find(setting => setting?.text)
  }

  private chosen(flag: string): string | undefined {
    return this.said(flag)?.text
  }

  /** Returns where GitHub Actions takes the report of a run; undefined where this process is no job of GitHub Actions. */
  github(): GithubActions | undefined {
    const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = this.env
    if (GITHUB_ACTIONS !== 'true') return undefined
    return { summaryFile: GITHUB_STEP_SUMMARY || undefined }
  }

  /**
   * Returns a secret; undefined where it is not set, or empty. The secret of a target in the configuration file beats
   * the common one: `CORE_PASSWORD_STAGING` beats `CORE_PASSWORD`.
   * @throws ConfigError where the variable of the target is empty
   */
  secret(env: string): string | undefined {
    const { targetName: name } = this
    return this.firstSecret(name === undefined ? [env] : [targetSecret(env, name), env])
  }

  /**
   * Returns the secret of the Core at a URL: that of the target with this URL, else the common one.
   * @throws ConfigError where the variable of the target is empty
   */
  secretAt(env: string, url: string): string | undefined {
    const { targets } = this.configFile ?? {}
    const own = [...(targets?.keys() ?? [])].filter(name => originOf(targets?.get(name)?.get('url')?.text) === url)
    return this.firstSecret([...own.map(name => targetSecret(env, name)), env])
  }

  /** @throws ConfigError where the variable of a target is empty: no secret of another Core may replace it in silence */
  private firstSecret(names: string[]): string | undefined {
    for (const name of names.slice(0, -1)) {
      const given = this.variable(name, 'environment') ?? this.variable(name, '.env')
      if (given?.text === '') throw new ConfigError(`${given.label} is empty: give it a value, or leave it out`)
    }
    return names
      .flatMap(each => [this.variable(each, 'environment')?.text, this.variable(each, '.env')?.text])
      .find(Boolean)
  }

  /** Returns the environment without the variables of this program, for a child process of the user. */
  foreign(): Record<string, string> {
    const known = variablesOf(this.commands)
    const entries = Object.entries(this.env).filter(([name]) => !known.has(name) && !isTargetSecret(name))
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  private variable(env: string, origin: 'environment' | '.env'): Given | undefined {
    const text = (origin === '.env' ? this.dotenv : this.env)[env]
    return text === undefined ? undefined : { text, origin, label: origin === '.env' ? `${env} in .env` : env }
  }
}

/** Reads the value from the given text. @throws ConfigError for a wrong value */
export function readGiven<T>({ text, label }: Given, { takes }: { takes: Kind<T> }): T {
  const value = takes.read(text)
  if (value === undefined) throw new ConfigError(`${label} ${takes.wrong(text)}`)
  return value
}

function originOf(url = ''): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}
