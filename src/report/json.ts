import { randomUUID } from 'node:crypto'
import { packed } from '../ground/shared-values.js'
import type { RunResult } from '../result.js'

/**
 * Renders the run result as JSON, in the order of its type, with 2 spaces of indentation and a line feed at the end. Each exchange,
 * each step and each value that exchanges share stands on a line of its own: that halves the file, and a search finds the whole of it.
 */
export function renderJson(result: RunResult): string {
  const lines: string[] = []
  // No text of a Core can be this one.
  const mark = randomUUID()
  const file = packed(result)
  const onLine = new Set(file.shared as unknown[])
  const indented = JSON.stringify(
    file,
    (key, value) =>
      key !== '' && (isLine(value) || onLine.has(value)) ? `${mark}${lines.push(JSON.stringify(value)) - 1}` : value,
    2,
  )
  return `${indented.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => lines[at] ?? '')}\n`
}

/** Whether a value is an exchange, a step, or an event of a plan. */
function isLine(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'atMs' in value ? 'request' in value || 'kind' in value : 'kind' in value && 'outcome' in value
}
