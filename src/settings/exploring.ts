/** The settings of the explorer: how much it explores, and the seed. */
import { randomInt } from 'node:crypto'
import { duration } from '../duration.js'
import { kind, SOME_TEXT } from './kind.js'
import { spanOf } from './kinds.js'

/**
 * How much the explorer explores: a number of requests, or a time. With both null it explores as long as specs wait, at
 * most 1,500 requests. 0 requests: not at all.
 */
export interface ExploreSetting {
  requests: number | null
  durationMs: number | null
}

const MOST_SEED = 2 ** 31 - 1
const MOST_REQUESTS = 100_000
const DAY_MS = 24 * 60 * 60_000

/** A number of requests, or a time with its unit. */
export const exploring = kind<ExploreSetting, 'text'>({
  inProgram: 'text',
  placeholder: 'N|TIME',
  inFile: { anyOf: [{ type: 'integer', minimum: 0, maximum: MOST_REQUESTS }, SOME_TEXT] },
  inResult: {
    type: 'object',
    additionalProperties: false,
    required: ['requests', 'durationMs'],
    properties: {
      requests: { description: 'So many requests.', anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
      durationMs: {
        description: 'So long, in milliseconds.',
        anyOf: [{ type: 'number', exclusiveMinimum: 0 }, { type: 'null' }],
      },
    },
  },
  read: text => {
    if (/^\d+$/.test(text) && Number(text) <= MOST_REQUESTS) return { requests: Number(text), durationMs: null }
    const durationMs = spanOf(text)
    const isInBounds = durationMs !== undefined && durationMs >= 1000 && durationMs <= DAY_MS
    return isInBounds ? { requests: null, durationMs } : undefined
  },
  wrong: text =>
    `must be a number of requests up to ${MOST_REQUESTS}, such as 2000, or a time from 1s to 1d with its unit, such as 30m; 0: nothing is explored; not '${text}'`,
  words: ({ requests, durationMs }) => (durationMs === null ? String(requests ?? 'none') : duration(durationMs)),
})

/** A seed: a whole number, or `random`, which chooses one by chance. */
export const seeding = kind<number, 'text'>({
  inProgram: 'text',
  placeholder: 'N|random',
  inFile: { anyOf: [{ type: 'integer', minimum: 0, maximum: MOST_SEED }, { const: 'random' }] },
  inResult: { type: 'integer', minimum: 0 },
  read: text => {
    if (text === 'random') return randomInt(1, MOST_SEED)
    const seed = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return seed <= MOST_SEED ? seed : undefined
  },
  wrong: text => `must be random, or a whole number from 0 to ${MOST_SEED}; not '${text}'`,
  isAny: text => text === 'random',
})
