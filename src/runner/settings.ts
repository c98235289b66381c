/** The settings of a run as a program gives them: those of `core-conformance run`, under the names that fit a program. */
import { ConfigError } from '../config/error.js'
import { type RunConfig, runConfig } from '../config/run.js'
import { Settings } from '../config/settings.js'
import { numbered } from '../ground/count.js'
import { RUN } from '../options/run.js'
import type { Profile } from '../result.js'
import { hint } from '../suite/problem.js'

/** A span of time: milliseconds, or a text with its unit such as `90s`, `5m` or `1h`. */
export type Time = number | string

/** What a run is to do, and to which Core. Each means what the flag of `core-conformance run` means; none is needed. */
export interface RunSettings {
  /** The base URL of the Core, such as `https://10.0.0.5`. Absent: an embedded mock Core, in a process of its own. */
  target?: string
  /** The user who logs on; needed with `target`, unless access control is off. */
  username?: string
  /** The password of that user; needed with `target`, unless access control is off. It is hidden in the result. */
  password?: string
  /** Whether to take any certificate. */
  insecure?: boolean
  /** A PEM file of the CAs to trust. */
  caFile?: string
  /** The SHA-256 of the certificate to trust, and no other. */
  fingerprint?: string
  /** How the result calls the Core, such as `staging`. */
  label?: string
  /** The firmware that it runs, for the result. */
  firmware?: string
  /** Whether the Core demands tokens; default `on`. */
  accessControl?: 'on' | 'off'
  /** Unused for so long, a token expires; default 1 hour. */
  idleLifetime?: Time
  /** How much sooner or later it may be, such as `5%`, which is the default. */
  idleTolerance?: string
  /** `quick` leaves out what needs waiting; default `full`, which takes one idle lifetime on a real Core; `long` takes two. */
  profile?: Profile
  /** How many tokens to hold at a time; default: what one lifetime needs. */
  maxTokens?: number
  /** Whether to measure the idle lifetime too, with nine tokens more. */
  measureLifetime?: boolean
  /** The authenticated GET; default `/api/v0/cores/self/users`. */
  probePath?: string
  /** Where the token stands in the logon response: a field, a JSON Pointer or a header; default: it is found. */
  tokenField?: string
  /** The specs or areas to run; `*` matches any text. Default: all. */
  only?: readonly string[]
  /** Folders with specs of your own. */
  specs?: readonly string[]
  /** A file of facts that are to stay: a `result.json`, or names and values. */
  pin?: string
  /** A file of failures that are known (YAML). */
  baseline?: string
  /** How many connections at a time, 1 to 32; default 4. */
  concurrency?: number
  /** How many logons may be refused, since accounts lock; default 40. */
  maxRefusedLogons?: number
  /** How long an answer may take, once connected; default 10 s. */
  deadline?: Time
  /** How much longer than planned a run may take for a Core that limits, refuses, hangs or breaks off; default 15 minutes. */
  patience?: Time
  /** How much to explore: so many requests (`'2000'`), or so long (`'30m'`); `'0'`: nothing. Default: while a full run of all specs waits. */
  explore?: string
  /** What sequences are drawn from: a whole number, or `random`; default 1. */
  seed?: string
  /** The control endpoint of a mock Core that is the target, whose clock is advanced instead of waiting. */
  controlUrl?: string
  /** The key of that endpoint; needed with it. */
  controlKey?: string
}

/** The values that a setting takes, and how a message says so. */
const KINDS = {
  text: { is: (value: unknown) => typeof value === 'string' && value !== '', must: 'a text that is not empty' },
  time: {
    is: (value: unknown) => ['string', 'number'].includes(typeof value),
    must: 'milliseconds, or a text such as 90s',
  },
  number: { is: (value: unknown) => typeof value === 'number', must: 'a number' },
  switch: { is: (value: unknown) => typeof value === 'boolean', must: 'true or false' },
  // The parts of a list are told apart by commas, on the command line and here.
  list: { is: isList, must: 'a list of texts, none of them empty or with a comma' },
}

/** What each setting takes. Those without a flag are secrets, by their variables. */
const SETTINGS: { [K in keyof Required<RunSettings>]: { kind: keyof typeof KINDS; env?: string } } = {
  target: { kind: 'text' },
  username: { kind: 'text' },
  password: { kind: 'text', env: 'CORE_PASSWORD' },
  insecure: { kind: 'switch' },
  caFile: { kind: 'text' },
  fingerprint: { kind: 'text' },
  label: { kind: 'text' },
  firmware: { kind: 'text' },
  accessControl: { kind: 'text' },
  idleLifetime: { kind: 'time' },
  idleTolerance: { kind: 'text' },
  profile: { kind: 'text' },
  maxTokens: { kind: 'number' },
  measureLifetime: { kind: 'switch' },
  probePath: { kind: 'text' },
  tokenField: { kind: 'text' },
  only: { kind: 'list' },
  specs: { kind: 'list' },
  pin: { kind: 'text' },
  baseline: { kind: 'text' },
  concurrency: { kind: 'number' },
  maxRefusedLogons: { kind: 'number' },
  deadline: { kind: 'time' },
  patience: { kind: 'time' },
  explore: { kind: 'text' },
  seed: { kind: 'text' },
  controlUrl: { kind: 'text' },
  controlKey: { kind: 'text', env: 'CORE_CONTROL_KEY' },
}

/** What means something for a Core of one's own only: that the mock Core conforms would say nothing of it. */
const OF_A_TARGET = [
  'username',
  'password',
  'insecure',
  'caFile',
  'fingerprint',
  'label',
  'firmware',
  'controlUrl',
  'controlKey',
] as const satisfies readonly (keyof RunSettings)[]

/** The names of all settings of a run. */
export const RUN_SETTINGS = Object.keys(SETTINGS) as (keyof RunSettings)[]

/** The flag that means what a setting means: `idle-lifetime` for `idleLifetime`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
}

/**
 * Makes the configuration of a run of what a program says.
 * @throws ConfigError for the first setting that there is not, or that cannot be used; it calls settings by their names here
 */
export function configOf(settings: RunSettings): RunConfig {
  if (typeof settings !== 'object' || settings === null) throw new ConfigError('the settings of a run are an object')
  const flags = new Map<string, string>()
  const secrets: Record<string, string> = {}
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(SETTINGS, name))
      throw new ConfigError(`a run has no setting '${name}'${hint(name, RUN_SETTINGS)}`)
    if (value === undefined) continue
    const { kind, env } = SETTINGS[name as keyof RunSettings]
    const { is, must } = KINDS[kind]
    if (!is(value)) throw new ConfigError(`${name} must be ${must}`)
    if (env !== undefined) secrets[env] = String(value)
    // An empty list selects what no list selects; false is what is not set.
    else if (value !== false && !(Array.isArray(value) && value.length === 0))
      flags.set(flagOf(name), textOf(value, kind))
  }
  refuseIncomplete(settings)
  const called = (flag: string) => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  const config = runConfig(Settings.of(RUN, flags, secrets, called))
  if (config.target && config.configuration.accessControl === 'on') {
    if (config.username === undefined) throw new ConfigError('username is missing: who is to log on to the Core?')
    if (config.password === undefined)
      throw new ConfigError('password is missing: a Core with access control needs one')
  }
  return config
}

/** What belongs together has to be there together; the messages of the command line would name flags. */
function refuseIncomplete(settings: RunSettings): void {
  const stray = OF_A_TARGET.filter(name => settings[name] !== undefined && settings[name] !== false)
  if (settings.target === undefined && stray.length > 0) {
    const those = numbered(stray.length, 'that', 'them')
    throw new ConfigError(
      `${stray.join(', ')} without a target: give the base URL of the Core as target, or leave ${those} out to run against the embedded mock Core`,
    )
  }
  if (settings.controlUrl !== undefined && settings.controlKey === undefined)
    throw new ConfigError('controlKey is missing: controlUrl needs the key of that control endpoint')
}

/** As the command line would have it. */
function textOf(value: unknown, kind: keyof typeof KINDS): string {
  if (kind === 'time' && typeof value === 'number') return `${value}ms`
  return Array.isArray(value) ? value.join(',') : String(value)
}

function isList(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every(part => typeof part === 'string' && part.trim() !== '' && !part.includes(','))
  )
}
