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
  const [pins, baseline, firmware] = ['pin', 'baseline', 'firmware'].map(flag => settings.get(flag)?.text)
  return {
    ...(pins !== undefined && { pins }),
    ...(baseline !== undefined && { baseline }),
    ...(firmware !== undefined && { firmware }),
  }
}
