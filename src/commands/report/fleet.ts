/** `core-conformance report` of a fleet. */
import { dirname, join } from 'node:path'
import { unobeyed } from '../../report/fence.js'
import { readFleet } from '../../report/fleet/read.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import type { FleetSource } from '../../report/fleet/source.js'
import { onTerminal, writeBeside, writeReports } from '../../report/index.js'
import { inert } from '../../report/inert.js'
import { ResultFileError } from '../../report/read.js'
import type { Terminal } from '../../terminal.js'
import { reportersOfCore } from '../fleet/config.js'
import { fleetResumeCommand, resultOf } from '../fleet/files.js'
import { reportersNamed } from '../shared/reporters.js'
import type { ReportConfig } from './config.js'

/** A report is missing that was asked for. */
const EXIT_UNWRITTEN = 3

/**
 * Makes reports of the file of a fleet and of the results of its Cores beside it, as the run of the fleet would have made them.
 * @returns the exit code: 0, whatever the verdict, when the reports were made; else 3
 * @throws ConfigError or ResultFileError
 */
export async function reportFleet(config: ReportConfig, terminal: Terminal): Promise<number> {
  const { stdout, stderr, color } = terminal
  const { from, outDir, github, quiet, reporters: names } = config
  const fleet = await readFleet(from)
  const folder = dirname(from)
  const source: FleetSource = {
    fleet,
    resultOf: core => resultOf(folder, core),
    resumeCommand: fleetResumeCommand(folder),
  }
  // The result of a Core is made again only where it is asked for; what a fleet has not, each Core has.
  const ofCores = reportersOfCore(names).filter(name => names.includes(name))
  const coreReporters = await reportersNamed(ofCores, terminal)
  const reporters = FLEET_REPORTERS.filter(({ name }) => names.includes(name))
  const forPeople = onTerminal(reporters)
  const problems: string[] = []
  for (const core of fleet.cores) {
    try {
      const result = await source.resultOf(core)
      if (!result) continue
      const own = join(outDir, core.name)
      problems.push(...(await writeReports(result, { outDir: own, reporters: coreReporters })).problems)
      // As `report` of one Core does.
      await writeBeside(result, own, forPeople !== undefined)
    } catch (error) {
      // One Core never keeps the others from being told.
      if (!(error instanceof ResultFileError)) throw error
      problems.push(`${core.name}: ${error.message}`)
    }
  }
  const { paths, problems: ofFleet } = await writeReports(source, {
    outDir,
    reporters,
    ...(github && { github: { ...github, command: (text: string) => stdout.write(text) } }),
  })
  if (forPeople) {
    const text = await forPeople.render(source, { columns: stdout.columns ?? 80, color, quiet })
    stdout.write(unobeyed(text, github !== undefined))
  }
  const written = [...paths, ...coreReporters.flatMap(({ file }) => (file ? [join(outDir, '*', file)] : []))]
  if (written.length > 0 && !(forPeople && quiet)) stdout.write(`Reports: ${inert(written.join(', '))}\n`)
  const all = [...new Set([...problems, ...ofFleet])]
  for (const problem of all) stderr.write(`core-conformance: ${inert(problem)}\n`)
  return all.length > 0 ? EXIT_UNWRITTEN : 0
}
