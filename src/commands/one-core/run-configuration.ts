import type { Settings } from '../../config/settings.js'
import { type ConfigurationRecord, recordOf } from '../../settings/record.js'

/**
 * Reads the settings that decide how a run goes, as the result records them.
 * @throws ConfigError for the first value that cannot be used
 */
export function configurationOf(settings: Settings): ConfigurationRecord {
  const lifetime = settings.get('idle-lifetime')
  return { ...recordOf(each => settings.value(each)), ...(lifetime && { idleLifetimeFrom: lifetime.label }) }
}
