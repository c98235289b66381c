import type { ConfigurationRecord } from '../result.js'
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
    idleLifetimeMs: time(settings, 'idle-lifetime', '1h', { atLeast: '1s', atMost: '7d' }),
    ...(lifetime && { idleLifetimeFrom: lifetime.label }),
    idleTolerance: percent(settings, 'idle-tolerance', '5%', { atLeast: 1, atMost: 25 }),
    profile: choice(settings, 'profile', ['quick', 'full', 'long'], 'full'),
    maxTokens: settings.get('max-tokens') ? whole(settings, 'max-tokens', 1, { atLeast: 1, atMost: 1000 }) : null,
    measureLifetime: isSet(settings, 'measure-lifetime'),
  }
}
