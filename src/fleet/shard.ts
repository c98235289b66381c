/** Shares of a list of Cores, for several machines. */
import { createHash } from 'node:crypto'
import { configurationOf } from './core.js'
import { byName } from './fleet.js'
import type { FleetConfiguration, Shard } from './types.js'

/**
 * The share of one of several machines. The Cores are dealt out by their names in sorted order, so each machine gets as many
 * as the next, give or take one, in whatever order they were named.
 * @param number from 1 to `total`
 */
export function shareOf<T extends { name: string }>(cores: readonly T[], number: number, total: number): T[] {
  return [...cores].sort(byName).filter((_core, index) => index % total === number - 1)
}

/** What tells that shards are of one list: a digest of all of its Cores and how they are run, whatever their order. */
export function listDigest(cores: readonly { name: string; url: string; configuration: FleetConfiguration }[]): string {
  const text = [...cores]
    .sort(byName)
    .map(({ name, url, configuration }) => `${JSON.stringify([name, url, configurationOf(configuration)])}\n`)
    .join('')
  return createHash('sha256').update(text).digest('hex')
}

/** The numbers of the shards that are not among these. */
export function missingShards(shards: readonly Pick<Shard, 'number' | 'total'>[]): number[] {
  const total = shards[0]?.total ?? 0
  const there = new Set(shards.map(({ number }) => number))
  return Array.from({ length: total }, (_, index) => index + 1).filter(number => !there.has(number))
}
