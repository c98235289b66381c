import type { Settings } from '../../config/settings.js'
import { FROM, JSON_SWITCH } from '../shared/settings.js'
import { OPENAPI_OUT } from './openapi-settings.js'

/** The configuration of a `contracts openapi`. */
export interface ContractsOpenapiConfig {
  /** The result file. */
  from: string
  /** The file to write; absent: stdout. */
  out?: string
  format: 'json' | 'yaml'
}

/**
 * Reads a {@link ContractsOpenapiConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function contractsOpenapiConfig(settings: Settings): ContractsOpenapiConfig {
  const out = settings.value(OPENAPI_OUT)
  // The extension of the file beats the JSON setting: its variable may be set for other commands.
  const isJson = out !== undefined && /\.(json|ya?ml)$/i.test(out) ? /\.json$/i.test(out) : settings.value(JSON_SWITCH)
  return {
    from: settings.value(FROM),
    ...(out !== undefined && { out }),
    format: isJson ? 'json' : 'yaml',
  }
}
