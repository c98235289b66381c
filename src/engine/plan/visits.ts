import type { Stop } from './timeline.js'

/**
 * As few moments as possible at which somebody has to come back so that each wait is gone on with in time. (Intervals are
 * stabbed from the one that ends first.)
 * @param stops on any clock
 * @param leewayMs how much sooner than the end of a window somebody has to be there at the latest
 * @returns in order; any moment of a visit serves all the waits that it is for
 */
export function visitsFor(stops: Stop[], leewayMs: number): Stop[] {
  const left = [...stops].sort((a, b) => a.untilMs - b.untilMs || a.fromMs - b.fromMs)
  const visits: Stop[] = []
  while (left[0]) {
    const untilMs = Math.max(left[0].untilMs - leewayMs, left[0].fromMs)
    const served = left.filter(stop => stop.fromMs <= untilMs)
    visits.push({ fromMs: Math.max(...served.map(stop => stop.fromMs)), untilMs })
    for (const stop of served) left.splice(left.indexOf(stop), 1)
  }
  return visits
}
