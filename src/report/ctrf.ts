/**
 * Renders the CTRF report (Common Test Report Format 0.0.0, JSON). A test checks it with the validator of the format's
 * library.
 */
import type { Outcome, RunResult, SpecRecord, StepRecord } from '../result.js'
import { type Cause, sameCause } from './causes.js'
import { clip, inert, inertLines } from './inert.js'
import type { JunitSource } from './junit.js'
import { needsRunCase, RUN_CASE, runBody, runSummary, specBody, specSummary } from './junit-text.js'
import { propertiesOf } from './properties.js'
import { ownPlace } from './words.js'

/** The statuses of CTRF. */
type TestStatus = 'passed' | 'failed' | 'skipped' | 'pending' | 'other'

/** A test of CTRF, with the fields that these reports use. Times are whole milliseconds, `start` and `stop` since the epoch. */
export interface CtrfTest {
  name: string
  status: TestStatus
  duration: number
  testId: string
  start?: number
  stop?: number
  suite: string[]
  message?: string
  trace?: string
  line?: number
  rawStatus: string
  tags?: string[]
  type?: string
  filePath?: string
  stdout?: string[]
  steps?: { name: string; status: TestStatus }[]
}

const STATUS: Record<Outcome, TestStatus> = {
  passed: 'passed',
  // An observation never fails. Its output shows what was seen.
  observed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  'known failure': 'skipped',
  'unexpected pass': 'failed',
  pending: 'pending',
  blocked: 'other',
  inconclusive: 'other',
}

const STEP_STATUS: Record<StepRecord['outcome'], TestStatus> = {
  ok: 'passed',
  miss: 'failed',
  'missed window': 'other',
  'not run': 'skipped',
}

/** Longest text, in characters. */
const LENGTH = 2000

function line(text: string): string {
  return inert(clip(text, LENGTH))
}

/** Rounds to whole milliseconds, as JSON and the schema demand. Zero for a negative or non-finite number. */
function whole(ms: number): number {
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0
}

function testOf(spec: SpecRecord, startMs: number, cause: Cause | undefined, result: JunitSource): CtrfTest {
  const { id, title, area, outcome, level, requirements, steps } = spec
  const start = startMs + whole(spec.atMs)
  const { file, line: at } = ownPlace(spec) ?? {}
  return {
    name: line(title) || line(id) || 'unnamed',
    status: STATUS[outcome],
    duration: whole(spec.durationMs),
    testId: line(id) || 'unnamed',
    start,
    stop: start + whole(spec.durationMs),
    suite: [line(area) || 'specs'],
    ...(outcome !== 'passed' && { message: specSummary(spec) }),
    ...(!['passed', 'observed'].includes(outcome) && { trace: inertLines(specBody(spec, cause, result)) }),
    ...(file !== undefined && { filePath: line(file) }),
    ...(at !== undefined && { line: at }),
    rawStatus: outcome,
    tags: [level, ...requirements.map(requirement => line(requirement.id)).filter(Boolean)],
    type: 'conformance',
    ...(outcome === 'observed' && { stdout: inertLines(specBody(spec)).split('\n') }),
    ...(steps.length > 0 && {
      steps: steps.map(step => ({ name: line(step.text) || 'step', status: STEP_STATUS[step.outcome] })),
    }),
  }
}

/** Makes a test of the run itself, for a verdict that no spec shows. */
function runTest(result: JunitSource): CtrfTest {
  return {
    name: RUN_CASE,
    status: 'other',
    duration: whole(result.durationMs),
    testId: 'run',
    suite: ['run'],
    message: runSummary(result),
    trace: inertLines(runBody(result)),
    rawStatus: result.verdict,
  }
}

/**
 * Makes all tests of a result.
 * @param suite names before the area of each test: the name of the Core in a fleet
 */
export function ctrfTests(result: JunitSource, suite: readonly string[] = []): CtrfTest[] {
  const startMs = startOf(result)
  const causes = sameCause(result)
  const tests = [
    ...result.specs.map(spec => testOf(spec, startMs, causes.get(spec), result)),
    ...(needsRunCase(result) ? [runTest(result)] : []),
  ]
  return suite.length > 0 ? tests.map(test => ({ ...test, suite: [...suite, ...test.suite] })) : tests
}

function startOf({ startedAt }: Pick<RunResult, 'startedAt'>): number {
  const parsed = Date.parse(startedAt)
  return Number.isNaN(parsed) ? 0 : parsed
}

function summaryOf(tests: readonly CtrfTest[], startMs: number, stopMs: number) {
  const countOf = (status: TestStatus) => tests.filter(test => test.status === status).length
  return {
    tests: tests.length,
    passed: countOf('passed'),
    failed: countOf('failed'),
    skipped: countOf('skipped'),
    pending: countOf('pending'),
    other: countOf('other'),
    start: startMs,
    stop: stopMs,
    suites: new Set(tests.map(test => test.suite.join(' > '))).size,
    duration: tests.reduce((total, { duration }) => total + duration, 0),
  }
}

/**
 * Renders the run result as CTRF JSON, with 2 spaces of indentation and a line feed at the end. `observed` becomes `passed`;
 * `blocked` and `inconclusive` become `other`; `rawStatus` is the outcome. One result always gives the same text: it has no
 * random ids and no time of writing.
 */
export function renderCtrf(result: RunResult): string {
  const { target, dialect, facts, counts } = result
  const environment = {
    // The label groups the reports of one Core, even if its address changes.
    appName: line(target.label ?? target.url),
    ...(target.firmware !== undefined && { appVersion: line(target.firmware) }),
    testEnvironment: target.kind,
    extra: Object.fromEntries(propertiesOf(result)),
  }
  const reason = { reason: line(result.reason), outcomes: { ...counts } }
  return documentOf(result, ctrfTests(result), reason, { environment }, { dialect, facts })
}

/**
 * Renders the results of a fleet as one CTRF report. The first part of each test's suite is the name of its Core.
 * @param told the verdict with its limits and doubts
 * @param tests the tests that {@link ctrfTests} makes
 */
export function renderFleetCtrf(fleet: Judged, told: string, tests: readonly CtrfTest[]): string {
  return documentOf(fleet, tests, { 'verdict.text': line(told), reason: line(fleet.reason) })
}

/** What a run and a fleet have in common. */
type Judged = Pick<RunResult, 'suite' | 'verdict' | 'reason' | 'startedAt' | 'durationMs' | 'notices'>

function documentOf(
  { suite, verdict, startedAt, durationMs, notices }: Judged,
  tests: readonly CtrfTest[],
  why: object,
  environment: object = {},
  extra: object = {},
): string {
  const startMs = startOf({ startedAt })
  const stopMs = startMs + whole(durationMs)
  const report = {
    reportFormat: 'CTRF',
    specVersion: '0.0.0',
    results: {
      tool: { name: suite.name, version: suite.version, extra: { specsDigest: suite.specsDigest } },
      summary: { ...summaryOf(tests, startMs, stopMs), extra: { verdict, ...why } },
      tests,
      ...environment,
    },
    timestamp: new Date(stopMs).toISOString(),
    generatedBy: suite.name,
    extra: { ...extra, notices: notices.map(line) },
  }
  return `${JSON.stringify(report, null, 2)}\n`
}
