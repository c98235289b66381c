import { type Pacing, pacingOf } from './pacing.js'
import type { Settings } from './settings.js'
import { isSet, list } from './values.js'

/** A `list`, as configured. */
export interface ListConfig {
  only: string[]
  specFolders: string[]
  /** Show the requirements instead of the specs. */
  requirements: boolean
  json: boolean
  /** Show what a run would do with its time. */
  plan: boolean
  pacing: Pacing
}

/**
 * Makes a {@link ListConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function listConfig(settings: Settings): ListConfig {
  return {
    only: list(settings, 'only'),
    specFolders: list(settings, 'specs'),
    requirements: isSet(settings, 'requirements'),
    json: isSet(settings, 'json'),
    plan: isSet(settings, 'plan'),
    pacing: pacingOf(settings),
  }
}
