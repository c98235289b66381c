import { probePathOf } from './run-configuration.js'
import type { Settings } from './settings.js'
import { list } from './values.js'

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
    specFolders: list(settings, 'specs'),
    probePath: probePathOf(settings),
  }
}
