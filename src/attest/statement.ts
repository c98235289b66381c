/**
 * Makes in-toto statements with the predicate test-result/v0.1: which tests passed and failed, on what, in which configuration.
 * See https://github.com/in-toto/attestation, spec/v1 and spec/predicates/test-result.md.
 */
import { count } from '../ground/count.js'
import { isBreach, isFailing, isHindered, isJudged } from '../result/outcomes.js'
import { scopeOf } from '../result/scope.js'
import type { Doubt, RunResult, SpecRecord, Verdict } from '../result.js'

/** The type of an in-toto statement, v1. */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1'
/** The type of the predicate: the result of a test run. */
export const PREDICATE_TYPE = 'https://in-toto.io/attestation/test-result/v0.1'

/** The firmware that the attestation is about, by the digest of its file: 64 lower-case hexadecimal digits. */
export interface Subject {
  name: string
  digest: { sha256: string }
}

/** One part of the test configuration: the suite, its specs, or a result file. */
export interface Descriptor {
  name: string
  uri?: string
  digest?: Subject['digest']
  mediaType?: string
  /** For a result file: how its Core was run. */
  annotations?: Conditions
}

/** The statement, as it is signed. */
export interface Statement {
  _type: typeof STATEMENT_TYPE
  subject: Subject[]
  predicateType: typeof PREDICATE_TYPE
  predicate: {
    /** `PASSED`: conformant, and nothing was left out; `WARNED`: conformant, with limits; `FAILED`: the run failed. */
    result: 'PASSED' | 'WARNED' | 'FAILED'
    configuration: Descriptor[]
    /** Ids of specs; for a fleet `CORE/SPEC`. */
    passedTests: string[]
    warnedTests: string[]
    failedTests: string[]
  }
}

/** The evidence of an attestation: the file that the user named, the files it refers to, and its verdict. */
export interface Evidence {
  verdict: Verdict
  reason: string
  /** Every file, the named one first. `name` is the path from the folder of the named file. */
  files: { name: string; sha256: string; tested?: Tested }[]
}

/** Returns why nothing can be attested of the evidence, in a sentence that says what to do; undefined where it can. */
export function refusal({ verdict, reason, files }: Evidence): string | undefined {
  if (verdict !== 'conformant' && !isFailing(verdict))
    return `it is ${verdict} (${reason}), and says neither that the Core conforms nor that it does not: finish it, or run again`
  if (files.some(({ tested }) => tested?.isMock))
    return 'it is of a mock Core, which is no firmware: run against a Core, in real time'
  const firmwares = [...new Set(files.flatMap(({ tested }) => tested?.conditions.firmware ?? []))].sort()
  return firmwares.length > 1
    ? `its Cores run firmware ${firmwares.join(' and ')}, and one attestation is of one: attest the result.json of each, or a fleet of one firmware`
    : undefined
}

/** Makes the statement of what was tested. Equal evidence gives equal bytes. */
export function statementOf({ verdict, files }: Evidence, subject: Subject): Statement {
  const tested = files.flatMap(each => each.tested ?? [])
  const [first] = tested
  const names = (of: (each: Tested) => string[]) =>
    tested.flatMap(each => of(each).map(id => (each.core === undefined ? id : `${each.core}/${id}`)))
  const hasLimits = tested.some(({ conditions }) => conditions.limits.length > 0)
  return {
    _type: STATEMENT_TYPE,
    subject: [subject],
    predicateType: PREDICATE_TYPE,
    predicate: {
      result: isFailing(verdict) ? 'FAILED' : hasLimits ? 'WARNED' : 'PASSED',
      configuration: [
        ...(first
          ? [
              { name: 'core-conformance', uri: `pkg:npm/core-conformance@${first.suite.version}` },
              { name: 'specs', digest: { sha256: first.suite.specsDigest } },
            ]
          : []),
        ...files.map(({ name, sha256, tested: of }) => ({
          name,
          digest: { sha256 },
          mediaType: 'application/json',
          ...(of && { annotations: of.conditions }),
        })),
      ],
      passedTests: names(({ passed }) => passed),
      warnedTests: names(({ warned }) => warned),
      failedTests: names(({ failed }) => failed),
    },
  }
}

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
