/** When to come back to a fleet: few visits, of which each meets windows of many Cores. */
import type { RunResult } from '../result.js'

type Visit = NonNullable<RunResult['visits']>[number]

/** What is due for ever ends later than all else. */
const endMs = ({ untilAt }: Visit) => (untilAt === null ? Number.POSITIVE_INFINITY : Date.parse(untilAt))

/**
 * The fewest visits that meet every window of every Core: each begins when the last of its windows has opened, and ends when
 * the first of them closes.
 * @param visits those of each Core
 */
export function joinedVisits(visits: readonly (readonly Visit[])[]): Visit[] {
  const all = visits.flat().sort((a, b) => endMs(a) - endMs(b) || Date.parse(a.fromAt) - Date.parse(b.fromAt))
  const joined: Visit[] = []
  for (const visit of all) {
    const last = joined.at(-1)
    // In the order of their ends: what has opened when the first of them closes is met by one visit.
    if (last && Date.parse(visit.fromAt) <= endMs(last)) {
      if (visit.fromAt > last.fromAt) last.fromAt = visit.fromAt
    } else joined.push({ ...visit })
  }
  return joined
}
