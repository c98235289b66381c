import type { ControlEndpoint } from '../engine/clock.js'
import { ABANDON } from '../options/resume.js'
import { DETACH, OUT, QUIET, SPECS, TOKEN_FIELD, USERNAME, VERBOSE } from '../options/shared.js'
import type { GenerateOptions } from '../pact/make/consumer.js'
import type { GithubActions } from '../report/reporter.js'
import type { ConfigurationRecord } from '../settings/record.js'
import { generateOptions } from './contracts.js'
import { ConfigError } from './error.js'
import { type Begun, refuseOther } from './given.js'
import { type KnownBeforehand, knownBeforehand } from './known-beforehand.js'
import { namedReporters, reportersOf } from './reporters.js'
import { configurationOf } from './run-configuration.js'
import type { Settings } from './settings.js'
import { controlOf, type TargetConfig, targetOf } from './target.js'

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
  known: KnownBeforehand
  outDir: string
  /** Names, and paths of the user's own modules. */
  reporters: string[]
  /** What the `github` reporter writes to; undefined outside of GitHub Actions. */
  github: GithubActions | undefined
  /** Only what went wrong and the verdict, and no progress. */
  quiet: boolean
  /** Every spec on the console. */
  verbose: boolean
  /** Leave what waits to `resume`. */
  detach: boolean
  /** Which contracts the run is to write; for no consumer, none. */
  contracts: GenerateOptions
}

/** A `resume`, as configured. */
export interface ResumeConfig {
  /** @throws ConfigError where what is said now is not what the run was begun with; see `given.ts` */
  refuseOther(begun: Begun): void
  /** The password for the Core at a URL. */
  password(url: string): string | undefined
  /** The key of the control endpoint that the run of the Core at a URL used, if it did. */
  controlKey(url: string): string | undefined
  outDir: string
  /** Undefined: those of the run. */
  reporters: string[] | undefined
  /** See {@link RunConfig}. */
  github: GithubActions | undefined
  quiet: boolean
  /** Every spec on the console. */
  verbose: boolean
  detach: boolean
  abandon: boolean
}

/**
 * Makes a {@link RunConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function runConfig(settings: Settings): RunConfig {
  const target = targetOf(settings)
  const detach = settings.value(DETACH)
  const control = controlOf(settings)
  const configuration = configurationOf(settings)
  if (detach && (!target || control)) {
    throw new ConfigError(
      target
        ? `what is there to detach from? With ${settings.label('control-url')} no time passes by waiting`
        : `${settings.label('detach')} needs a target: the embedded mock Core ends with the run`,
    )
  }
  return {
    target,
    username: settings.value(USERNAME),
    password: settings.secret('CORE_PASSWORD'),
    configuration,
    tokenField: settings.value(TOKEN_FIELD),
    control,
    specFolders: settings.value(SPECS),
    known: knownBeforehand(settings),
    outDir: settings.value(OUT),
    reporters: reportersOf(settings, 'run'),
    github: settings.github(),
    quiet: settings.value(QUIET),
    verbose: settings.value(VERBOSE),
    detach,
    contracts: generateOptions(settings),
  }
}

/**
 * Makes a {@link ResumeConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function resumeConfig(settings: Settings): ResumeConfig {
  const outDir = folderOf(settings)
  return {
    refuseOther: begun => refuseOther(settings, begun, `the run in ${outDir}`),
    password: url => settings.secretAt('CORE_PASSWORD', url),
    controlKey: url => settings.secretAt('CORE_CONTROL_KEY', url),
    outDir,
    // The file says what runs leave behind; this run has begun, with flags of its own perhaps.
    reporters: settings.get('reporter')?.origin === 'file' ? undefined : namedReporters(settings),
    github: settings.github(),
    quiet: settings.value(QUIET),
    verbose: settings.value(VERBOSE),
    detach: settings.value(DETACH),
    abandon: settings.value(ABANDON),
  }
}

/** The folder of a run, by its place or by `--out`. */
function folderOf(settings: Settings): string {
  const [folder] = settings.operands
  const [flag] = settings.givenIn('out').filter(({ origin }) => origin === 'flag')
  if (folder !== undefined && flag && flag.text !== folder)
    throw new ConfigError(`${flag.label} says ${flag.text}, and ${folder} is named beside it: name one folder`)
  return folder ?? settings.value(OUT)
}
