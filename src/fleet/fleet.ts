/** Makes the result of a fleet from its Cores. */
import { count, numbered } from '../ground/count.js'
import { isFailing, verdictPhrase } from '../result/outcomes.js'
import type { RunResult, Verdict } from '../result.js'
import {
  FLEET_SCHEMA_VERSION,
  type Fleet,
  type FleetCore,
  type FleetRequirement,
  type FleetSuite,
  type Shard,
  type Since,
} from './types.js'

interface FleetParts {
  suite: FleetSuite
  cores: readonly FleetCore[]
  startedAt: string
  durationMs: number
  reports: readonly string[]
  requirements: readonly FleetRequirement[]
  notices?: readonly string[]
  shard?: Shard | undefined
  since?: Since | undefined
  /** The numbers of the shards that belong to the fleet and were not given, out of `total`; absent: none is missing. */
  missing?: { numbers: readonly number[]; total: number } | undefined
}

/** The verdicts in the order in which they are counted, worst first. */
const WORST_FIRST: readonly Verdict[] = [
  'nonconformant',
  'drifted',
  'stale baseline',
  'untestable',
  'incomplete',
  'pending',
  'conformant',
]

/** Makes the fleet of these Cores, sorted by name. */
export function fleetOf(parts: FleetParts): Fleet {
  const { suite, startedAt, durationMs, reports, requirements, notices = [], shard, since, missing } = parts
  const cores = [...parts.cores].sort(byName)
  const counts = countsOf(cores)
  const visits = joinedVisits(cores.map(({ visits = [] }) => visits))
  const events = cores.flatMap(({ name, events = [] }) => events.map(text => `${name}: ${text}`))
  const worst = verdictOf(counts, cores.length)
  return {
    schemaVersion: FLEET_SCHEMA_VERSION,
    suite,
    startedAt,
    durationMs,
    ...(shard && { shard }),
    verdict: missing && !isFailing(worst) ? 'incomplete' : worst,
    reason: `${reasonOf(counts, cores.length)}${missing ? `; ${missingText(missing)}` : ''}`,
    counts: { cores: cores.length, ...counts },
    ...(visits.length > 0 && { visits }),
    // Those of earlier processes have them already.
    notices: [...new Set([...notices, ...events])],
    reports: [...reports],
    requirements: [...requirements],
    cores,
    ...(since && { since }),
  }
}

/** Compares two names by code units, so that every machine sorts alike. */
export function byName(a: { name: string }, b: { name: string }): number {
  if (a.name === b.name) return 0
  return a.name < b.name ? -1 : 1
}

function countsOf(cores: readonly FleetCore[]): Record<Verdict, number> {
  const entries = WORST_FIRST.map(verdict => [verdict, cores.filter(core => core.verdict === verdict).length])
  return Object.fromEntries(entries) as Record<Verdict, number>
}

function verdictOf(counts: Record<Verdict, number>, all: number): Verdict {
  const failing = WORST_FIRST.find(verdict => isFailing(verdict) && counts[verdict] > 0)
  if (failing) return failing
  if (counts.untestable && counts.untestable === all) return 'untestable'
  if (counts.untestable || counts.incomplete || !all) return 'incomplete'
  return counts.pending ? 'pending' : 'conformant'
}

/** Says how many Cores have each verdict: `2 of 50 Cores are nonconformant, 1 is untestable, 47 are conformant`. */
function reasonOf(counts: Record<Verdict, number>, all: number): string {
  const present = WORST_FIRST.filter(verdict => counts[verdict] > 0)
  const [only] = present
  if (only && present.length === 1)
    return all === 1 ? `the one Core ${verdictPhrase(only)}` : `all ${count(all, 'Core')} ${verdictPhrase(only, all)}`
  const told = present.map((verdict, index) => {
    const number = counts[verdict]
    const whose = index === 0 ? `${number} of ${count(all, 'Core')}` : number
    return `${whose} ${verdictPhrase(verdict, number)}`
  })
  return told.join(', ') || 'there are no Cores'
}

function missingText({ numbers, total }: NonNullable<FleetParts['missing']>): string {
  const which = `${numbered(numbers.length, 'shard', 'shards')} ${numbers.join(', ')} of ${total}`
  return `${which} ${numbered(numbers.length, 'is', 'are')} missing`
}

type Visit = NonNullable<RunResult['visits']>[number]

/** Returns the end of a visit, in milliseconds since 1970. A visit without an end is later than all others. */
const endMs = ({ untilAt }: Visit) => (untilAt === null ? Number.POSITIVE_INFINITY : Date.parse(untilAt))

/**
 * Returns the fewest visits that meet every window of every Core. Each visit begins when the last of its windows opens, and
 * ends when the first of them closes.
 */
function joinedVisits(visits: readonly (readonly Visit[])[]): Visit[] {
  const all = visits.flat().sort((a, b) => endMs(a) - endMs(b) || Date.parse(a.fromAt) - Date.parse(b.fromAt))
  const joined: Visit[] = []
  for (const visit of all) {
    const last = joined.at(-1)
    // Visits are sorted by their ends. A window that opens before the last visit ends is met by that visit.
    if (last && Date.parse(visit.fromAt) <= endMs(last)) {
      if (visit.fromAt > last.fromAt) last.fromAt = visit.fromAt
    } else joined.push({ ...visit })
  }
  return joined
}
