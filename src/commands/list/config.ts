import type { Settings } from '../../config/settings.js'
import type { ConfigurationRecord } from '../../settings/record.js'
import { configurationOf } from '../one-core/run-configuration.js'
import { SPECS } from '../shared/settings.js'
import { LIST_SETTINGS } from './settings.js'

/** The configuration of a `list`. */
export interface ListConfig {
  only: string[]
  specFolders: string[]
  /** Show the requirements instead of the specs. */
  requirements: boolean
  json: boolean
  /** Show the plan of a run: its waits and its duration. */
  plan: boolean
  /** The configuration of that run. Settings that `list` does not take have their defaults. */
  pacing: ConfigurationRecord
}

/**
 * Reads a {@link ListConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function listConfig(settings: Settings): ListConfig {
  const pacing = configurationOf(settings)
  return {
    only: pacing.only,
    specFolders: settings.value(SPECS),
    requirements: settings.value(LIST_SETTINGS.requirements),
    json: settings.value(LIST_SETTINGS.json),
    plan: settings.value(LIST_SETTINGS.plan),
    pacing,
  }
}
