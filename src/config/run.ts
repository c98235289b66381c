import type { ControlEndpoint } from '../engine/clock.js'
import { REPORTERS, type ReporterName } from '../report/index.js'
import type { ConfigurationRecord } from '../result.js'
import { hint } from '../suite/problem.js'
import { type ForeseenConfig, foreseenOf } from './foreseen.js'
import { pacingOf } from './pacing.js'
import { ConfigError, type Settings } from './settings.js'
import { controlOf, type TargetConfig, targetOf } from './target.js'
import { isSet, list, path, time, whole } from './values.js'

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
  foreseen: ForeseenConfig
  outDir: string
  reporters: ReporterName[]
  /** Only what went wrong and the verdict, and no progress. */
  quiet: boolean
  /** Leave what waits to `resume`. */
  detach: boolean
}

/** A `resume`, as configured. */
export interface ResumeConfig {
  password: string | undefined
  /** The key of the control endpoint that the run used, if it did. */
  controlKey: string | undefined
  outDir: string
  /** Undefined: those of the run. */
  reporters: ReporterName[] | undefined
  quiet: boolean
  detach: boolean
  abandon: boolean
}

/**
 * Makes a {@link RunConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function runConfig(settings: Settings): RunConfig {
  const target = targetOf(settings)
  const detach = isSet(settings, 'detach')
  const control = controlOf(settings)
  if (detach && (!target || control)) {
    throw new ConfigError(
      target
        ? 'what is there to detach from? With --control-url no time passes by waiting'
        : '--detach needs a target: the embedded mock Core ends with the run',
    )
  }
  return {
    target,
    username: settings.get('username')?.text,
    password: settings.secret('CORE_PASSWORD'),
    configuration: {
      ...pacingOf(settings),
      probePath: path(settings, 'probe-path', '/api/v0/cores/self/users'),
      only: list(settings, 'only'),
      concurrency: whole(settings, 'concurrency', 4, { atLeast: 1, atMost: 32 }),
      maxRefusedLogons: whole(settings, 'max-refused-logons', 20, { atLeast: 0, atMost: 100 }),
      deadlineMs: time(settings, 'deadline', '10s', { atLeast: '100ms', atMost: '10m' }),
    },
    tokenField: settings.get('token-field')?.text,
    control,
    specFolders: list(settings, 'specs'),
    foreseen: foreseenOf(settings),
    outDir: settings.get('out')?.text ?? 'reports',
    reporters: reportersOf(settings) ?? ALL,
    quiet: isSet(settings, 'quiet'),
    detach,
  }
}

/**
 * Makes a {@link ResumeConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function resumeConfig(settings: Settings): ResumeConfig {
  return {
    password: settings.secret('CORE_PASSWORD'),
    controlKey: settings.secret('CORE_CONTROL_KEY'),
    outDir: settings.get('out')?.text ?? 'reports',
    reporters: reportersOf(settings),
    quiet: isSet(settings, 'quiet'),
    detach: isSet(settings, 'detach'),
    abandon: isSet(settings, 'abandon'),
  }
}

const ALL = Object.keys(REPORTERS) as ReporterName[]

function reportersOf(settings: Settings): ReporterName[] | undefined {
  const names = list(settings, 'reporter')
  const stranger = names.find(name => !(ALL as string[]).includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.get('reporter')?.label}: there is no report '${stranger}'${hint(stranger, ALL)}`)
  return names.length ? ALL.filter(name => names.includes(name)) : undefined
}
