import { diffConfig } from '../config/diff.js'
import type { Settings } from '../config/settings.js'
import { diffOf, exitCodeOf, type Source } from '../diff/diff.js'
import { writeDiffReports } from '../report/diff.js'
import { inert } from '../report/inert.js'
import { readResult } from '../report/read.js'
import type { Terminal } from '../terminal.js'

/**
 * `core-conformance diff`: says what changed between runs, and what it means for clients.
 * @returns the exit code: 1 when something breaks clients, 3 when nothing could be compared
 * @throws ConfigError, ResultFileError, or Error when a report cannot be written
 */
export async function diff(settings: Settings, { stdout, color }: Terminal): Promise<number> {
  const { files, outDir, reporters } = diffConfig(settings)
  const sources: Source[] = []
  for (const file of files) sources.push({ file, result: await readResult(file) })
  const found = diffOf(sources)
  const hasConsole = reporters.includes('console')
  if (hasConsole) {
    const { renderDiffConsole } = await import('../report/diff-console.js')
    stdout.write(renderDiffConsole(found, { columns: stdout.columns ?? 80, color }))
  }
  const written = await writeDiffReports(found, { outDir, reporters })
  if (hasConsole && written.length) stdout.write(`Reports: ${written.map(inert).join(', ')}\n`)
  return exitCodeOf(found)
}
