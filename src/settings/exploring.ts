/** The settings of the explorer: how much it explores, and the seed. */
import { randomInt } from 'node:crypto'
import { duration } from '../duration.js'
import { kind, SOME_TEXT, time, whole } from './kinds.js'

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
const REQUESTS = whole({ atLeast: 0, atMost: MOST_REQUESTS })
const TIMES = time({ atLeast: '1s', atMost: '1d' })
const SEEDS = whole({ atLeast: 0, atMost: MOST_SEED })

/** A number of requests, or a time with its unit. */
export const exploring = kind<ExploreSetting, 'text'>({
  inProgram: 'text',
  placeholder: 'N|TIME',
  inFile: { anyOf: [REQUESTS.inFile, SOME_TEXT] },
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
    const [requests = null, durationMs = null] = [REQUESTS.read(text), TIMES.read(text)]
    return requests === null && durationMs === null ? undefined : { requests, durationMs }
  },
  wrong: text =>
    `must be a number of requests up to ${MOST_REQUESTS}, such as 2000, or a time from 1s to 1d with its unit, such as 30m; 0: nothing is explored; not '${text}'`,
  words: ({ requests, durationMs }) => (durationMs === null ? String(requests ?? 'none') : duration(durationMs)),
})

/** A seed: a whole number, or `random`, which chooses one by chance. */
export const seeding = kind<number, 'text'>({
  inProgram: 'text',
  placeholder: 'N|random',
  inFile: { anyOf: [SEEDS.inFile, { const: 'random' }] },
  inResult: SEEDS.inResult,
  read: text => (text === 'random' ? randomInt(1, MOST_SEED) : SEEDS.read(text)),
  wrong: text => `must be random, or a whole number from 0 to ${MOST_SEED}; not '${text}'`,
  isAny: text => text === 'random',
})
