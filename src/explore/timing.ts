import type { RunContext } from '../engine/context.js'
import type { Timing } from './model.js'

/** Least time that a request is assumed to take, in milliseconds: no answer over TLS is faster on average. */
const SHORTEST_MS = 20

/** Returns the times of the model for this Core. @param spacingMs time between requests */
export function timingOf({ lifetime, dialect }: RunContext, spacingMs: number): Timing {
  const { lifetimeMs, tolerance, roomMs = 0 } = lifetime
  const slowestMs = dialect.latency?.slowestMs ?? 0
  return {
    lifetimeMs,
    validMs: lifetimeMs * (1 - tolerance) - roomMs / 2,
    withinMs: lifetimeMs * (1 - tolerance) - roomMs,
    expiredMs: lifetimeMs * (1 + tolerance),
    requestMs: spacingMs + Math.max(slowestMs, SHORTEST_MS),
  }
}
