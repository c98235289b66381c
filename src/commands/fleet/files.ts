/** Prepares the files of a fleet before the first request, and writes them at its end. */

import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigError } from '../../config/error.js'
import { fleetExitCode } from '../../fleet/fleet.js'
import { FLEET_FILE, type Fleet, type FleetCore } from '../../fleet/types.js'
import { resumeCommand } from '../../ground/own-command.js'
import { fence } from '../../report/fence.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import type { FleetSource } from '../../report/fleet/source.js'
import { filesOf, type GithubActions, onTerminal, REPORTERS, RESULT_FILE, writeReports } from '../../report/index.js'
import { inert } from '../../report/inert.js'
import { readResult } from '../../report/read.js'
import { removeScripts, SCRIPTS_FOLDER } from '../../report/scripts.js'
import { explained, writeWhole } from '../../report/write.js'
import { writtenText } from '../../report/written.js'
import type { RunResult } from '../../result.js'
import type { Terminal } from '../../terminal.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { coresIn, prepareFolder } from '../shared/folder.js'

/**
 * Prepares the output folder of a fleet: checks that the fleet can write to it. Removes the reports of an earlier fleet, also
 * those of Cores that are not in this fleet: CI must not publish them as new.
 * @param names the Cores of this fleet
 * @throws ConfigError if the folder cannot be used, or if a journal in it names tokens that are still live on a Core
 */
export async function prepareFleetFolder(outDir: string, names: readonly string[]): Promise<void> {
  const before = coresIn(outDir)
  await prepareFolder(outDir, [...REPORTERS, ...FLEET_REPORTERS])
  for (const name of before.filter(name => !names.includes(name))) {
    await removeScripts(join(outDir, name))
    for (const file of filesOf(REPORTERS).map(each => join(outDir, name, each))) {
      await rm(file, { force: true }).catch(cause => {
        throw new ConfigError(explained('Cannot replace', file, cause, '--out').message)
      })
    }
  }
}

/** Writes the fleet file with the present state: if the process is killed, the file says no more than was tested. */
export function writeFleetFile(outDir: string, fleet: Fleet): Promise<void> {
  return writeWhole(join(outDir, FLEET_FILE), `${JSON.stringify(fleet, null, 2)}\n`, '--out')
}

/**
 * Returns whether the console shows the progress of a fleet.
 * @param names the reports of the fleet
 */
export function isTold(names: readonly string[], { quiet }: { quiet: boolean }): boolean {
  return !quiet && onTerminal(FLEET_REPORTERS.filter(({ name }) => names.includes(name))) !== undefined
}

/** Settings for showing a fleet and writing its reports. */
export interface FleetShowing {
  outDir: string
  github: GithubActions | undefined
  quiet: boolean
  /** Files of the Cores that could not be written, in sentences. */
  problems?: readonly string[]
}

/**
 * Shows a fleet, and writes its reports.
 * @returns the exit code of the verdict; 3 instead of 0 if a report could not be written
 */
export async function publishFleet(fleet: Fleet, showing: FleetShowing, terminal: Terminal): Promise<number> {
  const { outDir, github, quiet } = showing
  const { stdout, stderr, color } = terminal
  const source: FleetSource = { fleet, resultOf: core => resultOf(outDir, core), resumeCommand: resumeCommand(outDir) }
  // Always write the fleet file: `report` and `resume` read it.
  const reporters = FLEET_REPORTERS.filter(({ name, file }) => fleet.reports.includes(name) || file === FLEET_FILE)
  const forPeople = onTerminal(reporters)
  if (forPeople) {
    const around = github ? fence() : { open: '', close: '' }
    const text = await forPeople.render(source, { columns: stdout.columns ?? 80, color, quiet })
    stdout.write(`${around.open}${text}${around.close}`)
  } else stderr.write(`core-conformance: ${fleet.verdict}: ${inert(fleet.reason)}\n`)
  const { paths, problems } = await writeReports(source, {
    outDir,
    reporters,
    ...(github && { github: { ...github, command: (text: string) => stdout.write(text) } }),
  })
  if (forPeople && !quiet && paths.length) {
    const scripts = fleet.cores.some(
      ({ name, verdict }) => verdict === 'nonconformant' && existsSync(join(outDir, name, SCRIPTS_FOLDER)),
    )
    const ofCores = [join('*', 'report.html'), ...(scripts ? [join('*', SCRIPTS_FOLDER, '*.sh')] : [])]
    stdout.write(writtenText([...paths, ...ofCores.map(file => join(outDir, file))], stdout.columns))
  }
  const all = [...(showing.problems ?? []), ...problems]
  stderr.write(all.map(line => `core-conformance: ${inert(line)}\n`).join(''))
  const code = fleetExitCode(fleet)
  return code || (all.length ? EXIT_CODES.incomplete : 0)
}

/** Reads the result of a Core of the fleet in a folder; undefined if the Core has no result. */
export async function resultOf(
  outDir: string,
  { name, hasResult }: Pick<FleetCore, 'name' | 'hasResult'>,
): Promise<RunResult | undefined> {
  if (!hasResult) return undefined
  const out = join(outDir, name)
  return { ...(await readResult(join(out, RESULT_FILE))), out }
}
