import type { GenerateOptions } from '../contract/consumer.js'
import type { ControlEndpoint } from '../engine/clock.js'
import { REPORTERS, type ReporterName } from '../report/index.js'
import type { ConfigurationRecord } from '../result.js'
import { hint } from '../suite/problem.js'
import { generateOptions } from './contracts.js'
import { ConfigError, type Settings } from './settings.js'
import { controlOf, type TargetConfig, targetOf } from './target.js'
import { choice, list, path, percent, time, whole } from './values.js'

/** A `run`, as configured. */
export interface RunConfig {
  /** Absent: the embedded mock Core. */
  target: TargetConfig | undefined
  username: string | undefined
  password: string | undefined
  configuration: ConfigurationRecord
  tokenField: string | undefined
  control: ControlEndpoint | undefined
  specFolders: string[]
  outDir: string
  reporters: ReporterName[]
  /** Which contracts the run is to write; for no consumer, none. */
  contracts: GenerateOptions
}

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
    contracts: generateOptions(settings),
  }
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
