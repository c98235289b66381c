/** Splits a list of Cores into shares for several machines. */
import { createHash } from 'node:crypto'
import { duration } from '../duration.js'
import { configurationOf } from './core.js'
import { byName } from './fleet.js'
import { sameName } from './name.js'
import type { FleetConfiguration, FleetCore, FleetSuite, Shard } from './types.js'

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
export function missingShards(shards: readonly { number: number; total: number }[]): number[] {
  const total = shards[0]?.total ?? 0
  const there = new Set(shards.map(({ number }) => number))
  return Array.from({ length: total }, (_, index) => index + 1).filter(number => !there.has(number))
}

/** A part: a shard, a fleet, or the result of a single run. */
export interface FleetPart {
  /** The path of the part, as messages name it. */
  where: string
  suite: FleetSuite
  shard?: Shard | undefined
  cores: readonly FleetCore[]
}

/**
 * Lists why parts do not belong together, in sentences that name the parts; empty where they do.
 * @param parts one or more
 */
export function strangers(parts: readonly FleetPart[]): string[] {
  const [first, ...others] = parts
  if (!first) return []
  const found = others.flatMap(part => suiteDifference(first, part) ?? [])
  if (found.length) return found
  const shards = parts.filter(({ shard }) => shard)
  const [shard] = shards
  const conditions = shard
    ? shards.slice(1).flatMap(part => shardDifference(shard, part))
    : others.flatMap(part => conditionDifference(first, part) ?? [])
  if (shard) {
    const alone = parts.find(part => !part.shard)
    if (alone) conditions.push(`${shard.where} is a shard, and ${alone.where} is none`)
  }
  return [...conditions, ...twice(parts)]
}

function suiteDifference(a: FleetPart, b: FleetPart): string | undefined {
  if (a.suite.version !== b.suite.version)
    return `${a.where} is of the suite ${a.suite.version}, and ${b.where} of ${b.suite.version}`
  if (a.suite.specsDigest !== b.suite.specsDigest)
    return `${a.where} and ${b.where} are of different specs (SHA-256 ${a.suite.specsDigest.slice(0, 12)}…, ${b.suite.specsDigest.slice(0, 12)}…)`
  return undefined
}

function shardDifference(a: FleetPart, b: FleetPart): string[] {
  if (!a.shard || !b.shard) return []
  if (a.shard.total !== b.shard.total)
    return [`${a.where} is one of ${a.shard.total} shards, and ${b.where} one of ${b.shard.total}`]
  if (a.shard.of === b.shard.of) return []
  return [conditionDifference(a, b) ?? `${a.where} and ${b.where} are shards of different lists of Cores`]
}

/** Says which conditions only one of two parts has; undefined where the conditions are equal. */
function conditionDifference(a: FleetPart, b: FleetPart): string | undefined {
  const of = ({ cores }: FleetPart) => new Map(cores.map(core => [conditionText(core.configuration), core]))
  const [left, right] = [of(a), of(b)]
  const [mine] = [...left].filter(([text]) => !right.has(text))
  const [theirs] = [...right].filter(([text]) => !left.has(text))
  if (!mine && !theirs) return undefined
  const told = (part: FleetPart, found: [string, FleetCore] | undefined, other: Map<string, FleetCore>) => {
    const [text, core] = found ?? [...other][0] ?? []
    return `${core?.name ?? 'a Core'} in ${part.where} was run with ${text ?? 'nothing'}`
  }
  return `${told(a, mine, left)}, and ${told(b, theirs, right)}`
}

/** Says in words how a Core was run. */
function conditionText({ profile, idleLifetimeMs, accessControl, only }: FleetConfiguration): string {
  return [
    `the ${profile} profile`,
    `a lifetime of ${duration(idleLifetimeMs)}`,
    ...(accessControl === 'off' ? ['access control off'] : []),
    only.length ? `only ${only.join(', ')}` : 'all specs',
  ].join(', ')
}

function twice(parts: readonly FleetPart[]): string[] {
  const found: string[] = []
  const names = new Map<string, string>()
  const numbers = new Map<number, string>()
  for (const { where, shard, cores } of parts) {
    const other = shard && numbers.get(shard.number)
    if (shard && other !== undefined)
      found.push(`${other} and ${where} are both shard ${shard.number} of ${shard.total}`)
    else if (shard) numbers.set(shard.number, where)
    if (other !== undefined) continue
    for (const { name } of cores) {
      const before = names.get(sameName(name))
      if (before !== undefined) found.push(`${name} is in ${before} and in ${where}`)
      names.set(sameName(name), where)
    }
  }
  return found
}
