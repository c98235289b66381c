/** Takes from the result of one Core what an attestation needs: so little that a large fleet fits in memory. */
import { count } from '../ground/count.js'
import { isBreach, isHindered, isJudged } from '../result/outcomes.js'
import { scopeOf } from '../result/scope.js'
import type { Doubt, RunResult, SpecRecord } from '../result.js'

/** What an attestation names of a Core, of its run, and of the settings. */
const OF_TARGET = ['url', 'firmware', 'certificateFingerprint'] as const
const OF_RUN = ['startedAt', 'verdict', 'reason'] as const
const SETTINGS = ['profile', 'accessControl', 'idleLifetimeMs', 'idleTolerance', 'probePath', 'only'] as const

/** Returns the named fields of an object, as far as it has them, in the order of the names. */
function named<T, Name extends keyof T>(of: T, names: readonly Name[]): Pick<T, Name> {
  return Object.fromEntries(names.flatMap(name => (of[name] === undefined ? [] : [[name, of[name]]]))) as Pick<T, Name>
}

/** How a Core was run, and its verdict. The attestation holds this object unchanged. */
export interface Conditions
  extends Pick<RunResult['target'], (typeof OF_TARGET)[number]>,
    Pick<RunResult, (typeof OF_RUN)[number]>,
    Pick<RunResult['configuration'], (typeof SETTINGS)[number]> {
  /** What speaks against requirements, and is too weak for a verdict. */
  doubts: Doubt[]
  /** The ids of the requirements of the reference that were not tested. */
  notTested: string[]
  /** The ids of the specs that are known failures. */
  waivers: string[]
  /** Why the verdict says less than that of a whole run, in sentences; empty for a whole run. */
  limits: string[]
}

/** One tested Core. */
export type Tested = ReturnType<typeof testedOf>

/** Takes from a result what is attested of it. @param core the name of the Core in its fleet; absent for a run of one Core */
export function testedOf(result: RunResult, core?: string) {
  const { suite, target, configuration, time, specs, doubts = [] } = result
  const ids = (are: (spec: SpecRecord) => boolean) => [...new Set(specs.filter(are).map(({ id }) => id))].sort()
  const isKnown = ({ outcome }: SpecRecord) => outcome === 'known failure'
  return {
    ...(core !== undefined && { core }),
    suite,
    // Only a mock Core has a clock that can be advanced.
    isMock: target.kind === 'mock' || time === 'virtual',
    conditions: {
      ...named(target, OF_TARGET),
      ...named(result, OF_RUN),
      ...named(configuration, SETTINGS),
      doubts: doubts.map(({ requirement, text }) => ({ requirement, text })),
      notTested: untestedOf(result),
      waivers: ids(isKnown),
      limits: limitsOf(result),
    } satisfies Conditions,
    // Ids of specs, sorted. Specs of the level `observe` are in none of the three lists.
    passed: ids(({ outcome }) => outcome === 'passed'),
    // Those without a judgement: blocked, skipped, inconclusive, pending, known failure.
    warned: ids(spec => isKnown(spec) || !isJudged(spec)),
    failed: ids(isBreach),
  }
}

function untestedOf({ requirements }: RunResult): string[] {
  return requirements.filter(({ state, level }) => level === 'must' && state === 'not tested').map(({ id }) => id)
}

/** Lists the limits of a verdict: those that every report shows, in the same words, and further ones. */
function limitsOf(result: RunResult): string[] {
  const { specs } = result
  const untested = untestedOf(result)
  const hindered = specs.filter(isHindered)
  return [
    ...scopeOf(result),
    ...(hindered.length ? [`${count(hindered.length, 'spec')} could not be judged`] : []),
    ...(untested.length
      ? [`${count(untested.length, 'requirement')} of the reference not tested: ${untested.join(', ')}`]
      : []),
  ]
}
