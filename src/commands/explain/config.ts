import type { Settings } from '../../config/settings.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { SPECS } from '../shared/settings.js'

/** An `explain`, as configured. */
export interface ExplainConfig {
  /** Ids of specs and of requirements, as they were given. */
  ids: string[]
  specFolders: string[]
  probePath: string
}

/**
 * Makes an {@link ExplainConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function explainConfig(settings: Settings): ExplainConfig {
  return {
    ids: settings.operands,
    specFolders: settings.value(SPECS),
    probePath: settings.value(CONFIGURATION.probePath),
  }
}
