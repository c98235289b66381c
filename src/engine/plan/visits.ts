import type { Stop } from './timeline.js'

/**
 * Finds the fewest moments at which a process has to come back so that each wait continues in time. (Greedy interval
 * stabbing, by earliest end.)
 * @param stops the ends of the waits, on any clock
 * @param leewayMs how long before the end of a window a process has to be there
 * @returns the visits in order; any moment of a visit serves all its waits
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
