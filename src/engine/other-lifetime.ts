import { duration } from '../duration.js'
import { numbered } from '../ground/count.js'
import type { SpecRecord, StepRecord } from '../result.js'

/**
 * Asks whether the idle lifetime is set right, where one other lifetime explains every failure that depends on it, and
 * every check that held.
 * @param specs the specs of the run with their outcomes
 * @param lifetimeMs the lifetime that they were judged by
 * @returns undefined where there is no such failure, or no single lifetime explains all of them
 */
export function otherLifetime(specs: readonly SpecRecord[], lifetimeMs: number): string | undefined {
  const timed = specs.filter(({ outcome }) => outcome === 'failed' || outcome === 'passed').flatMap(timedChecks)
  const misses = timed.filter(({ outcome }) => outcome === 'miss')
  if (!misses.length) return undefined
  const aliveMs = Math.max(0, ...timed.filter(({ isAlive }) => isAlive).map(({ gap }) => gap.shortestMs))
  const expiredMs = Math.min(...timed.filter(({ isAlive }) => !isAlive).map(({ gap }) => gap.longestMs))
  if (aliveMs >= expiredMs) return undefined
  const told = (ms: number) => duration(ms, 2)
  const span = Number.isFinite(expiredMs)
    ? aliveMs > 0
      ? `between ${told(aliveMs)} and ${told(expiredMs)}`
      : `under ${told(expiredMs)}`
    : `over ${told(aliveMs)}`
  const count = numbered(misses.length, 'the one idle failure fits', `all ${misses.length} idle failures fit`)
  return `${count} an idle lifetime ${span}, and the run judged by ${told(lifetimeMs)}: is --idle-lifetime right for this Core?`
}

type Timed = Pick<StepRecord, 'outcome'> & Required<Pick<StepRecord, 'gap' | 'isAlive'>>

/** Returns the checks of a spec whose answer depends on how long the token was unused. */
function timedChecks({ steps }: SpecRecord): Timed[] {
  return steps.flatMap(({ kind, outcome, gap, isAlive }) =>
    kind === 'check' && gap && isAlive !== undefined && (outcome === 'ok' || outcome === 'miss')
      ? [{ outcome, gap, isAlive }]
      : [],
  )
}
