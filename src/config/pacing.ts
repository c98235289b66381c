import { type ConfigurationRecord, PROFILES } from '../result.js'
import type { Settings } from './settings.js'
import { choice, isSet, percent, time, whole } from './values.js'

/** What decides how long a run takes, and how many tokens it holds. */
export type Pacing = Pick<
  ConfigurationRecord,
  | 'accessControl'
  | 'idleLifetimeMs'
  | 'idleLifetimeFrom'
  | 'idleTolerance'
  | 'profile'
  | 'maxTokens'
  | 'measureLifetime'
>

/**
 * Reads the options that `run` and `list --plan` have in common.
 * @throws ConfigError for the first value that cannot be used
 */
export function pacingOf(settings: Settings): Pacing {
  const lifetime = settings.get('idle-lifetime')
  return {
    accessControl: choice(settings, 'access-control', ['on', 'off'], 'on'),
    ...idlenessOf(settings),
    ...(lifetime && { idleLifetimeFrom: lifetime.label }),
    maxTokens: settings.get('max-tokens') ? whole(settings, 'max-tokens', 1, { atLeast: 1, atMost: 1000 }) : null,
    measureLifetime: isSet(settings, 'measure-lifetime'),
  }
}

/**
 * Reads what all have in common that wait for tokens to expire.
 * @throws ConfigError for the first value that cannot be used
 */
export function idlenessOf(settings: Settings): Pick<Pacing, 'idleLifetimeMs' | 'idleTolerance' | 'profile'> {
  return {
    idleLifetimeMs: idleLifetimeOf(settings),
    idleTolerance: percent(settings, 'idle-tolerance', '5%', { atLeast: 1, atMost: 25 }),
    profile: choice(settings, 'profile', PROFILES, 'full'),
  }
}

/** How long a token lives that is not used. @throws ConfigError */
export function idleLifetimeOf(settings: Settings): number {
  return time(settings, 'idle-lifetime', '1h', { atLeast: '1s', atMost: '7d' })
}
