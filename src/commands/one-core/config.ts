import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { ControlEndpoint } from '../../engine/clock.js'
import type { KnownBeforehand } from '../../known/known-beforehand.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import type { GithubActions } from '../../report/reporter.js'
import type { ConfigurationRecord } from '../../settings/record.js'
import { generateOptions } from '../contracts/config.js'
import { reportersOf } from '../shared/named-reporters.js'
import { BASELINE, DETACH, NAMES, OUT, PIN, QUIET, SPECS, TOKEN_FIELD, USERNAME, VERBOSE } from '../shared/settings.js'
import { controlOf, type TargetConfig, targetOf } from '../shared/target.js'
import { configurationOf } from './run-configuration.js'

/** The configuration of a `run`. */
export interface RunConfig {
  /** Undefined: the embedded mock Core. */
  target: TargetConfig | undefined
  username: string | undefined
  password: string | undefined
  configuration: ConfigurationRecord
  tokenField: string | undefined
  control: ControlEndpoint | undefined
  specFolders: string[]
  known: KnownBeforehand
  outDir: string
  /** Names of built-in reports, and paths of the user's own modules. */
  reporters: string[]
  /** Where the `github` reporter writes; undefined outside of GitHub Actions. */
  github: GithubActions | undefined
  /** Show only what went wrong and the verdict, and no progress. */
  quiet: boolean
  /** Show every spec, also those that passed. */
  verbose: boolean
  /** Leave the specs that wait to `resume`. */
  detach: boolean
  /** The contracts to write. Without a consumer the run writes none. */
  contracts: GenerateOptions
}

/**
 * Reads a {@link RunConfig} from the settings.
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
        ? `${settings.label('detach')} and ${settings.label('control-url')} exclude each other: the clock of the mock Core is advanced, so no spec waits`
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
    known: knownBeforehand(settings, target !== undefined),
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
 * Reads a {@link KnownBeforehand} from the settings.
 * @param isOfCore false for the embedded mock Core: the pins of a Core, from a variable or the configuration file, say nothing of it
 */
function knownBeforehand(settings: Settings, isOfCore: boolean): KnownBeforehand {
  const [pins, baseline, firmware] = [PIN, BASELINE, NAMES.firmware].map(each => settings.value(each))
  return {
    ...(pins !== undefined && isOfCore && { pins }),
    ...(baseline !== undefined && { baseline }),
    ...(firmware !== undefined && { firmware }),
  }
}
