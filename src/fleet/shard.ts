/** Splits a list of Cores into shares for several machines. */
import { createHash } from 'node:crypto'
import { configurationOf } from './core.js'
import { byName } from './fleet.js'
import type { FleetConfiguration, Shard } from './types.js'

/**
 * Returns the share of one machine. Cores are dealt out in the order of their names. So the order of the list does not matter,
 * and the sizes of two shares differ by at most one.
 * @param number of the machine, from 1 to `total`
 */
export function shareOf<T extends { name: string }>(cores: readonly T[], number: number, total: number): T[] {
  return [...cores].sort(byName).filter((_core, index) => index % total === number - 1)
}

/**
 * Returns the digest by which shards of one list are known: of all Cores and how they are run, in any order. SHA-256, in
 * hex.
 */
export function listDigest(cores: readonly { name: string; url: string; configuration: FleetConfiguration }[]): string {
  const text = [...cores]
    .sort(byName)
    .map(({ name, url, configuration }) => `${JSON.stringify([name, url, configurationOf(configuration)])}\n`)
    .join('')
  return createHash('sha256').update(text).digest('hex')
}

/** Returns the numbers of the shards that are missing from a list of shards. */
export function missingShards(shards: readonly Pick<Shard, 'number' | 'total'>[]): number[] {
  const total = shards[0]?.total ?? 0
  const there = new Set(shards.map(({ number }) => number))
  return Array.from({ length: total }, (_, index) => index + 1).filter(number => !there.has(number))
}
