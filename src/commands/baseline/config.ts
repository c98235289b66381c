import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { BASELINE, FROM } from '../shared/settings.js'
import { REASON } from './settings.js'

/** The configuration of a `baseline update`. */
export interface BaselineUpdateConfig {
  /** The result file. */
  from: string
  /** The file to write. */
  baseline: string
  /** The reason of new entries. */
  reason?: string
}

/**
 * Reads a {@link BaselineUpdateConfig} from the settings.
 * @throws ConfigError if no baseline is named
 */
export function baselineUpdateConfig(settings: Settings): BaselineUpdateConfig {
  const baseline = settings.value(BASELINE)
  if (baseline === undefined) throw new ConfigError('no baseline: name the file with --baseline')
  const reason = settings.value(REASON)?.trim()
  return { from: settings.value(FROM), baseline, ...(reason && { reason }) }
}
