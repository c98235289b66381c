import type { MeasuredLifetime, RunResult } from '../result.js'
import type { Change } from './types.js'

/**
 * Compares the measured idle lifetimes. They differ only where the two spans do not overlap. The change holds the nearest
 * bounds of the two spans, in milliseconds: at least before and at most now, or the reverse.
 */
export function lifetimeChanges({ dialect: was }: RunResult, { dialect: is, configuration }: RunResult): Change[] {
  if (!was.lifetime || !is.lifetime) return []
  const { idleLifetimeMs, idleTolerance } = configuration
  const [before, now] = [spanOf(was.lifetime), spanOf(is.lifetime)]
  const isPromised = now.most >= idleLifetimeMs * (1 - idleTolerance)
  const give = (from: number, to: number): Change[] => [
    { kind: 'lifetime', subject: 'idle lifetime', ...(isPromised && { part: 'as configured' }), was: from, is: to },
  ]
  if (now.most < before.least) return give(before.least, now.most)
  return now.least > before.most ? give(before.most, now.least) : []
}

/** Returns the span of a lifetime. Where lifetimes vary from token to token, `expiredMs` is less than `aliveMs`. */
function spanOf({ aliveMs, expiredMs }: MeasuredLifetime): { least: number; most: number } {
  const [alive, expired] = [aliveMs ?? 0, expiredMs ?? Number.POSITIVE_INFINITY]
  return { least: Math.min(alive, expired), most: Math.max(alive, expired) }
}
