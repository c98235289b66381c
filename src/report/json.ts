/** Renders the result file. */
import { randomUUID } from 'node:crypto'
import type { RunResult } from '../result.js'

/**
 * Renders the run result as JSON, in the order of its type, with 2 spaces of indentation and a line feed at the end. Each exchange
 * stands on a line of its own: that halves the file, and a search for a path or a status finds the whole of it.
 */
export function renderJson(result: RunResult): string {
  const lines: string[] = []
  // No text of a Core can be this one.
  const mark = randomUUID()
  const indented = JSON.stringify(
    result,
    (_key, value) => (isExchange(value) ? `${mark}${lines.push(JSON.stringify(value)) - 1}` : value),
    2,
  )
  return `${indented.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at) => lines[at] ?? '')}\n`
}

function isExchange(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'request' in value && 'atMs' in value
}
