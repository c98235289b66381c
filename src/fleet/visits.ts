/** Plans when to come back to a fleet: few visits, each within the windows of many Cores. */
import type { RunResult } from '../result.js'

type Visit = NonNullable<RunResult['visits']>[number]

/** Returns the end of a visit, in milliseconds since 1970. A visit without an end is later than all others. */
const endMs = ({ untilAt }: Visit) => (untilAt === null ? Number.POSITIVE_INFINITY : Date.parse(untilAt))

/**
 * Returns the fewest visits that meet every window of every Core. Each visit begins when the last of its windows opens, and
 * ends when the first of them closes.
 * @param visits the visits of each Core
 */
export function joinedVisits(visits: readonly (readonly Visit[])[]): Visit[] {
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
