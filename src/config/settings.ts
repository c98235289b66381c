/**
 * The settings of a command as values. One class, and so more than 250 lines: all that it tells is read from the same flags, variables and
 * file. What needs none of its state stands in `argv.ts`, `dotenv.ts` and `layers.ts`.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { GithubActions } from '../report/reporter.js'
import type { Kind } from '../settings/kind.js'
import type { Setting, ValueOf } from '../settings/setting.js'
import { parseArguments } from './argv.js'
import { CONFIG_FILE, type Command, kindsByFlag, variablesOf } from './command.js'
import { readDotenv, strangeNames } from './dotenv.js'
import { ConfigError } from './error.js'
import type { ConfigFile } from './file.js'
import { checkProfile, checkTarget, explained, settingIn } from './layers.js'
import { type Given, ORIGINS, type Origin } from './origin.js'
import { unusedProxy } from './proxy.js'
import { isTargetSecret, strayTargetSecrets, targetSecret } from './target-secrets.js'

/** The settings of one command, by flag name, from argv, the environment, `.env` and the configuration file. */
export class Settings {
  /** What the user should know, though it stops nothing. */
  readonly warnings: string[] = []
  /** What was given beside the options. */
  readonly operands: string[]
  private flags: ReadonlyMap<string, string>
  private readonly dotenv: Record<string, string>
  private file: ConfigFile | undefined
  /** How messages call a flag. */
  private called = (flag: string) => `--${flag}`

  /**
   * The configuration file is read by {@link load}.
   * @param args what follows the command in argv
   * @param env the environment
   * @param folder where `.env` is looked for; not read when help is asked for
   * @param commands all that there are, since flags, variables and the file may be meant for another
   * @throws ConfigError for what is not known or misses its value
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
   * Reads the configuration file, where the command takes one: that of `--config`, else the one in the folder if it is there.
   * @throws ConfigError for a file that cannot be used, and for a target that is not in it
   */
  async load(): Promise<void> {
    if (this.help) return
    if (this.command.options.some(({ flag }) => flag === 'config')) await this.loadFile()
    const { operands, file } = this
    const cores = operands.filter(operand => operand.includes('://') || file?.targets.has(operand))
    const named = this.chosen('target')?.split(',') ?? []
    this.warnings.push(...this.unusedProxy([...named, ...cores]))
  }

  private async loadFile(): Promise<void> {
    const named = this.get('config')
    const path = named?.text ?? CONFIG_FILE
    const isThere = named !== undefined || existsSync(resolve(this.folder, path))
    if (!isThere) {
      this.warnings.push(...strayTargetSecrets(this.names, undefined))
      return
    }
    const { readConfigFile } = await import('./file.js')
    const kinds = kindsByFlag(this.commands)
    const isPath = (flag: string, text: string) => kinds.get(flag)?.isPath(text) ?? false
    this.file = readConfigFile(resolve(this.folder, path), path, named?.label, isPath)
    // Of several targets, each is looked up where they are told apart.
    const isList = this.command.options.some(({ flag, takes }) => flag === 'target' && takes.isList)
    checkTarget(this.file, this.chosen('target'), isList)
    checkProfile(this.file, this.profile)
    this.warnings.push(...strayTargetSecrets(this.names, this.file))
  }

  /**
   * The settings of one Core of a fleet, as if it alone had been named.
   * @param target its base URL, or its name in the configuration file
   * @param label how messages call what names it
   * @param flags that are not the user's, such as the folder of its reports
   * @throws ConfigError for a profile that there is not
   */
  forTarget(target: string, label: string, flags: Readonly<Record<string, string>>): Settings {
    const own: Settings = Object.create(Settings.prototype)
    const all = new Map([...this.flags, ['target', target] as const, ...Object.entries(flags)])
    const called = (flag: string) => (flag === 'target' ? label : `--${flag}`)
    Object.assign(own, this, { flags: all, called, operands: [], warnings: [] })
    if (this.file) checkProfile(this.file, own.profile)
    return own
  }

  /** Settings of a flag by where they were given, what beats the others first; without the configuration file. */
  givenIn(flag: string): Given[] {
    return (['flag', 'environment', '.env'] as const).flatMap(origin => this.given(flag, origin) ?? [])
  }

  /** A variable of the surroundings that is no setting of ours, such as `CI_NODE_INDEX`. */
  surrounding(name: string): string | undefined {
    return this.env[name]
  }

  /**
   * Settings that come from a program: no argv, no environment, no `.env` and no configuration file.
   * @param flags values by the names of the flags; of a switch `true`
   * @param secrets by their variables, which have no flags
   * @param called how messages call a flag
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

  /** The warning that a proxy is not used for these Cores, by URL or name; empty where there is none. */
  unusedProxy(targets: string[]): string[] {
    const urls = targets.map(target => this.file?.targets.get(target)?.get('url')?.text ?? target)
    return [unusedProxy(this.env, urls) ?? []].flat()
  }

  /** The configuration file, once it is read; undefined where there is none. */
  get configFile(): Pick<ConfigFile, 'path' | 'targets' | 'labels' | 'states'> | undefined {
    return this.file
  }

  /** The name that the configuration file has for the target in use; undefined where it has none. */
  get targetName(): string | undefined {
    const name = this.chosen('target') ?? ''
    return this.file?.targets.has(name) ? name : undefined
  }

  /** Whether `--help` was given. */
  get help(): boolean {
    return this.flags.has('help')
  }

  /** A setting; undefined where it is set nowhere, or to nothing. */
  get(flag: string): Given | undefined {
    return ORIGINS.map(origin => this.from(flag, origin)).find(setting => setting?.text)
  }

  /**
   * The value of a setting: what was said, else what it usually is.
   * @throws ConfigError for what it does not take
   */
  value<S extends Setting>(setting: S): ValueOf<S> {
    const given = this.get(setting.flag)
    return (given ? readGiven(given, setting) : setting.usual) as ValueOf<S>
  }

  /**
   * How messages call a setting: as the user gave it, else by its flag.
   * @throws Error for a flag that the command has not, so that no message names such a one
   */
  label(flag: string): string {
    if (!this.command.options.some(option => option.flag === flag))
      throw new Error(`${this.command.name} has no ${flag}`)
    return this.get(flag)?.label ?? `--${flag}`
  }

  /** A setting of one origin only; `text` may be empty. A name that the configuration file explains is what it stands for. */
  from(flag: string, origin: Origin): Given | undefined {
    const setting = origin === 'file' ? this.fromFile(flag) : this.given(flag, origin)
    if (!setting || !this.file) return setting
    return explained(this.file, flag, setting)
  }

  private given(flag: string, origin: Exclude<Origin, 'file'>): Given | undefined {
    const env = this.command.options.find(option => option.flag === flag)?.env ?? ''
    if (origin !== 'flag') return this.variable(env, origin)
    const text = this.flags.get(flag)
    return text === undefined ? undefined : { text, origin, label: this.called(flag) }
  }

  /** What the file says: of the target in use first, then of the profile in use, then for every run. */
  private fromFile(flag: string): Given | undefined {
    const { file } = this
    if (!file || !this.command.options.some(option => option.flag === flag)) return undefined
    // Of flags of the same name the first command's is meant: `out` is the folder of the reports.
    const [env, own] = [this.commands, [this.command]].map(
      commands => commands.flatMap(({ options }) => options).find(option => option.flag === flag)?.env,
    )
    if (env !== own) return undefined
    return settingIn(file, flag, { target: this.chosen('target'), profile: this.chosen('profile') })
  }

  /** The profile as the user names it: a built-in one, or one of the file. */
  private get profile(): Given | undefined {
    return ORIGINS.map(origin => (origin === 'file' ? this.fromFile('profile') : this.given('profile', origin))).find(
      found => found?.text,
    )
  }

  /** What flags and variables say, as it stands. */
  private chosen(flag: string): string | undefined {
    for (const origin of ['flag', 'environment', '.env'] as const) {
      const setting = this.given(flag, origin)
      if (setting?.text) return setting.text
    }
    return undefined
  }

  /** Where GitHub Actions is told of a run; undefined elsewhere. */
  github(): GithubActions | undefined {
    const { GITHUB_ACTIONS, GITHUB_STEP_SUMMARY } = this.env
    if (GITHUB_ACTIONS !== 'true') return undefined
    return { summaryFile: GITHUB_STEP_SUMMARY || undefined }
  }

  /**
   * A secret, which has no flag; undefined where it is set nowhere, or to nothing. Of a target of the configuration file its
   * own is meant before that of all: `CORE_PASSWORD_STAGING` before `CORE_PASSWORD`.
   */
  secret(env: string): string | undefined {
    const name = this.chosen('target') ?? ''
    return this.firstSecret(this.file?.targets.has(name) ? [targetSecret(env, name), env] : [env])
  }

  /** A secret of the Core at a URL: of the target of the configuration file that is there, else of all. */
  secretAt(env: string, url: string): string | undefined {
    const { targets } = this.file ?? {}
    const own = [...(targets?.keys() ?? [])].filter(name => originOf(targets?.get(name)?.get('url')?.text) === url)
    return this.firstSecret([...own.map(name => targetSecret(env, name)), env])
  }

  /** @throws ConfigError where that of a target is set to nothing: another Core's must not take its place unnoticed */
  private firstSecret(names: string[]): string | undefined {
    for (const name of names.slice(0, -1)) {
      const given = this.variable(name, 'environment') ?? this.variable(name, '.env')
      if (given?.text === '') throw new ConfigError(`${given.label} is empty: give it a value, or leave it out`)
    }
    return names
      .flatMap(each => [this.variable(each, 'environment')?.text, this.variable(each, '.env')?.text])
      .find(Boolean)
  }

  /** The environment without the variables that mean something here: what another program may be given. */
  foreign(): Record<string, string> {
    const known = variablesOf(this.commands)
    const entries = Object.entries(this.env).filter(([name]) => !known.has(name) && !isTargetSecret(name))
    return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined))
  }

  private variable(env: string, origin: 'environment' | '.env'): Given | undefined {
    const text = (origin === '.env' ? this.dotenv : this.env)[env]
    return text === undefined ? undefined : { text, origin, label: origin === '.env' ? `${env} in .env` : env }
  }

  /** The variables that are set. */
  private get names(): string[] {
    return [...Object.keys(this.dotenv), ...Object.keys(this.env)]
  }
}

/**
 * The value that was given.
 * @throws ConfigError for what the setting does not take
 */
export function readGiven<T>({ text, label }: Given, { takes }: { takes: Kind<T> }): T {
  const value = takes.read(text)
  if (value === undefined) throw new ConfigError(`${label} ${takes.wrong(text)}`)
  return value
}

function originOf(url = ''): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}
