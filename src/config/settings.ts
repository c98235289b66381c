import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse as parseDotenv } from 'dotenv'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../ground/file.js'
import type { GithubActions } from '../report/reporter.js'
import { PROFILES } from '../settings/configuration.js'
import type { Kind } from '../settings/kind.js'
import type { Setting, ValueOf } from '../settings/setting.js'
import { hint, nearest, systemReason } from '../suite/problem.js'
import { parseArguments } from './argv.js'
import { CONFIG_FILE, type Command, kindsByFlag, variablesByFlag, variablesOf } from './command.js'
import { ConfigError } from './error.js'
import type { ConfigFile, FileSetting, Layer } from './file.js'
import { type Given, ORIGINS, type Origin } from './origin.js'
import { unusedProxy } from './proxy.js'
import { isTargetSecret, strayTargetSecrets, targetSecret } from './target-secrets.js'

/** The flags that say how a Core is trusted. */
const TRUST: readonly string[] = ['insecure', 'ca-file', 'fingerprint']

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
  /** The variables that mean something to any command. */
  private readonly known: ReadonlySet<string>

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
    this.known = variablesOf(commands)
    const parsed = parseArguments(command, args, commands)
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
    this.checkTarget(this.file)
    this.checkProfile(this.file)
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
    if (this.file) own.checkProfile(this.file)
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
    const known = variablesOf(commands)
    const given = { flags, env: secrets, dotenv: {}, operands: [], warnings: [] }
    return Object.assign(own, { command, commands, known, called, ...given })
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
    const meant =
      flag === 'target'
        ? this.file.targets.get(setting.text)?.get('url')
        : flag === 'profile'
          ? this.profileNamed(setting.text)
          : undefined
    return meant ? of(origin, meant) : setting
  }

  /** What a named profile says of the profile proper: `full` unless it says otherwise. */
  private profileNamed(name: string): FileSetting | undefined {
    const profile = this.file?.profiles.get(name)
    return profile && (profile.get('profile') ?? { text: 'full', label: `profile ${name}` })
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
    const target = file.targets.get(this.chosen('target') ?? '')
    const first = (layers: (Layer | undefined)[], name: string) =>
      layers.map(layer => layer?.get(name)).find(found => found !== undefined)
    if (flag === 'profile') {
      const setting = first([target, file.defaults], flag)
      return setting && of('file', setting)
    }
    const profile = this.chosen('profile') ?? first([target, file.defaults], 'profile')?.text ?? ''
    // A Core that says how it is trusted is not trusted in another way, too.
    const isOwnTrust = TRUST.includes(flag) && TRUST.some(each => target?.has(each))
    const setting = first(isOwnTrust ? [target] : [target, file.profiles.get(profile), file.defaults], flag)
    return setting && of('file', setting)
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
    // Of several, each is looked up where they are told apart.
    const isList = this.command.options.some(({ flag, takes }) => flag === 'target' && takes.isList)
    if (isList && /[,*?]/.test(name)) return
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
    const known = [...PROFILES, ...profiles.keys()]
    if (!setting || known.includes(setting.text)) return
    throw new ConfigError(`${setting.label}: there is no profile '${setting.text}'${hint(setting.text, known)}`)
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
    const entries = Object.entries(this.env).filter(([name]) => !this.known.has(name) && !isTargetSecret(name))
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

  private readDotenv(folder: string): Record<string, string> {
    let bytes: Buffer
    try {
      bytes = readRegular(`${folder}/.env`, MOST_FILE_BYTES)
    } catch (error) {
      if (error instanceof Unreadable) throw new ConfigError(`.env ${error.message}: mend that, or move it away`)
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
    if (!/^core[_-]/i.test(name) || this.known.has(name) || isTargetSecret(name)) return
    const near = variablesByFlag(this.commands).get(name.toUpperCase()) ?? nearest(name, this.known)
    if (near) this.warnings.push(`${name}${where} means nothing here; did you mean ${near}?`)
    else if (where) this.warnings.push(`${name}${where} means nothing here`)
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

/** A setting with its origin. How messages call it is looked up when it is told: in a large file that takes a while. */
function of(origin: Origin, setting: FileSetting): Given {
  return {
    text: setting.text,
    origin,
    get label() {
      return setting.label
    },
  }
}

function originOf(url = ''): string | undefined {
  return URL.canParse(url) ? new URL(url).origin : undefined
}
