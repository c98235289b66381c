import { randomInt } from 'node:crypto'
import ms from 'ms'
import type { ConfigurationRecord, ExploreSetting } from '../result.js'
import { ConfigError } from './error.js'
import type { Settings } from './settings.js'

/** Where nobody says otherwise: always the same sequences, so that CI is stable. */
const SEED = 1
const MOST_SEED = 2 ** 31 - 1
const MOST_REQUESTS = 100_000
const DAY_MS = 24 * 60 * 60_000

/** What decides how a Core is explored. */
export type Exploring = Required<Pick<ConfigurationRecord, 'explore' | 'seed'>>

/**
 * Reads `--explore` and `--seed`. Where nothing is said, a full run of all specs explores while they wait, and any other run does not.
 * @param run what decides that
 * @throws ConfigError for a value that cannot be used
 */
export function exploringOf(
  settings: Settings,
  { profile, only, accessControl }: Pick<ConfigurationRecord, 'profile' | 'only' | 'accessControl'>,
): Exploring {
  const isWhole = profile === 'full' && only.length === 0 && accessControl === 'on'
  const usual: ExploreSetting = { requests: isWhole ? null : 0, durationMs: null }
  return { explore: exploreOf(settings) ?? usual, seed: seedOf(settings) }
}

function exploreOf(settings: Settings): ExploreSetting | undefined {
  const setting = settings.get('explore')
  if (!setting) return undefined
  const { text, label } = setting
  if (/^\d+$/.test(text) && Number(text) <= MOST_REQUESTS) return { requests: Number(text), durationMs: null }
  const durationMs = /^\d+(\.\d+)?\s*[a-z]+$/i.test(text) ? ms(text as ms.StringValue) : undefined
  if (durationMs !== undefined && durationMs >= 1000 && durationMs <= DAY_MS) return { requests: null, durationMs }
  throw new ConfigError(
    `${label} must be a number of requests up to ${MOST_REQUESTS}, such as 2000, or a time from 1s to 1d with its unit, such as 30m; 0: nothing is explored; not '${text}'`,
  )
}

function seedOf(settings: Settings): number {
  const setting = settings.get('seed')
  if (!setting) return SEED
  const { text, label } = setting
  if (isRandom(text)) return randomInt(1, MOST_SEED)
  const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!(seed >= 0 && seed <= MOST_SEED))
    throw new ConfigError(`${label} must be random, or a whole number from 0 to ${MOST_SEED}; not '${text}'`)
  return seed
}

/** Whether a seed is to be chosen by chance: then any that a run has is the one. */
export function isRandom(text: string): boolean {
  return text === 'random'
}
