/** Renders the TAP report (Test Anything Protocol, version 14), for pipes. */

import { stringify } from 'yaml'
import { accused } from '../result/accused.js'
import { outcomeWord } from '../result/outcomes.js'
import type { RunResult, SpecRecord } from '../result.js'
import { type Cause, sameCause } from './causes.js'
import { clip, inert, inertLines } from './inert.js'
import { KINDS, needsRunCase, RUN_CASE, runBody, runSummary, specBody, specSummary } from './junit-text.js'
import { propertiesOf } from './properties.js'
import { place } from './words.js'

/** Longest description, in characters. */
const LENGTH = 500

/** Escapes a text for a test line: one line, in which no `#` begins a directive. */
function description(text: string): string {
  return inert(clip(text.replace(/\s+/g, ' ').trim(), LENGTH))
    .replaceAll('\\', '\\\\')
    .replaceAll('#', '\\#')
}

/** Makes a YAML diagnostic block, indented below its test line. */
function diagnostics(values: Record<string, unknown>): string {
  // Literal blocks are indented more than the end mark of the diagnostics, so no line of a text can look like that mark.
  const yaml = stringify(values, { lineWidth: 0, blockQuote: 'literal' }).trimEnd().split('\n')
  return ['---', ...yaml, '...'].map(line => `  ${line}\n`).join('')
}

function specTest(spec: SpecRecord, number: number, cause: Cause | undefined, result: RunResult): string {
  const { outcome } = spec
  const kind = KINDS[outcome]
  const text = description(spec.title) || description(spec.id) || 'unnamed'
  const reason = outcome === 'skipped' ? specSummary(spec) : `${outcomeWord(outcome)}: ${specSummary(spec)}`
  const directive = kind === 'skipped' ? ` # SKIP ${description(reason)}` : ''
  const first = `${kind === 'failure' || kind === 'error' ? 'not ok' : 'ok'} ${number} - ${text}${directive}\n`
  if (outcome === 'passed' || kind === 'skipped') return first
  return (
    first +
    diagnostics({
      outcome,
      message: specSummary(spec),
      id: inert(spec.id),
      requirements: (outcome === 'failed' ? accused(spec) : spec.requirements).map(({ id }) => inert(id)),
      at: inert(place(spec)),
      duration_ms: Number.isFinite(spec.durationMs) ? Math.max(0, Math.round(spec.durationMs)) : 0,
      evidence: inertLines(specBody(spec, cause, result)),
    })
  )
}

/**
 * Renders the run result as TAP 14, with one test point for each spec. `observed` is ok, with what was seen. `blocked` and
 * `inconclusive` are not ok. `skipped` and `pending` are skips. Comments describe the Core and the configuration. A verdict
 * that no spec shows gets a test point of its own.
 */
export function renderTap(result: RunResult): string {
  const causes = sameCause(result)
  const points = result.specs.map((spec, index) => specTest(spec, index + 1, causes.get(spec), result))
  if (needsRunCase(result)) {
    const details = { outcome: result.verdict, message: runSummary(result), evidence: inertLines(runBody(result)) }
    points.push(`not ok ${points.length + 1} - ${RUN_CASE}\n${diagnostics(details)}`)
  }
  const comments = propertiesOf(result).map(([name, value]) => `# ${name}: ${clip(value, LENGTH)}\n`)
  return `TAP version 14\n1..${points.length}\n${comments.join('')}${points.join('')}`
}
