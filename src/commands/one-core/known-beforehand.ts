import type { Settings } from '../../config/settings.js'
import type { KnownBeforehand } from '../../known/known-beforehand.js'
import { BASELINE, NAMES, PIN } from '../shared/settings.js'

/**
 * Reads a {@link KnownBeforehand} from the settings.
 * @param isOfCore false for the embedded mock Core: the pins of a Core, from a variable or the configuration file, say nothing of it
 */
export function knownBeforehand(settings: Settings, isOfCore: boolean): KnownBeforehand {
  const [pins, baseline, firmware] = [PIN, BASELINE, NAMES.firmware].map(each => settings.value(each))
  return {
    ...(pins !== undefined && isOfCore && { pins }),
    ...(baseline !== undefined && { baseline }),
    ...(firmware !== undefined && { firmware }),
  }
}
