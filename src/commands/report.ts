import { reportConfig } from '../config/report.js'
import type { Settings } from '../config/settings.js'
import { renderConsole, writeReports } from '../report/index.js'
import { inert } from '../report/inert.js'
import { readResult } from '../report/read.js'
import type { Terminal } from '../terminal.js'

/**
 * `core-conformance report`: makes reports of a result file, as the run would have made them.
 * @returns the exit code: 0, whatever the verdict, since the reports were made
 * @throws ConfigError, ResultFileError, or Error when a report cannot be written
 */
export async function report(settings: Settings, { stdout, color }: Terminal): Promise<number> {
  const { from, outDir, reporters, quiet } = reportConfig(settings)
  const result = await readResult(from)
  const written = await writeReports(result, { outDir, reporters })
  if (reporters.includes('console')) {
    stdout.write(renderConsole(result, { columns: stdout.columns ?? 80, color, quiet }))
    if (quiet) return 0
  }
  if (written.length > 0) stdout.write(`Reports: ${inert(written.join(', '))}\n`)
  return 0
}
