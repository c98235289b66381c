import type { Settings } from '../../config/settings.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { SPECS } from '../shared/settings.js'

/** The configuration of an `explain`. */
export interface ExplainConfig {
  /** Ids of specs and of requirements, as the user wrote them. */
  ids: string[]
  specFolders: string[]
  probePath: string
}

/**
 * Reads an {@link ExplainConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function explainConfig(settings: Settings): ExplainConfig {
  return {
    ids: settings.operands,
    specFolders: settings.value(SPECS),
    probePath: settings.value(CONFIGURATION.probePath),
  }
}
