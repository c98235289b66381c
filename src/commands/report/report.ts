import { dirname } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { unobeyed } from '../../report/fence.js'
import { isFleetFile } from '../../report/fleet/read.js'
import { filesBeside, onPipe, onTerminal, writeReports } from '../../report/index.js'
import { readResult } from '../../report/read.js'
import { writtenText } from '../../report/written.js'
import type { Terminal } from '../../terminal.js'
import { reportersNamed } from '../shared/reporters.js'
import { reportConfig } from './config.js'
import { judgedAnew } from './judge-anew.js'

/** Exit code if a report could not be written. */
const EXIT_UNWRITTEN = 3

/**
 * `core-conformance report`: makes reports from a result file or a fleet file. They equal those of the run, but where this version
 * judges a history that the result keeps otherwise.
 * @returns the exit code: 0 if the reports were made, for every verdict; else 3
 * @throws ConfigError for a reporter that cannot be used; ResultFileError for a file that cannot be used
 */
export async function report(settings: Settings, terminal: Terminal): Promise<number> {
  const all = reportConfig(settings)
  if (isFleetFile(all.from)) {
    const { reportFleet } = await import('./fleet.js')
    return reportFleet(all, terminal)
  }
  const { stdout, stderr, color } = terminal
  const { from, outDir, github, quiet, verbose, ...config } = all
  // The scripts and findings of the run are beside its result, wherever that was moved.
  const result = judgedAnew({ ...(await readResult(from)), out: dirname(from) })
  const reporters = await reportersNamed(config.reporters, terminal)
  const forPeople = onTerminal(reporters)
  const piped: string[] = []
  // A report that goes to stdout must not be mixed with other text.
  const told = onPipe(reporters) ? stderr : stdout
  const { paths, problems } = await writeReports(result, {
    outDir,
    reporters,
    beside: filesBeside(result, forPeople !== undefined),
    pipe: text => piped.push(text),
    ...(github && { github: { ...github, command: (text: string) => told.write(text) } }),
  })
  if (forPeople) {
    const text = await forPeople.render(result, {
      columns: stdout.columns ?? Number.POSITIVE_INFINITY,
      color,
      quiet,
      verbose,
    })
    stdout.write(unobeyed(text, github !== undefined))
  }
  for (const text of piped) stdout.write(text)
  if (paths.length > 0 && !(forPeople && quiet)) told.write(writtenText(paths, told.columns))
  for (const problem of problems) stderr.write(`core-conformance: ${problem}\n`)
  return problems.length > 0 ? EXIT_UNWRITTEN : 0
}
