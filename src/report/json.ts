/** Renders the result file. */
import type { RunResult } from '../result.js'

/** Renders the run result as JSON, in the order of its type, with 2 spaces of indentation and a line feed at the end. */
export function renderJson(result: RunResult): string {
  return `${JSON.stringify(result, null, 2)}\n`
}
