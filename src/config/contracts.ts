import { type GenerateOptions, isConsumerName } from '../contract/consumer.js'
import { MEANINGS, normalized } from '../contract/situation.js'
import type { ControlEndpoint } from '../engine/clock.js'
import { hint } from '../suite/problem.js'
import { ConfigError } from './error.js'
import type { Settings } from './settings.js'
import { controlOf, type TargetConfig, targetOf } from './target.js'
import { choice, isSet, list, path, percent, time, whole } from './values.js'

/**
 * Which contracts are to be written, and where to; without a consumer, none.
 * @throws ConfigError for the first value that cannot be used
 */
export function generateOptions(settings: Settings): GenerateOptions {
  const consumers = list(settings, 'consumer')
  const bad = consumers.find(name => !isConsumerName(name))
  if (bad !== undefined) {
    throw new ConfigError(
      `${settings.label('consumer')}: '${bad}' cannot be the name of a consumer, since it becomes a part of a file name: use letters, digits, dots, hyphens and underscores, at most 64`,
    )
  }
  const lower = consumers.map(name => name.toLowerCase())
  const twice = consumers.find((_, index) => lower.indexOf(lower[index] ?? '') !== index)
  if (twice !== undefined)
    throw new ConfigError(
      `${settings.label('consumer')}: two consumers are called '${twice}' but for capital letters: name them apart`,
    )
  const stray = (['contracts', 'interactions', 'pin-statuses', 'strict-token', 'fields'] as const).find(flag =>
    settings.from(flag, 'flag'),
  )
  if (!consumers.length && stray !== undefined)
    throw new ConfigError(
      `--${stray} is about contracts, and no consumer is named: add ${settings.label('consumer')} NAME`,
    )
  return {
    consumers,
    dir: settings.get('contracts')?.text ?? 'contracts',
    interactions: list(settings, 'interactions'),
    pinStatuses: isSet(settings, 'pin-statuses'),
    strictToken: isSet(settings, 'strict-token'),
    fields: list(settings, 'fields'),
  }
}

/** A `contracts generate`, as configured. */
export interface ContractsGenerateConfig extends GenerateOptions {
  /** The result file of a run. */
  from: string
}

/**
 * Makes a {@link ContractsGenerateConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function contractsGenerateConfig(settings: Settings): ContractsGenerateConfig {
  const options = generateOptions(settings)
  if (!options.consumers.length)
    throw new ConfigError(
      `which client is the contract for? Name it with ${settings.label('consumer')}, or CORE_CONSUMER`,
    )
  return { ...options, from: settings.get('from')?.text ?? 'reports/result.json' }
}

/** A `contracts verify`, as configured. */
export interface ContractsVerifyConfig {
  /** Absent: the embedded mock Core. */
  target: TargetConfig | undefined
  username: string | undefined
  password: string | undefined
  control: ControlEndpoint | undefined
  accessControl: 'on' | 'off'
  idleLifetimeMs: number
  /** A fraction of the lifetime. */
  idleTolerance: number
  probePath: string
  tokenField: string | undefined
  profile: 'quick' | 'full'
  maxRefusedLogons: number
  deadlineMs: number
  /** What provider states mean that are not ours, by their normalized words. */
  meanings: ReadonlyMap<string, string>
  outDir: string
}

/**
 * Makes a {@link ContractsVerifyConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function contractsVerifyConfig(settings: Settings): ContractsVerifyConfig {
  return {
    target: targetOf(settings),
    username: settings.get('username')?.text,
    password: settings.secret('CORE_PASSWORD'),
    control: controlOf(settings),
    accessControl: choice(settings, 'access-control', ['on', 'off'], 'on'),
    idleLifetimeMs: time(settings, 'idle-lifetime', '1h', { atLeast: '1s', atMost: '7d' }),
    idleTolerance: percent(settings, 'idle-tolerance', '5%', { atLeast: 1, atMost: 25 }),
    probePath: path(settings, 'probe-path', '/api/v0/cores/self/users'),
    tokenField: settings.get('token-field')?.text,
    profile: choice(settings, 'profile', ['quick', 'full'], 'full'),
    maxRefusedLogons: whole(settings, 'max-refused-logons', 20, { atLeast: 0, atMost: 100 }),
    deadlineMs: time(settings, 'deadline', '10s', { atLeast: '100ms', atMost: '10m' }),
    meanings: meaningsOf(settings),
    outDir: settings.get('out')?.text ?? 'reports',
  }
}

/** `their words=valid token`, several with commas between; a comma before the `=` is one of the words. */
function meaningsOf(settings: Settings): Map<string, string> {
  const label = settings.label('state')
  const meanings = new Map<string, string>()
  let words = ''
  for (const part of list(settings, 'state')) {
    words = words ? `${words}, ${part}` : part
    const at = words.lastIndexOf('=')
    if (at < 0) continue
    const [from, to] = [normalized(words.slice(0, at)), normalized(words.slice(at + 1))]
    if (!from) throw new ConfigError(`${label}: no words stand before the '=' of '${words}'`)
    if (!MEANINGS.includes(to)) {
      throw new ConfigError(
        `${label}: '${to}' is no state that can be brought about${hint(to, MEANINGS)}; known: ${MEANINGS.join(', ')}`,
      )
    }
    if ((meanings.get(from) ?? to) !== to) throw new ConfigError(`${label}: '${from}' is said to mean two things`)
    meanings.set(from, to)
    words = ''
  }
  if (words) throw new ConfigError(`${label}: '${words}' has no '=': write WORDS=STATE`)
  return meanings
}
