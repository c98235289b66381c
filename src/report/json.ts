/** The result file. */
import type { RunResult } from '../result.js'

/** The run result as JSON, in the order of its type: 2 spaces, a line feed at the end. */
export function renderJson(result: RunResult): string {
  return `${JSON.stringify(result, null, 2)}\n`
}
