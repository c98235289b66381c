import type { ConfigurationRecord } from '../result.js'
import { pacingOf } from './pacing.js'
import type { Settings } from './settings.js'
import { list, path, time, whole } from './values.js'

/**
 * Reads what decides how a run goes, and is recorded in its result.
 * @throws ConfigError for the first value that cannot be used
 */
export function configurationOf(settings: Settings): ConfigurationRecord {
  return {
    ...pacingOf(settings),
    probePath: path(settings, 'probe-path', '/api/v0/cores/self/users'),
    only: list(settings, 'only'),
    concurrency: whole(settings, 'concurrency', 4, { atLeast: 1, atMost: 32 }),
    maxRefusedLogons: whole(settings, 'max-refused-logons', 40, { atLeast: 0, atMost: 100 }),
    deadlineMs: time(settings, 'deadline', '10s', { atLeast: '100ms', atMost: '10m' }),
    patienceMs: time(settings, 'patience', '15m', { atLeast: '1s', atMost: '1d' }),
  }
}
