import type { RunContext } from '../engine/context.js'
import type { Timing } from './model.js'

/** The shortest time that a request is taken to need, milliseconds: no answer over TLS comes sooner on the average. */
const SHORTEST_MS = 20

/** What the model goes by on this Core. @param spacingMs how far apart requests are sent */
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
