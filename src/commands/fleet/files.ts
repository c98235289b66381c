/** Writes the files of a fleet: before the first request what `resume` needs, and the reports at its end. */

import { existsSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sinceOf } from '../../fleet/since.js'
import { FLEET_FILE, type Fleet, type FleetCore, OPEN_FLEET_FILE } from '../../fleet/types.js'
import type { FleetSource } from '../../report/fleet/blocks.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { inert } from '../../report/inert.js'
import { readFleet, readResult } from '../../report/read.js'
import { type GithubActions, onTerminal } from '../../report/reporter.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { SCRIPTS_FOLDER } from '../../report/scripts.js'
import { explained, writeWhole } from '../../report/write.js'
import { VERDICTS } from '../../result/outcomes.js'
import type { RunResult } from '../../result.js'
import type { Terminal } from '../../terminal.js'
import { earlierIn, removeJournal } from '../shared/folder.js'
import { publish } from '../shared/publish.js'

/**
 * Writes what `resume` needs of a fleet that begins. The file of an earlier fleet stays until this one has an end.
 * @param fleet the state before the first request, which says no more than was tested
 */
export async function writeOpenFleet(outDir: string, fleet: Fleet, earlier: Earlier | undefined): Promise<void> {
  const notices = ['the fleet has not ended, and nothing is compared yet']
  const nothing = { compared: 0, notices, changes: [] }
  const since = earlier && { file: earlier.file, startedAt: earlier.fleet.startedAt, ...nothing }
  const open = `${JSON.stringify({ ...fleet, since }, null, 2)}\n`
  await writeWhole(join(outDir, OPEN_FLEET_FILE), open, '--out')
  // The journal of an earlier run of one Core would be taken for what is to be resumed.
  removeJournal(outDir)
}

export interface FleetShowing {
  outDir: string
  /** The fleet that it is compared with. */
  earlier: Earlier | undefined
  /** The command that finishes the fleet. */
  resumeCommand: string
  github: GithubActions | undefined
  quiet: boolean
  /** Files and folders that its Cores read: its reports replace nothing in them. */
  inputs: readonly string[]
  /** Files of the Cores that could not be written, in sentences. */
  problems?: readonly string[]
  /** Whether the command that finishes the fleet writes what could not be written. */
  canResume?: boolean
}

/**
 * Shows a fleet, and writes its reports.
 * @returns the exit code of the verdict; 3 instead of 0 if a report could not be written
 */
export async function publishFleet(made: Fleet, showing: FleetShowing, terminal: Terminal): Promise<number> {
  const { outDir, github, quiet, inputs, earlier } = showing
  const fleet = earlier ? { ...made, since: sinceOf(earlier.fleet, made, earlier.file) } : made
  const { stderr } = terminal
  const source: FleetSource = { fleet, resultOf: core => resultOf(outDir, core), resumeCommand: showing.resumeCommand }
  // Always write the fleet file: `report` and `resume` read it.
  const reporters = FLEET_REPORTERS.filter(({ name, file }) => fleet.reports.includes(name) || file === FLEET_FILE)
  if (!onTerminal(reporters)) stderr.write(`core-conformance: ${fleet.verdict}: ${inert(fleet.reason)}\n`)
  const names = fleet.cores.map(({ name }) => name)
  const replaces = earlierIn(outDir, inputs, names)
  const beyond = (paths: readonly string[]) => {
    const failing = fleet.cores.filter(({ verdict }) => verdict === 'nonconformant')
    const scripts = failing.some(({ name }) => existsSync(join(outDir, name, SCRIPTS_FOLDER)))
    const ofCores = [join('*', 'report.html'), ...(scripts ? [join('*', SCRIPTS_FOLDER, '*.sh')] : [])]
    return paths.length ? ofCores.map(file => join(outDir, file)) : []
  }
  const how = { outDir, reporters, replaces, github, quiet, beyond }
  const { paths, problems } = await publish(source, how, terminal)
  if (paths.includes(join(outDir, FLEET_FILE))) rmSync(join(outDir, OPEN_FLEET_FILE), { force: true })
  const all = [...(showing.problems ?? []), ...problems]
  if (all.length && showing.canResume) all.push(`Once that is fixed, ${showing.resumeCommand} writes what is missing.`)
  stderr.write(all.map(line => `core-conformance: ${inert(line)}\n`).join(''))
  const code = VERDICTS[fleet.verdict].exitCode
  return code || (all.length ? VERDICTS.incomplete.exitCode : 0)
}

/** Reads the result of a Core of the fleet in a folder; undefined if the Core has no result. */
export async function resultOf(outDir: string, { name, hasResult }: FleetCore): Promise<RunResult | undefined> {
  if (!hasResult) return undefined
  const out = join(outDir, name)
  return { ...(await readResult(join(out, RESULT_FILE))), out }
}

/** The file of the copy, in the folder of the fleet. */
const EARLIER_FILE = 'earlier-fleet.json'

export interface Earlier {
  /** The path, as the user wrote it. */
  file: string
  fleet: Fleet
}

/**
 * Reads an earlier fleet.
 * @param file undefined: compare with nothing
 */
export async function earlierFleet(file: string | undefined): Promise<Earlier | undefined> {
  return file === undefined ? undefined : { file, fleet: await readFleet(file) }
}

/** Returns the earlier fleet that an unfinished fleet was begun with; undefined if there was none or its copy is gone. */
export async function keptEarlier(outDir: string, { since }: Fleet): Promise<Earlier | undefined> {
  const copy = join(outDir, EARLIER_FILE)
  if (!since || !existsSync(copy)) return undefined
  return { file: since.file, fleet: await readFleet(copy) }
}

/** Writes a copy of the earlier fleet. Without an earlier fleet, removes an old copy. */
export async function keepEarlier(outDir: string, earlier: Earlier | undefined): Promise<void> {
  const copy = join(outDir, EARLIER_FILE)
  if (earlier) return writeWhole(copy, `${JSON.stringify(earlier.fleet)}\n`, '--out')
  await rm(copy, { force: true }).catch(cause => {
    throw explained('Cannot replace', copy, cause, '--out')
  })
}
