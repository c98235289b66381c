/** Runs the Cores of a fleet that are to be run or finished, and writes its files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { configurationOf } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import type { Fleet, FleetCore, Labels } from '../../fleet/types.js'
import { JOURNAL_FILE, type RunLine } from '../../journal/line.js'
import { createBoard } from '../../report/fleet/board.js'
import type { Terminal } from '../../terminal.js'
import type { Prepared } from '../one-core/run.js'
import type { Unlocked } from '../one-core/take-up.js'
import { type FleetShowing, keepEarlier, publishFleet } from './files.js'
import type { CoreTask } from './share.js'
import { runCores } from './shares.js'

/** Returns what a process needs to run a Core whose journal exists. */
export function taskOf(
  { name, labels }: { name: string; labels?: Labels },
  { target, configuration }: RunLine,
  { outDir, told, seal, password, controlKey }: Prepared & Unlocked,
): CoreTask {
  const { url, label, firmware } = target
  const head = { name, url, label, firmware, labels, configuration: configurationOf(configuration) }
  return { head, outDir, keys: seal.keys, reporters: told.reporters, password, controlKey }
}

/** How Cores are run, and how their fleet is shown and written. */
interface Finishing extends FleetShowing {
  /** How many Cores at a time. */
  atATime: number
  /** Leave the specs that wait to `resume`. */
  detach: boolean
}

/**
 * Runs Cores, and writes the files of their fleet.
 * @param fleet what its file says so far: the Cores that have ended already, and the reports to write
 * @param tasks the other Cores: the journal of each exists
 * @returns the exit code: 1 if one is nonconformant, else 3 if one could not be tested to the end, else 0
 */
export async function finishFleet(
  fleet: Fleet,
  tasks: readonly CoreTask[],
  how: Finishing,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const { outDir, atATime, quiet, detach, resumeCommand } = how
  const names = tasks.map(({ head }) => head.name)
  const board = !quiet && names.length ? createBoard(names, terminal.stderr, terminal.progress) : undefined
  try {
    const { problems, ...end } = await runCores(tasks, { atATime, detach, resumeCommand, board, signal, terminal })
    board?.stop()
    const cores = [...fleet.cores, ...end.cores]
    const requirements = fleet.requirements.length ? fleet.requirements : end.requirements
    const durationMs = durationOf(fleet, cores, names.length > 0)
    const showing = { ...how, canResume: true, problems }
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
