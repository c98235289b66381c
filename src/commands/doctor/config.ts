import { CONFIG_FILE } from '../../config/command.js'
import type { Settings } from '../../config/settings.js'
import { nameOfUrl, safeName } from '../../fleet/name.js'
import { ConfigError } from '../../ground/config-error.js'
import { singleSettings } from '../fleet/config.js'
import { configurationOf } from '../shared/core-under-test.js'
import { TARGET_NAME } from '../shared/settings.js'
import { targetOf } from '../shared/target.js'
import { DOCTOR } from './settings.js'

/** The settings of a `doctor`. */
export type DoctorConfig = ReturnType<typeof doctorConfig>

/**
 * Reads the settings of a `doctor`.
 * @throws ConfigError if no Core is named, and for the first value that cannot be used
 */
export function doctorConfig(given: Settings) {
  const settings = singleSettings(given)
  const target = targetOf(settings, false)
  if (!target)
    throw new ConfigError(
      'which Core? Give its base URL, such as https://10.0.0.5, or its name in the configuration file',
    )
  const { username, tokenField, write, file = CONFIG_FILE } = settings.values(DOCTOR.settings)
  return {
    ...{ target, username, tokenField, write, file },
    password: settings.secret('CORE_PASSWORD'),
    configuration: configurationOf(settings),
    /** The name of the Core in the configuration file. */
    name: targetNameOf(settings) ?? settings.targetName ?? (safeName(nameOfUrl(target.url.origin)) || 'core'),
  }
}

/**
 * Returns the name that the user chose for a Core in the configuration file; undefined if the user chose none.
 * @throws ConfigError for a text that cannot be a name
 */
export function targetNameOf(settings: Settings): string | undefined {
  const setting = settings.get(TARGET_NAME.flag)
  if (!setting || /^[A-Za-z0-9][\w.-]*$/.test(setting.text)) return setting?.text
  throw new ConfigError(`${setting.label} must be a name of letters, digits, '.', '_' and '-'`)
}
