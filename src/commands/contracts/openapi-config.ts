import type { Settings } from '../../config/settings.js'
import { FROM, JSON_SWITCH } from '../shared/settings.js'
import { OPENAPI_OUT } from './openapi-settings.js'

/** A `contracts openapi`, as configured. */
export interface ContractsOpenapiConfig {
  /** The result file. */
  from: string
  /** The file to write; absent: stdout. */
  out?: string
  format: 'json' | 'yaml'
}

/**
 * Makes a {@link ContractsOpenapiConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function contractsOpenapiConfig(settings: Settings): ContractsOpenapiConfig {
  const out = settings.value(OPENAPI_OUT)
  // Of a variable that is set for other commands, the name of the file that was asked for says more.
  const isJson = out !== undefined && /\.(json|ya?ml)$/i.test(out) ? /\.json$/i.test(out) : settings.value(JSON_SWITCH)
  return {
    from: settings.value(FROM),
    ...(out !== undefined && { out }),
    format: isJson ? 'json' : 'yaml',
  }
}
