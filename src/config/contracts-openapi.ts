import type { Settings } from './settings.js'
import { isSet } from './values.js'

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
  const out = settings.get('out')?.text
  // Of a variable that is set for other commands, the name of the file that was asked for says more.
  const isJson = out !== undefined && /\.(json|ya?ml)$/i.test(out) ? /\.json$/i.test(out) : isSet(settings, 'json')
  return {
    from: settings.get('from')?.text ?? 'reports/result.json',
    ...(out !== undefined && { out }),
    format: isJson ? 'json' : 'yaml',
  }
}
