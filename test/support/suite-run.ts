/** Runs specs against a Core in this process, as the command line would. */
import { fileURLToPath } from 'node:url'
import { type Clock, realClock } from '../../dist/engine/clock.js'
import type { RunOptions } from '../../dist/engine/options.js'
import { runSuite } from '../../dist/engine/run.js'
import type { ConfigurationRecord, RunResult, SpecRecord } from '../../dist/result.js'
import { compiledSuite } from '../../dist/suite/compiled.js'
import type { Spec, Suite } from '../../dist/suite/spec.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The suite of the project, as the build compiled it: to read its YAML takes half a second of a processor. */
export const SUITE: Suite = built()

function built(): Suite {
  const suite = compiledSuite(at('../../specs'), at('../../dist/suite.json'))
  if (!suite) throw new Error('dist/suite.json is not that of specs/: npm run build')
  return suite
}

/** What a run runs that is told neither to measure anything nor to take long. */
export const SPECS: Spec[] = SUITE.specs.filter(spec => !spec.measuresLifetime && !spec.isForLong)

/** Specs of the suite by their ids, in that order. One that is run with each version of HTTP is found for 1.1. */
export function specsOf(...ids: string[]): Spec[] {
  return ids.map(id => {
    const spec = SUITE.specs.find(candidate => candidate.id === id || candidate.id === `${id}-http11`)
    if (!spec) throw new Error(`the suite has no spec '${id}'`)
    return spec
  })
}

/** Everything that waits for no time to pass. */
export const QUICK: Partial<ConfigurationRecord> = { profile: 'quick' }

export interface RunWith {
  specs?: Spec[]
  configuration?: Partial<ConfigurationRecord>
  clock?: Clock
  signal?: AbortSignal
  tokenField?: string
  target?: Partial<RunOptions['target']>
}

export const CONFIGURATION: ConfigurationRecord = {
  accessControl: 'on',
  idleLifetimeMs: 3_600_000,
  idleTolerance: 0.05,
  probePath: '/api/v0/cores/self/users',
  profile: 'full',
  only: [],
  concurrency: 4,
  maxRefusedLogons: 40,
  deadlineMs: 5000,
  maxTokens: null,
  measureLifetime: false,
}

/** Where a Core is, and who may log on. */
export interface CoreAddress {
  url: URL
  username: string
  password: string
  fingerprint: string
}

/** One run; of the whole suite, unless told otherwise. */
export function run(core: CoreAddress, options: RunWith = {}): Promise<RunResult> {
  const { specs = SPECS, configuration, clock = realClock(), signal, tokenField, target } = options
  const { url, username, password, fingerprint } = core
  return runSuite({
    suite: SUITE,
    specs,
    target: { url, trust: { kind: 'fingerprint', sha256: fingerprint }, username, password, ...target },
    targetKind: 'core',
    configuration: { ...CONFIGURATION, ...configuration },
    clock,
    signal: signal ?? new AbortController().signal,
    suiteVersion: '0.0.0',
    ...(tokenField !== undefined && { tokenField }),
  })
}

/** The outcome of each spec, by its id, without the version of HTTP. */
export function outcomes(result: RunResult): Record<string, SpecRecord['outcome']> {
  return Object.fromEntries(
    result.specs.flatMap(({ id, outcome }) => [
      [id, outcome],
      [id.replace(/-http11$/, ''), outcome],
    ]),
  )
}

/** The ids of the specs with this outcome. */
export function withOutcome(result: RunResult, outcome: SpecRecord['outcome']): string[] {
  return result.specs.filter(spec => spec.outcome === outcome).map(({ id }) => id)
}

/** The record of a spec. */
export function recordOf(result: RunResult, id: string): SpecRecord {
  const record = result.specs.find(spec => spec.id === id || spec.id === `${id}-http11`)
  if (!record) throw new Error(`no record of '${id}'`)
  return record
}
