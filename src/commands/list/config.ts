import type { Settings } from '../../config/settings.js'
import type { ConfigurationRecord } from '../../settings/record.js'
import { configurationOf } from '../one-core/run-configuration.js'
import { SPECS } from '../shared/settings.js'
import { LIST_SETTINGS } from './settings.js'

/** A `list`, as configured. */
export interface ListConfig {
  only: string[]
  specFolders: string[]
  /** Show the requirements instead of the specs. */
  requirements: boolean
  json: boolean
  /** Show what a run would do with its time. */
  plan: boolean
  /** The configuration of such a run; what `list` does not take is as usual. */
  pacing: ConfigurationRecord
}

/**
 * Makes a {@link ListConfig} of the settings.
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
