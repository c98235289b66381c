import type { ConfigurationRecord, Plan } from '../result.js'
import { type Spec, waits } from '../suite/spec.js'
import type { RunOptions } from './options.js'
import { planRun } from './plan/plan.js'
import { coveringOf } from './plan/planned-rows.js'
import type { Lifetime } from './window.js'

/** Why a quick run leaves out a spec that waits. */
export const QUICK = 'waits for time to pass, which --profile quick leaves out'

/** Why a quick run leaves out a spec that does not wait. */
export const MANY = 'sends many requests, which --profile quick leaves out'

/** Why a run that is not long leaves out a spec. */
const LONG = 'waits for two lifetimes, which takes --profile long'

/** A full run takes this long on a Core in a lab anyway. A wait of two lifetimes within this time costs a few seconds at most. */
const ANYWAY_MS = 20_000

/** Plans a run before anything is known about the Core. */
export function planFor({ specs, suite, configuration }: Pick<RunOptions, 'specs' | 'suite' | 'configuration'>): Plan {
  return planRun({
    specs: specs.filter(spec => whyNotApplicable(spec, configuration) === undefined),
    parts: suite,
    lifetime: lifetimeOf(configuration),
    covering: coveringOf(configuration),
    maxTokens: configuration.maxTokens,
  })
}

/** Returns the lifetime of a token as configured. */
export function lifetimeOf({ idleLifetimeMs, idleLifetimeFrom, idleTolerance }: ConfigurationRecord): Lifetime {
  return {
    lifetimeMs: idleLifetimeMs,
    tolerance: idleTolerance,
    ...(idleLifetimeFrom !== undefined && { from: idleLifetimeFrom }),
  }
}

/** Says why a spec does not apply to a run of this configuration; undefined where it does. */
export function whyNotApplicable(
  spec: Spec,
  { accessControl, profile, idleLifetimeMs }: ConfigurationRecord,
): string | undefined {
  if (spec.accessControl !== accessControl) return `applies to a Core with access control ${spec.accessControl}`
  if (profile === 'quick') return waits(spec) ? QUICK : spec.isForFull ? MANY : undefined
  const isLong = profile === 'long' || idleLifetimeMs * 2 <= ANYWAY_MS
  return spec.isForLong && !isLong ? LONG : undefined
}
