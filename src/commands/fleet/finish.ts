/** Runs the Cores of a fleet that are to be run or finished, and writes its files. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { type CoreHead, configurationOf } from '../../fleet/core.js'
import { fleetOf } from '../../fleet/fleet.js'
import type { Fleet, FleetCore, FleetRequirement } from '../../fleet/types.js'
import { resumeCommand } from '../../ground/own-command.js'
import { JOURNAL_FILE, type RunLine } from '../../journal/line.js'
import type { Seal } from '../../journal/seal.js'
import { createBoard } from '../../report/fleet/board.js'
import type { Terminal } from '../../terminal.js'
import type { Shown } from '../one-core/config.js'
import { inputsOf, type Prepared } from '../one-core/run.js'
import { comparedWith, type Earlier, keepEarlier, publishFleet } from './files.js'
import type { CoreTask } from './share.js'
import { runCores } from './shares.js'

/** A Core that is to be run: its journal exists. */
export interface Ready {
  task: CoreTask
  prepared: Prepared
}

/** Makes a Core ready. */
export function readyOf(
  { name, labels }: { name: string; labels?: CoreHead['labels'] },
  { target, configuration }: RunLine,
  prepared: Prepared,
  seal: Seal,
  secrets: { password: string; controlKey: string | undefined },
): Ready {
  const { url, label, firmware } = target
  const head = { name, url, label, firmware, labels, configuration: configurationOf(configuration) }
  const reporters = prepared.reporters.map(each => each.name)
  return { task: { head, outDir: prepared.outDir, keys: seal.keys, reporters, ...secrets }, prepared }
}

/** Returns the command that finishes a fleet. */
export function resumeFleetCommand(outDir: string, settings: Settings): string {
  const config = settings.givenIn('config').find(({ origin }) => origin === 'flag')
  return resumeCommand(outDir, config?.text)
}

/** What is known of a fleet before its Cores are run. */
interface Begun {
  /** What its file says so far; `reports`: those to write. */
  fleet: Fleet
  /** The Cores that have ended already, and the requirements that their results state. */
  closed: FleetCore[]
  requirements: FleetRequirement[]
  earlier: Earlier | undefined
}

/**
 * Runs Cores, and writes the files of their fleet.
 * @returns the exit code: 1 if one is nonconformant, else 3 if one could not be tested to the end, else 0
 */
export async function finishFleet(
  ready: readonly Ready[],
  { fleet, closed, requirements, earlier }: Begun,
  { outDir, atATime, quiet, detach, github }: Omit<Shown, 'verbose'> & { outDir: string; atATime: number },
  toResume: string,
  signal: AbortSignal,
  terminal: Terminal,
): Promise<number> {
  const tasks = ready.map(({ task }) => task)
  const names = tasks.map(({ head }) => head.name)
  const board = !quiet && names.length ? createBoard(names, terminal.stderr, terminal.progress) : undefined
  try {
    const end = await runCores(tasks, { atATime, detach, resumeCommand: toResume, board, signal, terminal })
    board?.stop()
    const cores = [...closed, ...end.cores]
    const made = fleetOf({
      ...fleet,
      cores,
      durationMs: durationOf(fleet, cores, names.length > 0),
      requirements: [requirements, end.requirements, fleet.requirements].find(({ length }) => length > 0) ?? [],
    })
    const compared = comparedWith(earlier, made)
    const inputs = ready.flatMap(({ prepared }) => inputsOf(prepared.told))
    const { problems } = end
    const showing = { outDir, resumeCommand: toResume, canResume: true, github, quiet, problems, inputs }
    const code = await publishFleet(compared, showing, terminal)
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
