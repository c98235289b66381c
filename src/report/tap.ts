/** Renders the TAP report (Test Anything Protocol, version 14), for pipes. */

import { stringify } from 'yaml'
import { accused } from '../result/accused.js'
import type { RunResult } from '../result.js'
import { type Case, casesOf, whole } from './cases.js'
import { clip, inert, oneLine } from './inert.js'
import { propertiesOf } from './properties.js'
import { place } from './words.js'

/** Longest description, in characters. */
const LENGTH = 500

/** Escapes a text for a test line: one line, in which no `#` begins a directive. */
function description(text: string): string {
  return oneLine(text, LENGTH).replaceAll('\\', '\\\\').replaceAll('#', '\\#')
}

function testOf({ name, id, kind, outcome, summary, body, durationMs, spec }: Case, at: number): string {
  const isSkipped = kind === 'skipped'
  const reason = isSkipped && outcome !== 'skipped' ? `${outcome}: ${summary}` : summary
  const directive = isSkipped ? ` # SKIP ${description(reason)}` : ''
  const isOk = kind === 'passed' || isSkipped
  const first = `${isOk ? 'ok' : 'not ok'} ${at + 1} - ${description(name) || description(id) || 'unnamed'}${directive}\n`
  if (outcome === 'passed' || isSkipped) return first
  const about = spec && {
    id,
    requirements: (outcome === 'failed' ? accused(spec) : spec.requirements).map(each => inert(each.id)),
    at: inert(place(spec)),
    duration_ms: whole(durationMs),
  }
  const told = { outcome, message: summary, ...about, evidence: body }
  // Literal blocks are indented more than the end mark of the diagnostics, so no line of a text can look like that mark.
  const yaml = stringify(told, { lineWidth: 0, blockQuote: 'literal' }).trimEnd().split('\n')
  return first + ['---', ...yaml, '...'].map(line => `  ${line}\n`).join('')
}

/**
 * Renders the run result as TAP 14, with one test point for each spec. `observed` is ok, with what was seen. `blocked` and
 * `inconclusive` are not ok. `skipped` and `pending` are skips. Comments describe the Core and the configuration. A verdict
 * that no spec shows gets a test point of its own.
 */
export function renderTap(result: RunResult): string {
  const points = casesOf(result).map(testOf)
  const comments = propertiesOf(result).map(([name, value]) => `# ${name}: ${clip(value, LENGTH)}\n`)
  return `TAP version 14\n1..${points.length}\n${comments.join('')}${points.join('')}`
}
