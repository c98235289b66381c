/** What an attestation tells of the run of one Core: little enough that a fleet of them fits in memory. */
import { count } from '../ground/count.js'
import type { Outcome, RunResult, Verdict } from '../result.js'
import { scopeOf } from '../scope.js'

/** How a Core was run, and what came of it; it stands in the attestation as it is. */
export interface Conditions {
  url: string
  /** As the user said; nothing on the wire shows it. */
  firmware?: string
  certificateFingerprint?: string
  startedAt: string
  verdict: Verdict
  reason: string
  profile: RunResult['configuration']['profile']
  accessControl: 'on' | 'off'
  idleLifetimeMs: number
  idleTolerance: number
  probePath: string
  /** Patterns of what was selected; empty: everything. */
  only: string[]
  /** The ids of specs that failed, and were known to. */
  waivers: string[]
  /** Why the verdict says less than that of a whole run, in sentences; empty where it does not. */
  limits: string[]
}

/** One Core, as it was tested. */
export interface Tested {
  /** Its name in its fleet; absent for a run of one. */
  core?: string
  suite: RunResult['suite']
  isMock: boolean
  conditions: Conditions
  /** Ids of specs, sorted. What only observes is in none of them. */
  passed: string[]
  /** Neither shown to be right nor wrong: blocked, skipped, inconclusive, known to fail. */
  warned: string[]
  failed: string[]
}

const PASSED: readonly Outcome[] = ['passed']
const FAILED: readonly Outcome[] = ['failed', 'unexpected pass']
const OPEN: readonly Outcome[] = ['blocked', 'inconclusive', 'skipped', 'known failure', 'pending']

/** What is attested of a result. @param core its name in its fleet */
export function testedOf(result: RunResult, core?: string): Tested {
  const { suite, target, configuration, startedAt, verdict, reason, specs } = result
  const ids = (outcomes: readonly Outcome[]) =>
    [...new Set(specs.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id))].sort()
  const { profile, accessControl, idleLifetimeMs, idleTolerance, probePath, only } = configuration
  return {
    ...(core !== undefined && { core }),
    suite,
    isMock: target.kind === 'mock',
    conditions: {
      url: target.url,
      ...(target.firmware !== undefined && { firmware: target.firmware }),
      ...(target.certificateFingerprint !== undefined && { certificateFingerprint: target.certificateFingerprint }),
      startedAt,
      verdict,
      reason,
      profile,
      accessControl,
      idleLifetimeMs,
      idleTolerance,
      probePath,
      only,
      waivers: ids(['known failure']),
      limits: limitsOf(result),
    },
    passed: ids(PASSED),
    warned: ids(OPEN),
    failed: ids(FAILED),
  }
}

/** What every report says beside the verdict, in its words, and what else makes the verdict say less. */
function limitsOf(result: RunResult): string[] {
  const { time, requirements = [], specs } = result
  const untested = requirements.filter(({ state, level }) => level === 'must' && state === 'not tested')
  const hindered = specs.filter(({ outcome }) => outcome === 'blocked' || outcome === 'inconclusive')
  return [
    ...scopeOf(result),
    ...(time === 'virtual' ? ['time was that of a clock that was advanced'] : []),
    ...(hindered.length ? [`${count(hindered.length, 'spec')} could not be judged`] : []),
    ...(untested.length
      ? [
          `${count(untested.length, 'requirement')} of the reference not tested: ${untested.map(({ id }) => id).join(', ')}`,
        ]
      : []),
  ]
}
