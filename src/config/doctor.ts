import { nameOfUrl, safeName } from '../fleet/name.js'
import { ConfigError } from './error.js'
import { singleSettings } from './fleet.js'
import { deadlineOf, maxRefusedLogonsOf, probePathOf } from './run-configuration.js'
import { CONFIG_FILE, type Settings } from './settings.js'
import { type TargetConfig, targetOf } from './target.js'
import { isSet } from './values.js'

/** A `doctor`, as configured. */
export interface DoctorConfig {
  target: TargetConfig
  username: string | undefined
  password: string | undefined
  probePath: string
  tokenField: string | undefined
  deadlineMs: number
  maxRefusedLogons: number
  /** Whether to write what fits into the configuration file. */
  write: boolean
  /** The configuration file, as the user would name it. */
  file: string
  /** How it calls the Core. */
  name: string
}

/**
 * Makes a {@link DoctorConfig} of the settings.
 * @throws ConfigError where no Core is named, and for the first value that cannot be used
 */
export function doctorConfig(given: Settings): DoctorConfig {
  const settings = singleSettings(given)
  const target = targetOf(settings)
  if (!target)
    throw new ConfigError(
      'which Core? Give its base URL, such as https://10.0.0.5, or its name in the configuration file',
    )
  return {
    target,
    username: settings.get('username')?.text,
    password: settings.secret('CORE_PASSWORD'),
    probePath: probePathOf(settings),
    tokenField: settings.get('token-field')?.text,
    deadlineMs: deadlineOf(settings),
    maxRefusedLogons: maxRefusedLogonsOf(settings),
    write: isSet(settings, 'write'),
    file: settings.get('config')?.text ?? CONFIG_FILE,
    name: targetNameOf(settings) ?? settings.targetName ?? (safeName(nameOfUrl(target.url.origin)) || 'core'),
  }
}

/**
 * The name under which the user wants a Core in the configuration file.
 * @throws ConfigError where it cannot be one
 */
export function targetNameOf(settings: Settings): string | undefined {
  const setting = settings.get('name')
  if (!setting || /^[A-Za-z0-9][\w.-]*$/.test(setting.text)) return setting?.text
  throw new ConfigError(`${setting.label} must be a name of letters, digits, '.', '_' and '-'`)
}
