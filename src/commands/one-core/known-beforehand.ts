import type { Settings } from '../../config/settings.js'
import type { KnownBeforehand } from '../../known/known-beforehand.js'
import { BASELINE, NAMES, PIN } from '../shared/settings.js'

/** Reads a {@link KnownBeforehand} from the settings. */
export function knownBeforehand(settings: Settings): KnownBeforehand {
  const [pins, baseline, firmware] = [PIN, BASELINE, NAMES.firmware].map(each => settings.value(each))
  return {
    ...(pins !== undefined && { pins }),
    ...(baseline !== undefined && { baseline }),
    ...(firmware !== undefined && { firmware }),
  }
}
