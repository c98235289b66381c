import { type ConfigurationRecord, USUAL } from '../result.js'
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
    probePath: probePathOf(settings),
    only: list(settings, 'only'),
    concurrency: whole(settings, 'concurrency', 4, { atLeast: 1, atMost: 32 }),
    maxRefusedLogons: maxRefusedLogonsOf(settings),
    deadlineMs: deadlineOf(settings),
    patienceMs: time(settings, 'patience', '15m', { atLeast: '1s', atMost: '1d' }),
  }
}

/** The path of the authenticated GET. */
export function probePathOf(settings: Settings): string {
  return path(settings, 'probe-path', USUAL.probePath)
}

/** How long an answer may take. */
export function deadlineOf(settings: Settings): number {
  return time(settings, 'deadline', '10s', { atLeast: '100ms', atMost: '10m' })
}

/** How many logons may be refused, since accounts lock. */
export function maxRefusedLogonsOf(settings: Settings): number {
  return whole(settings, 'max-refused-logons', 40, { atLeast: 0, atMost: 100 })
}
