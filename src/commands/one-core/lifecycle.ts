/** The run of a Core, alone or in a fleet, from its first request to its reports, contracts and journal. */
import { join } from 'node:path'
import type { RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import { INTERRUPTED } from '../../engine/spec-end.js'
import { explorerFor } from '../../explore/index.js'
import { OPEN_FLEET_FILE } from '../../fleet/types.js'
import type { RunLine } from '../../journal/line.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { filesBeside, type ReportOptions, writeReports } from '../../report/index.js'
import { isOwnReporter } from '../../report/reporter.js'
import type { RunResult } from '../../result.js'
import type { Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { earlierIn } from '../shared/folder.js'

/** The options of a run that its command chooses. {@link carryOut} adds the others. */
export type PreparedRun = Omit<RunOptions, 'listener' | 'signal' | 'suiteVersion' | 'detachAfterMs' | 'toFinish'>

/** What a run leaves behind, and where. */
export interface Leaving extends Omit<ReportOptions<RunResult>, 'beside' | 'replaces'> {
  /** Files and folders that the run reads. Its reports replace nothing in them. */
  inputs: readonly string[]
  /** Whether to write a script for each failure. */
  scripts: boolean
  /** The contracts to write. Without a consumer the run writes none. */
  contracts: GenerateOptions
}

/** Lists the files and folders that a run reads. */
export function inputsOf({ specFolders, known }: Pick<RunLine, 'specFolders' | 'known'>): string[] {
  return [...specFolders, ...[known?.pins, known?.baseline].filter(path => path !== undefined)]
}

/** Longest wait that does not detach a run, as a part of the idle lifetime: three minutes of an hour. */
const STAY_FRACTION = 0.05

/**
 * Runs the specs.
 * @param how `resumeCommand` is the command that finishes the run; `detach` leaves long waits to it
 */
export async function carryOut(
  run: PreparedRun,
  { outDir, reporters }: Pick<Leaving, 'outDir' | 'reporters'>,
  {
    resumeCommand,
    detach,
    ...how
  }: Pick<RunOptions, 'signal' | 'listener' | 'courtesy'> & { resumeCommand: string; detach: boolean },
): Promise<RunResult> {
  const explorer = await explorerFor(run, run.resumed?.exploration)
  const result = await runSuite({
    ...run,
    ...how,
    ...(explorer && { explorer }),
    suiteVersion: packageVersion(),
    toFinish: `finish it with: ${resumeCommand}`,
    ...(detach && { detachAfterMs: run.configuration.idleLifetimeMs * STAY_FRACTION }),
  })
  const ownFiles = reporters.flatMap(({ name, file }) => (file !== undefined && isOwnReporter(name) ? [file] : []))
  return { ...result, out: outDir, ...(ownFiles.length > 0 && { ownFiles }) }
}

/**
 * Writes the reports of a run. They replace those of an earlier run in one go.
 * @returns see `writeReports`, and whether `resume` has something left to do
 */
export async function leaveReports(
  { resumed }: Pick<PreparedRun, 'resumed'>,
  result: RunResult,
  leaving: Leaving,
  signal: AbortSignal,
) {
  const { outDir, inputs, scripts } = leaving
  const written = await writeReports(result, {
    ...leaving,
    beside: filesBeside(result, scripts),
    replaces: [...earlierIn(outDir, inputs), join(outDir, OPEN_FLEET_FILE)],
  })
  // A resumed run that could not reach its Core is still open.
  const isStuck = resumed !== undefined && result.verdict === 'untestable'
  // The engine also interrupts a run by itself, when the Core takes too long.
  const isCutShort = signal.aborted || result.specs.some(({ message }) => message === INTERRUPTED)
  return { ...written, isOpen: isCutShort || isStuck || result.counts.pending > 0 || written.problems.length > 0 }
}

/**
 * Writes the contracts of a run, where it was asked for some.
 * @returns whether all of them were written
 */
export async function leaveContracts(
  result: RunResult,
  { contracts }: Pick<Leaving, 'contracts'>,
  terminal: Terminal,
  how: { told: boolean; signal: AbortSignal },
): Promise<boolean> {
  if (!contracts.consumers.length) return true
  const { writeRunContracts } = await import('../contracts/files.js')
  return writeRunContracts(result, contracts, terminal, how)
}
