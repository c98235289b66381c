import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import ms from 'ms'
import type { Target, Trust } from './core/target.js'
import type { ControlEndpoint } from './engine/clock.js'
import { REPORTERS, type ReporterName } from './report/index.js'
import type { ConfigurationRecord } from './result.js'
import { ConfigError, ORIGINS, type Setting, type Settings } from './settings.js'
import { hint, systemReason } from './suite/problem.js'

/** A `run`, as configured. */
export interface RunConfig {
  /** Absent: the embedded mock Core. */
  target: Omit<Target, 'username' | 'password'> | undefined
  username: string | undefined
  password: string | undefined
  configuration: ConfigurationRecord
  tokenField: string | undefined
  control: ControlEndpoint | undefined
  specFolders: string[]
  outDir: string
  reporters: ReporterName[]
}

/** A `list`, as configured. */
export interface ListConfig {
  only: string[]
  specFolders: string[]
  /** Show the requirements instead of the specs. */
  requirements: boolean
  json: boolean
}

/** A `mock`, as configured. Ports of 0 mean a free one. */
export interface MockConfig {
  port: number
  controlPort: number
  username: string
  password: string | undefined
  idleLifetimeMs: number
  accessControl: 'on' | 'off'
  /** A dialect file. */
  dialectFile: string | undefined
  /** The name of a defect; whether there is one of that name, the mock Core knows. */
  defect: string | undefined
  /** List the defects instead of serving. */
  lists: boolean
}

/** The flags that only mean something for a target of the user's own. */
const TARGET_FLAGS = ['username', 'insecure', 'ca-file', 'fingerprint', 'control-url'] as const

/**
 * Makes a {@link RunConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function runConfig(settings: Settings): RunConfig {
  const target = targetOf(settings)
  return {
    target,
    username: settings.get('username')?.text,
    password: settings.secret('CORE_PASSWORD'),
    configuration: {
      accessControl: choice(settings, 'access-control', ['on', 'off'], 'on'),
      idleLifetimeMs: time(settings, 'idle-lifetime', '1h', { atLeast: '1s', atMost: '7d' }),
      idleTolerance: percent(settings, 'idle-tolerance', '5%', { atLeast: 1, atMost: 25 }),
      probePath: path(settings, 'probe-path', '/api/v0/cores/self/users'),
      profile: choice(settings, 'profile', ['quick', 'full'], 'full'),
      only: list(settings, 'only'),
      concurrency: whole(settings, 'concurrency', 4, { atLeast: 1, atMost: 32 }),
      maxRefusedLogons: whole(settings, 'max-refused-logons', 20, { atLeast: 0, atMost: 100 }),
      deadlineMs: time(settings, 'deadline', '10s', { atLeast: '100ms', atMost: '10m' }),
    },
    tokenField: settings.get('token-field')?.text,
    control: controlOf(settings),
    specFolders: list(settings, 'specs'),
    outDir: settings.get('out')?.text ?? 'reports',
    reporters: reportersOf(settings),
  }
}

/**
 * Makes a {@link ListConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function listConfig(settings: Settings): ListConfig {
  return {
    only: list(settings, 'only'),
    specFolders: list(settings, 'specs'),
    requirements: isSet(settings, 'requirements'),
    json: isSet(settings, 'json'),
  }
}

/**
 * Makes a {@link MockConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function mockConfig(settings: Settings): MockConfig {
  const port = (flag: string) => whole(settings, flag, 0, { atLeast: 0, atMost: 65535 })
  return {
    port: port('port'),
    controlPort: port('control-port'),
    username: settings.get('username')?.text ?? 'admin',
    password: settings.secret('CORE_PASSWORD'),
    idleLifetimeMs: time(settings, 'idle-lifetime', '1h', { atLeast: '1s', atMost: '7d' }),
    accessControl: choice(settings, 'access-control', ['on', 'off'], 'on'),
    dialectFile: settings.get('dialect')?.text,
    defect: settings.get('defect')?.text,
    lists: isSet(settings, 'defects'),
  }
}

function targetOf(settings: Settings): RunConfig['target'] {
  const first = ORIGINS.map(origin => settings.from('target', origin)).find(setting => setting !== undefined)
  // An unset CI variable arrives as an empty one; a run against the mock in its place would be green for nothing.
  if (first && !first.text)
    throw new ConfigError(`${first.label} is empty: give it a URL, or leave it out for the mock Core`)
  if (!first) return untargeted(settings)
  return { url: url(first, 'https:'), trust: trustOf(settings) }
}

/** Whoever says how to reach a Core means one of their own: that the mock Core conforms would say nothing of it. */
function untargeted(settings: Settings): undefined {
  const stray = TARGET_FLAGS.flatMap(flag => {
    const setting = settings.get(flag)
    return setting && (flag !== 'insecure' || truth(setting)) ? [setting.label] : []
  })
  if (settings.secret('CORE_PASSWORD') !== undefined) stray.push('CORE_PASSWORD')
  if (!stray.length) return undefined
  throw new ConfigError(
    `${stray.join(', ')} without a target: name the Core with --target or CORE_URL, or leave ${stray.length === 1 ? 'that' : 'them'} out to run against the embedded mock Core`,
  )
}

function url(setting: Setting, protocol: 'https:' | 'http:'): URL {
  const wrong = (what: string) => new ConfigError(`${setting.label} ${what}, such as ${protocol}//10.0.0.5`)
  if (!URL.canParse(setting.text)) throw wrong('is not a URL: give the base URL')
  const parsed = new URL(setting.text)
  if (parsed.username || parsed.password)
    throw wrong('holds credentials: put them into CORE_USERNAME and CORE_PASSWORD, and give the plain base URL')
  if (parsed.protocol !== protocol) throw wrong(`must start with ${protocol}//`)
  if (parsed.pathname !== '/' || parsed.search || parsed.hash) throw wrong('must be the base URL, without a path')
  return parsed
}

/** The trust that the user chose; a choice among the flags beats one in the environment, and that one in `.env`. */
function trustOf(settings: Settings): Trust {
  const insecure = settings.get('insecure')
  // CORE_INSECURE=0 takes back a CORE_INSECURE=1 of .env.
  const isInsecure = insecure !== undefined && truth(insecure)
  for (const origin of ORIGINS) {
    const chosen = (['insecure', 'ca-file', 'fingerprint'] as const).flatMap(flag => {
      const setting = settings.from(flag, origin)
      return setting?.text && (flag !== 'insecure' || isInsecure) ? [{ flag, setting }] : []
    })
    if (chosen.length > 1)
      throw new ConfigError(
        `${chosen.map(({ setting }) => setting.label).join(' and ')} exclude each other: choose one`,
      )
    const [only] = chosen
    if (!only) continue
    if (only.flag === 'insecure') return { kind: 'insecure' }
    return only.flag === 'ca-file'
      ? { kind: 'ca', pem: certificates(only.setting) }
      : { kind: 'fingerprint', sha256: fingerprint(only.setting) }
  }
  return { kind: 'system' }
}

function certificates({ text, label }: Setting): string {
  let pem: string
  try {
    pem = readFileSync(text, 'utf8')
  } catch (error) {
    throw new ConfigError(`${label}: ${text} cannot be used: ${systemReason(error, 'file')}`)
  }
  // TLS would take of a bundle what it understands, and be silent about the rest.
  const parts = pem.split(/(?=-----BEGIN CERTIFICATE-----)/).filter(part => part.startsWith('-'))
  try {
    if (!parts.length) throw new Error('none')
    for (const part of parts) new X509Certificate(part)
  } catch {
    throw new ConfigError(`${label}: ${text} cannot be used: it holds no certificate in PEM, or a broken one`)
  }
  return pem
}

function fingerprint({ text, label }: Setting): string {
  const hex = text
    .replace(/^.*[=]|^sha-?256:/i, '')
    .replace(/[:\s]/g, '')
    .toUpperCase()
  if (!/^[0-9A-F]{64}$/.test(hex))
    throw new ConfigError(`${label} must be a SHA-256 fingerprint: 64 hex digits, with or without colons`)
  return hex.match(/../g)?.join(':') ?? hex
}

function controlOf(settings: Settings): ControlEndpoint | undefined {
  const setting = settings.get('control-url')
  if (!setting) return undefined
  const key = settings.secret('CORE_CONTROL_KEY')
  if (!key) throw new ConfigError(`${setting.label} needs the key that the mock Core printed, in CORE_CONTROL_KEY`)
  return { url: url(setting, 'http:').origin, key }
}

function reportersOf(settings: Settings): ReporterName[] {
  const known = Object.keys(REPORTERS) as ReporterName[]
  const names = list(settings, 'reporter')
  const stranger = names.find(name => !(known as string[]).includes(name))
  if (stranger !== undefined)
    throw new ConfigError(
      `${settings.get('reporter')?.label}: there is no report '${stranger}'${hint(stranger, known)}`,
    )
  return names.length ? known.filter(name => names.includes(name)) : known
}

function isSet(settings: Settings, flag: string): boolean {
  const setting = settings.get(flag)
  return setting !== undefined && truth(setting)
}

function truth({ text, label }: Setting): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true
  if (/^(0|false|no|off)$/i.test(text)) return false
  throw new ConfigError(`${label} must be 1 or 0`)
}

function choice<T extends string>(settings: Settings, flag: string, choices: readonly T[], otherwise: T): T {
  const setting = settings.get(flag)
  if (!setting) return otherwise
  const found = choices.find(candidate => candidate === setting.text)
  if (!found) throw new ConfigError(`${setting.label} must be ${choices.join(' or ')}, not '${setting.text}'`)
  return found
}

function list(settings: Settings, flag: string): string[] {
  const setting = settings.get(flag)
  if (!setting) return []
  const parts = setting.text.split(',').map(part => part.trim())
  const names = [...new Set(parts.filter(Boolean))]
  if (!names.length) throw new ConfigError(`${setting.label} names nothing: give it a value, or leave it out`)
  return names
}

function time(
  settings: Settings,
  flag: string,
  otherwise: string,
  bounds: { atLeast: string; atMost: string },
): number {
  const setting = settings.get(flag)
  const text = setting?.text ?? otherwise
  const value = /^\d+(\.\d+)?\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined
  const { atLeast, atMost } = bounds
  const inBounds =
    value !== undefined && value >= ms(atLeast as ms.StringValue) && value <= ms(atMost as ms.StringValue)
  if (!inBounds)
    throw new ConfigError(
      `${setting?.label} must be a time from ${atLeast} to ${atMost}, with its unit, such as 90s, 5m or 1h; not '${text}'`,
    )
  return value
}

function percent(
  settings: Settings,
  flag: string,
  otherwise: string,
  { atLeast, atMost }: { atLeast: number; atMost: number },
): number {
  const setting = settings.get(flag)
  const text = setting?.text ?? otherwise
  const value = /^\d+(\.\d+)?%$/.test(text) ? Number.parseFloat(text) : Number.NaN
  if (!(value >= atLeast && value <= atMost)) {
    throw new ConfigError(
      `${setting?.label} must be a percentage from ${atLeast}% to ${atMost}%, such as ${otherwise}; not '${text}'`,
    )
  }
  return value / 100
}

function whole(
  settings: Settings,
  flag: string,
  otherwise: number,
  { atLeast, atMost }: { atLeast: number; atMost: number },
): number {
  const setting = settings.get(flag)
  if (!setting) return otherwise
  const value = /^\d+$/.test(setting.text) ? Number(setting.text) : Number.NaN
  if (!(value >= atLeast && value <= atMost))
    throw new ConfigError(`${setting.label} must be a whole number from ${atLeast} to ${atMost}, not '${setting.text}'`)
  return value
}

function path(settings: Settings, flag: string, otherwise: string): string {
  const setting = settings.get(flag)
  if (!setting) return otherwise
  if (!/^\/api\/[!-~]*$/.test(setting.text) || setting.text.includes('#')) {
    throw new ConfigError(`${setting.label} must be a path below /api/, such as ${otherwise}; not '${setting.text}'`)
  }
  return setting.text
}
