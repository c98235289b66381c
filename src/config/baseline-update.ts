import { ConfigError } from './error.js'
import type { Settings } from './settings.js'

/** A `baseline update`, as configured. */
export interface BaselineUpdateConfig {
  /** The result file. */
  from: string
  /** The file to write. */
  baseline: string
  /** Of new entries. */
  reason?: string
}

/**
 * Makes a {@link BaselineUpdateConfig} of the settings.
 * @throws ConfigError when no file is named
 */
export function baselineUpdateConfig(settings: Settings): BaselineUpdateConfig {
  const baseline = settings.get('baseline')?.text
  if (baseline === undefined) throw new ConfigError('no baseline: name the file with --baseline')
  const reason = settings.get('reason')?.text.trim()
  return { from: settings.get('from')?.text ?? 'reports/result.json', baseline, ...(reason && { reason }) }
}
