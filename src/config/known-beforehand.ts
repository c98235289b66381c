import { PIN } from '../options/run.js'
import { BASELINE, NAMES } from '../options/shared.js'
import type { Settings } from './settings.js'

/** What the user knows of a Core beforehand, as configured. */
export interface KnownBeforehand {
  /** The files of the facts that are to stay. */
  pins?: string
  /** The file of the failures that are known. */
  baseline?: string
  /** The firmware, which tells what of a baseline is for it. */
  firmware?: string
}

/** Makes a {@link KnownBeforehand} of the settings. */
export function knownBeforehand(settings: Settings): KnownBeforehand {
  const [pins, baseline, firmware] = [PIN, BASELINE, NAMES.firmware].map(each => settings.value(each))
  return {
    ...(pins !== undefined && { pins }),
    ...(baseline !== undefined && { baseline }),
    ...(firmware !== undefined && { firmware }),
  }
}
