/** Runs the Cores of a fleet that are to be run or finished, and writes its files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { type CoreHead, configurationOf } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import type { Fleet, FleetCore } from '../../fleet/types.js'
import { resumeCommand } from '../../ground/own-command.js'
import { JOURNAL_FILE, type RunLine } from '../../journal/line.js'
import { createBoard } from '../../report/fleet/board.js'
import type { Terminal } from '../../terminal.js'
import type { Shown } from '../one-core/config.js'
import type { Opened } from '../one-core/take-up.js'
import { type Earlier, keepEarlier, publishFleet } from './files.js'
import type { CoreTask } from './share.js'
import { runCores } from './shares.js'

/** Returns what a process needs to run a Core whose journal exists. */
export function taskOf(
  { name, labels }: Pick<CoreHead, 'name' | 'labels'>,
  { target, configuration }: RunLine,
  { outDir, told, seal, password, controlKey }: Omit<Opened, 'open'>,
): CoreTask {
  const { url, label, firmware } = target
  const head = { name, url, label, firmware, labels, configuration: configurationOf(configuration) }
  return { head, outDir, keys: seal.keys, reporters: told.reporters, password, controlKey }
}

/** Returns the command that finishes a fleet. */
export function resumeFleetCommand(outDir: string, settings: Settings): string {
  return resumeCommand(outDir, settings.given('config', 'flag')?.text)
}

/** A fleet whose Cores are to be run. */
interface Unfinished {
  /** What its file says so far: the Cores that have ended already, and the reports to write. */
  fleet: Fleet
  /** The other Cores: the journal of each exists. */
  tasks: readonly CoreTask[]
  /** Files and folders that they read: the reports of the fleet replace nothing in them. */
  inputs: readonly string[]
  earlier: Earlier | undefined
  /** The command that finishes it. */
  toResume: string
}

/**
 * Runs Cores, and writes the files of their fleet.
 * @returns the exit code: 1 if one is nonconformant, else 3 if one could not be tested to the end, else 0
 */
export async function finishFleet(
  { fleet, tasks, inputs, earlier, toResume: resumeCommand }: Unfinished,
  { outDir, atATime, quiet, detach, github }: Shown & { outDir: string; atATime: number },
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const names = tasks.map(({ head }) => head.name)
  const board = !quiet && names.length ? createBoard(names, terminal.stderr, terminal.progress) : undefined
  try {
    const { problems, ...end } = await runCores(tasks, { atATime, detach, resumeCommand, board, signal, terminal })
    board?.stop()
    const cores = [...fleet.cores, ...end.cores]
    const requirements = fleet.requirements.length ? fleet.requirements : end.requirements
    const durationMs = durationOf(fleet, cores, names.length > 0)
    const showing = { outDir, earlier, resumeCommand, canResume: true, github, quiet, problems, inputs }
    const code = await publishFleet(fleetOf({ ...fleet, cores, durationMs, requirements }), showing, terminal)
    // `resume` compares with the copy of the earlier fleet.
    const isOpen = cores.some(({ name }) => existsSync(join(outDir, name, JOURNAL_FILE)))
    if (!isOpen) await keepEarlier(outDir, undefined)
    return code
  } finally {
    board?.stop()
  }
}

/**
 * Returns the duration of a fleet, in milliseconds: until now if a Core was left to finish, else until the end of the last
 * Core.
 */
function durationOf(fleet: Fleet, cores: readonly FleetCore[], isGoingOn: boolean): number {
  const startMs = Date.parse(fleet.startedAt)
  if (isGoingOn) return Math.max(0, Date.now() - startMs)
  const ends = cores.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs - startMs)
  return Math.max(fleet.durationMs, 0, ...ends)
}
