import type { MeasuredLifetime, SpecRecord } from '../result.js'
import type { Spec } from '../suite/spec.js'

/**
 * Determines the idle lifetime of a Core from the specs that measure it. Each of them left its token unused for another
 * time. An accepted token lives at least as long as the shortest reading of its gap. A rejected one has expired after
 * the longest.
 * @returns null where nothing was measured
 */
export function measuredLifetime(specs: Spec[], records: SpecRecord[]): MeasuredLifetime | null {
  const measuring = new Set(specs.filter(spec => spec.measuresLifetime).map(({ id }) => id))
  const readings = records
    .filter(({ id, outcome }) => measuring.has(id) && outcome === 'observed')
    .flatMap(({ steps }) => steps.filter(({ kind }) => kind === 'check'))
    .flatMap(({ gap, isAlive }) => (gap && isAlive !== undefined ? [{ gap, isAlive }] : []))
  if (!readings.length) return null
  const alive = readings.filter(({ isAlive }) => isAlive).map(({ gap }) => gap.shortestMs)
  const expired = readings.filter(({ isAlive }) => !isAlive).map(({ gap }) => gap.longestMs)
  return {
    aliveMs: alive.length ? Math.round(Math.max(...alive)) : null,
    expiredMs: expired.length ? Math.round(Math.min(...expired)) : null,
  }
}
