/** Says which files were written. */
import { inert } from './inert.js'
import { wrap } from './wrap.js'

/**
 * Returns the last lines of a command: `Reports: reports/junit.xml, reports/report.html`, with a line feed.
 * @param columns those of the terminal, which would break a path in the middle; absent: no terminal, so one line for programs
 */
export function writtenText(paths: readonly string[], columns?: number): string {
  const line = `Reports: ${paths.map(inert).join(', ')}`
  const lines = columns === undefined || columns < 20 ? [line] : wrap(line, columns - 1)
  return lines.map(each => `${each}\n`).join('')
}
