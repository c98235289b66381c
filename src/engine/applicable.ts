import type { ConfigurationRecord, Plan } from '../result.js'
import { type Spec, waits } from '../suite/spec.js'
import type { RunOptions } from './options.js'
import { planRun } from './plan/plan.js'
import type { Lifetime } from './window.js'

/** Why a quick run left a spec out. */
export const QUICK = 'waits for time to pass, which --profile quick leaves out'

/** Why a quick run left a spec out that waits for nothing. */
export const MANY = 'sends many requests, which --profile quick leaves out'

/** Why a run that is not long left a spec out. */
export const LONG = 'waits for two lifetimes, which takes --profile long'

/** So long a full run takes anyway, on a Core in a lab: two lifetimes that are over by then cost nothing. */
const ANYWAY_MS = 15_000

/** What decides the plan of a run. */
export interface PlanParts extends Pick<RunOptions, 'specs' | 'suite'> {
  configuration: Pick<
    ConfigurationRecord,
    'accessControl' | 'profile' | 'idleLifetimeMs' | 'idleLifetimeFrom' | 'idleTolerance' | 'maxTokens'
  >
}

/** The plan of a run, before anything is known of the Core. */
export function planFor({ specs, suite, configuration }: PlanParts): Plan {
  return planRun({
    specs: specs.filter(spec => inapplicable(spec, configuration) === undefined),
    parts: suite,
    lifetime: lifetimeOf(configuration),
    maxTokens: configuration.maxTokens,
  })
}

/** How long a token lives, as configured. */
export function lifetimeOf({ idleLifetimeMs, idleLifetimeFrom, idleTolerance }: PlanParts['configuration']): Lifetime {
  return {
    lifetimeMs: idleLifetimeMs,
    tolerance: idleTolerance,
    ...(idleLifetimeFrom !== undefined && { from: idleLifetimeFrom }),
  }
}

/** Why a spec does not apply to a run of this configuration; undefined when it does. */
export function inapplicable(
  spec: Spec,
  { accessControl, profile, idleLifetimeMs }: Pick<ConfigurationRecord, 'accessControl' | 'profile' | 'idleLifetimeMs'>,
): string | undefined {
  if (spec.accessControl !== accessControl) return `applies to a Core with access control ${spec.accessControl}`
  if (profile === 'quick') return waits(spec) ? QUICK : spec.isForFull ? MANY : undefined
  const isLong = profile === 'long' || idleLifetimeMs * 2 <= ANYWAY_MS
  return spec.isForLong && !isLong ? LONG : undefined
}
