/** Where a setting came from; an earlier one beats a later one. */
export const ORIGINS = ['flag', 'environment', '.env', 'file'] as const
/** See {@link ORIGINS}. */
export type Origin = (typeof ORIGINS)[number]

/** What a user said of a setting. */
export interface Given {
  /** Of a list, the parts in their order; of a switch, `true` or `false`. */
  text: string
  origin: Origin
  /**
   * How messages call it: `--idle-lifetime`, `CORE_IDLE_LIFETIME`, `CORE_IDLE_LIFETIME in .env` or
   * `idle-lifetime (core-conformance.config.yaml:4:3)`.
   */
  label: string
}
