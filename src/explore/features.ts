/** What the survey saw of a Core, as the explorer uses it. */
import type { RunContext } from '../engine/context.js'
import { whyNotJudged, whySkipped } from '../engine/skip-reasons.js'
import { findRole } from '../suite/roles.js'
import type { Action, Features } from './action.js'
import type { Timing } from './model.js'
import { toSpec } from './sequence.js'

/** Returns the features of this Core that the explorer can vary, as the survey saw them. */
export function featuresOf(context: RunContext): Features {
  const tells = (action: Action) => {
    const steps = [{ raw: { logon: 'a' } }, { raw: { ...action, token: 'a', expect: 'accepted' as const } }]
    const parts = { id: 'explored-look', title: 'a look', requirements: [] }
    const spec = toSpec(steps, parts, { requests: context.parts.requests, families: new Map() })
    return whySkipped(spec, context.dialect) === undefined && whyNotJudged(spec, context) === undefined
  }
  return {
    head: tells({ send: 'probe', method: 'HEAD' }),
    elsewhere: findRole(context.parts.requests, 'elsewhere') !== undefined && tells({ send: 'elsewhere' }),
    resumed: tells({ send: 'probe', connection: 'resumed' }),
    behind: true,
    http10: context.dialect.http10 === true && tells({ send: 'probe', http: '1.0' }),
  }
}

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
