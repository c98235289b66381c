/** Renders the CTRF report (Common Test Report Format 0.0.0, JSON). A test checks it with the validator of the format. */
import type { Test } from 'ctrf'
import type { RunResult, StepRecord } from '../result.js'
import { type Case, casesOf, whole } from './cases.js'
import { clip, inert } from './inert.js'
import { propertiesOf } from './properties.js'
import { ownPlace } from './words.js'

/** A test of CTRF. */
export type CtrfTest = Test & { suite: string[] }

type TestStatus = Test['status']

/** An observation never fails, and its output shows what was seen. */
const STATUS: Record<Case['kind'], TestStatus> = {
  passed: 'passed',
  failure: 'failed',
  skipped: 'skipped',
  error: 'other',
}

const STEP_STATUS: Record<StepRecord['outcome'], TestStatus> = {
  ok: 'passed',
  miss: 'failed',
  'missed window': 'other',
  'not run': 'skipped',
}

/** Longest text, in characters. */
const LENGTH = 2000

/** Returns a text as one inert line of limited length. */
export function line(text: string): string {
  return inert(clip(text, LENGTH))
}

function testOf({ suite, name, id, kind, outcome, summary, body, durationMs, spec }: Case, startMs: number): CtrfTest {
  const { file, line: at } = (spec && ownPlace(spec)) ?? {}
  const start = startMs + whole(spec?.atMs ?? 0)
  return {
    name: line(name),
    status: outcome === 'pending' ? 'pending' : STATUS[kind],
    duration: whole(durationMs),
    testId: line(id),
    ...(spec && { start, stop: start + whole(durationMs) }),
    suite: suite.map(line),
    ...(outcome !== 'passed' && { message: summary }),
    ...(!['passed', 'observed'].includes(outcome) && { trace: body }),
    ...(file !== undefined && { filePath: line(file) }),
    ...(at !== undefined && { line: at }),
    rawStatus: outcome,
    ...(spec && {
      tags: [spec.level, ...spec.requirements.map(requirement => line(requirement.id)).filter(Boolean)],
      type: 'conformance',
    }),
    ...(outcome === 'observed' && { stdout: body.split('\n') }),
    ...(spec &&
      spec.steps.length > 0 && {
        steps: spec.steps.map(step => ({ name: line(step.text) || 'step', status: STEP_STATUS[step.outcome] })),
      }),
  }
}

/** Makes the tests of cases. @param result the run that they are of */
export function ctrfTests(cases: readonly Case[], { startedAt }: Pick<RunResult, 'startedAt'>): CtrfTest[] {
  return cases.map(each => testOf(each, Date.parse(startedAt) || 0))
}

function summaryOf(tests: readonly CtrfTest[], start: number, stop: number) {
  const all: TestStatus[] = ['passed', 'failed', 'skipped', 'pending', 'other']
  const counts = all.map(status => [status, tests.filter(test => test.status === status).length] as const)
  return {
    tests: tests.length,
    ...Object.fromEntries(counts),
    start,
    stop,
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
  return ctrfDocument(result, ctrfTests(casesOf(result), result), reason, { environment }, { dialect, facts })
}

/** What a run and a fleet have in common. */
type Judged = Pick<RunResult, 'suite' | 'verdict' | 'reason' | 'startedAt' | 'durationMs' | 'notices'>

/**
 * Renders a report of tests that {@link ctrfTests} makes, of a run or of a fleet.
 * @param why what is said of the verdict
 */
export function ctrfDocument(
  { suite, verdict, startedAt, durationMs, notices }: Judged,
  tests: readonly CtrfTest[],
  why: object,
  environment: object = {},
  extra: object = {},
): string {
  const startMs = Date.parse(startedAt) || 0
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
