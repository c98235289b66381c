import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { BASELINE, FROM } from '../shared/settings.js'
import { REASON } from './settings.js'

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
  const baseline = settings.value(BASELINE)
  if (baseline === undefined) throw new ConfigError('no baseline: name the file with --baseline')
  const reason = settings.value(REASON)?.trim()
  return { from: settings.value(FROM), baseline, ...(reason && { reason }) }
}
