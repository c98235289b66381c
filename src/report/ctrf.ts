/** The CTRF report (Common Test Report Format, JSON), built and checked by its reference library. */
import { type CTRFReport, ReportBuilder, stringify, TestBuilder, type TestStatus, validateStrict } from 'ctrf'
import type { Outcome, RunResult, SpecRecord, StepRecord } from '../result.js'
import { type Cause, sameCause } from './causes.js'
import { clip, inert, inertLines } from './inert.js'
import { runBody, runSummary, specBody, specSummary } from './junit-text.js'
import { propertiesOf } from './properties.js'
import { needsRunCase, RUN_CASE } from './run-case.js'

const STATUS: Record<Outcome, TestStatus> = {
  passed: 'passed',
  // It never fails, and what was seen stands in its output.
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

/** Of any one text. */
const LENGTH = 2000

function line(text: string): string {
  return inert(clip(text, LENGTH))
}

/** Whole milliseconds that JSON and the schema take, whatever a clock said. */
function whole(ms: number): number {
  return Number.isFinite(ms) ? Math.max(0, Math.round(ms)) : 0
}

function testOf(spec: SpecRecord, startMs: number, cause: Cause | undefined) {
  const { id, title, area, outcome, level, requirements } = spec
  const from = startMs + whole(spec.atMs)
  const test = new TestBuilder({ autoGenerateId: false })
    .testId(line(id) || 'unnamed')
    .name(line(title) || line(id) || 'unnamed')
    .status(STATUS[outcome])
    .rawStatus(outcome)
    .duration(whole(spec.durationMs))
    .start(from)
    .stop(from + whole(spec.durationMs))
    .suite([line(area) || 'specs'])
    .filePath(line(spec.file) || 'unknown')
    .tags([level, ...requirements.map(requirement => line(requirement.id)).filter(Boolean)])
    .type('conformance')
  if (Number.isInteger(spec.line) && spec.line > 0) test.line(spec.line)
  if (outcome !== 'passed') test.message(specSummary(spec))
  if (outcome === 'observed') test.stdout(inertLines(specBody(spec)).split('\n'))
  else if (outcome !== 'passed') test.trace(inertLines(specBody(spec, cause)))
  for (const step of spec.steps) test.addStep({ name: line(step.text) || 'step', status: STEP_STATUS[step.outcome] })
  return test.build()
}

/** The run as a test, for when no spec says what its verdict says. */
function runTest(result: RunResult) {
  return new TestBuilder({ autoGenerateId: false })
    .testId('run')
    .name(RUN_CASE)
    .status('other')
    .rawStatus(result.verdict)
    .duration(whole(result.durationMs))
    .suite(['run'])
    .message(runSummary(result))
    .trace(inertLines(runBody(result)))
    .build()
}

/** Every run of the same result gives the same report, so nothing in it is made up: no random ids, and no time of writing. */
function reportOf(result: RunResult): CTRFReport {
  const parsed = Date.parse(result.startedAt)
  const startMs = Number.isNaN(parsed) ? 0 : parsed
  const { target, suite, verdict, reason, dialect, facts, counts, notices } = result
  const causes = sameCause(result)
  const built = new ReportBuilder({ autoGenerateId: false, autoTimestamp: false })
    .timestamp(new Date(startMs + whole(result.durationMs)).toISOString())
    .generatedBy(suite.name)
    .tool({ name: suite.name, version: suite.version, extra: { specsDigest: suite.specsDigest } })
    .environment({
      // By its label reports of one Core belong together, whatever its address.
      appName: line(target.label ?? target.url),
      ...(target.firmware !== undefined && { appVersion: line(target.firmware) }),
      testEnvironment: target.kind,
      extra: Object.fromEntries(propertiesOf(result)),
    })
    .addTests([
      ...result.specs.map(spec => testOf(spec, startMs, causes.get(spec))),
      ...(needsRunCase(result) ? [runTest(result)] : []),
    ])
    .summaryOverrides({
      start: startMs,
      stop: startMs + whole(result.durationMs),
      extra: { verdict, reason: line(reason), outcomes: { ...counts } },
    })
    .extra({ dialect, facts, notices: notices.map(line) })
    .build()
  return built
}

/**
 * The run result as CTRF JSON: 2 spaces, a line feed at the end. `observed` passes, `blocked` and `inconclusive` are `other`;
 * `rawStatus` is the outcome.
 * @throws ValidationError of the library when it would be no CTRF, which is a fault of this program
 */
export function renderCtrf(result: RunResult): string {
  // Through JSON, in which an unset value is none.
  const report: unknown = JSON.parse(stringify(reportOf(result)))
  validateStrict(report)
  return `${JSON.stringify(report, null, 2)}\n`
}
