/** Origins of a setting outside the configuration file. An earlier one beats a later one. */
export const SAID = ['flag', 'environment', '.env'] as const
/** All origins of a setting. An earlier one beats a later one. */
export const ORIGINS = [...SAID, 'file'] as const
export type Origin = (typeof ORIGINS)[number]

/** The value that a user gave for a setting. */
export interface Given {
  /** A list as its parts with commas, in their order; a switch as `true` or `false`. */
  text: string
  origin: Origin
  /**
   * Name of the setting in messages: `--idle-lifetime`, `CORE_IDLE_LIFETIME`, `CORE_IDLE_LIFETIME in .env` or
   * `idle-lifetime (core-conformance.config.yaml:4:3)`.
   */
  label: string
}
