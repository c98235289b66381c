import type { Settings } from '../../config/settings.js'
import { diffOf, exitCodeOf, type Source } from '../../diff/diff.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { unobeyed } from '../../report/fence.js'
import { isFleetFile } from '../../report/fleet/read.js'
import { onTerminal, writeReports } from '../../report/index.js'
import { readResult } from '../../report/read.js'
import { writtenText } from '../../report/written.js'
import type { Terminal } from '../../terminal.js'
import { type DiffConfig, diffConfig } from './config.js'

/**
 * `core-conformance diff`: says what changed between runs, or between fleets, and what it means for clients.
 * @returns the exit code: 1 if a change breaks clients, 3 if something could not be compared, else 0
 * @throws ConfigError or ResultFileError for a file that cannot be compared; Error if a report cannot be written
 */
export async function diff(settings: Settings, terminal: Terminal): Promise<number> {
  const config = diffConfig(settings)
  const { files, outDir, quiet } = config
  if (files.some(isFleetFile)) {
    const { diffFleets } = await import('./fleets.js')
    return diffFleets(files, config, settings, terminal)
  }
  const reporters = reportersOf(config)
  const { stdout, color } = terminal
  const found = diffOf(await sourcesOf(files))
  const forPeople = onTerminal(reporters)
  if (forPeople) {
    const text = await forPeople.render(found, { columns: stdout.columns ?? 80, color, quiet })
    stdout.write(unobeyed(text, settings.github() !== undefined))
  }
  const { paths, problems } = await writeReports(found, { outDir, reporters })
  if (problems.length) throw new Error(problems.join('\n'))
  if (forPeople && !quiet && paths.length) stdout.write(writtenText(paths, stdout.columns))
  return exitCodeOf(found)
}

function reportersOf({ reporters }: DiffConfig) {
  return DIFF_REPORTERS.filter(({ name }) => reporters.includes(name))
}

/** Reads the results. Reads a file that is named twice only once. */
async function sourcesOf(files: readonly string[]): Promise<Source[]> {
  const read = new Map<string, Source['result']>()
  const sources: Source[] = []
  for (const file of files) {
    const result = read.get(file) ?? (await readResult(file))
    read.set(file, result)
    sources.push({ file, result })
  }
  return sources
}
