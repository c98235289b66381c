import type { Settings } from '../../config/settings.js'
import { type ConfigurationRecord, recordOf } from '../../settings/record.js'

/**
 * Reads what decides how a run goes, and is recorded in its result.
 * @throws ConfigError for the first value that cannot be used
 */
export function configurationOf(settings: Settings): ConfigurationRecord {
  const lifetime = settings.get('idle-lifetime')
  return { ...recordOf(each => settings.value(each)), ...(lifetime && { idleLifetimeFrom: lifetime.label }) }
}
