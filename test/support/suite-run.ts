/** Runs specs against a Core in this process, as the command line would. */
import { fileURLToPath } from 'node:url'
import { type Clock, leapingClock, realClock } from '../../dist/engine/clock.js'
import type { RunOptions } from '../../dist/engine/options.js'
import { runSuite } from '../../dist/engine/run.js'
import type { ConfigurationRecord, RunResult, SpecRecord } from '../../dist/result.js'
import { recordOf as settingsRecord } from '../../dist/settings/record.js'
import { compiledSuite } from '../../dist/suite/compiled.js'
import type { SendStep, Spec, Suite } from '../../dist/suite/spec.js'

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The project's suite, as compiled by the build: reading its YAML takes half a second of processor time. */
export const SUITE: Suite = built()

function built(): Suite {
  const suite = compiledSuite(at('../../specs'), at('../../dist/suite.json'))
  if (!suite) throw new Error('dist/suite.json is not that of specs/: npm run build')
  return suite
}

/** The specs of a default run: without measurements, and without specs for long runs. */
export const SPECS: Spec[] = SUITE.specs.filter(spec => !spec.measuresLifetime && !spec.isForLong)

/** Returns specs of the suite by their ids, in that order. A spec that runs with each version of HTTP is found for 1.1. */
export function specsOf(...ids: string[]): Spec[] {
  return ids.map(id => {
    const spec = SUITE.specs.find(candidate => candidate.id === id || candidate.id === `${id}-http11`)
    if (!spec) throw new Error(`the suite has no spec '${id}'`)
    return spec
  })
}

/** Returns a spec whose steps over families have only these variations. */
export function ranging(id: string, ...names: string[]): Spec[] {
  return specsOf(id).map(spec => ({
    ...spec,
    steps: spec.steps.map(step =>
      step.action === 'send' && step.each ? { ...step, each: { ...step.each, only: names } } : step,
    ),
  }))
}

/** Every spec that does not wait for time to pass. */
export const QUICK: Partial<ConfigurationRecord> = { profile: 'quick' }

/** The options of a run; absent ones are as in a default run. */
export interface RunWith {
  specs?: Spec[]
  configuration?: Partial<ConfigurationRecord>
  clock?: Clock
  signal?: AbortSignal
  tokenField?: string
  target?: Partial<RunOptions['target']>
}

/** A step that sends the plainest request of the suite: with no token, and nothing expected of the answer. */
export const SEND: SendStep = {
  action: 'send',
  request: 'access',
  headers: {},
  without: [],
  http: '1.1',
  connection: 'kept',
  expect: [],
  times: 1,
  tests: [],
}

/** The configuration of a default run. */
export const CONFIGURATION: ConfigurationRecord = {
  ...settingsRecord(({ usual }) => usual),
  maxRefusedLogons: 40,
  deadlineMs: 5000,
}

/** The URL of a Core, with credentials. */
export interface CoreAddress {
  url: URL
  username: string
  password: string
  fingerprint: string
  /** Makes its connections, where it is within this process. */
  connect?: RunOptions['connect']
  leaptMs?: number
}

/** Returns the clock of a run: in step with a Core within this process, which nobody waits for. */
function clockWith(core: CoreAddress): Clock {
  if (!core.connect) return realClock()
  return leapingClock(ms => {
    core.leaptMs = (core.leaptMs ?? 0) + ms
  })
}

/** Runs once; the whole suite, unless told otherwise. */
export function run(core: CoreAddress, options: RunWith = {}): Promise<RunResult> {
  const { specs = SPECS, configuration, clock = clockWith(core), signal, tokenField, target } = options
  const { url, username, password, fingerprint, connect } = core
  return runSuite({
    suite: SUITE,
    specs,
    target: { url, trust: { kind: 'fingerprint', sha256: fingerprint }, username, password, ...target },
    targetKind: 'core',
    configuration: { ...CONFIGURATION, ...configuration },
    clock,
    signal: signal ?? new AbortController().signal,
    ...(tokenField !== undefined && { tokenField }),
    ...(connect && { connect }),
  })
}

/** Returns the outcome of each spec by its id, without the version of HTTP. */
export function outcomes(result: RunResult): Record<string, SpecRecord['outcome']> {
  return Object.fromEntries(
    result.specs.flatMap(({ id, outcome }) => [
      [id, outcome],
      [id.replace(/-http11$/, ''), outcome],
    ]),
  )
}

/** Returns the ids of the specs with this outcome. */
export function withOutcome(result: RunResult, outcome: SpecRecord['outcome']): string[] {
  return result.specs.filter(spec => spec.outcome === outcome).map(({ id }) => id)
}

/** Returns the record of a spec. */
export function recordOf(result: RunResult, id: string): SpecRecord {
  const record = result.specs.find(spec => spec.id === id || spec.id === `${id}-http11`)
  if (!record) throw new Error(`no record of '${id}'`)
  return record
}
