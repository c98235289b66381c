import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { ControlEndpoint } from '../../engine/clock.js'
import type { KnownBeforehand } from '../../known/known-beforehand.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import type { GithubActions } from '../../report/reporter.js'
import type { ConfigurationRecord } from '../../settings/record.js'
import { generateOptions } from '../contracts/config.js'
import { reportersOf } from '../shared/named-reporters.js'
import { DETACH, OUT, QUIET, SPECS, TOKEN_FIELD, USERNAME, VERBOSE } from '../shared/settings.js'
import { controlOf, type TargetConfig, targetOf } from '../shared/target.js'
import { knownBeforehand } from './known-beforehand.js'
import { configurationOf } from './run-configuration.js'

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
