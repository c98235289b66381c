import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { planFor } from '../../engine/applicable.js'
import type { RunListener, RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import { INTERRUPTED } from '../../engine/spec-end.js'
import { explorerFor } from '../../explore/index.js'
import { OPEN_FLEET_FILE } from '../../fleet/types.js'
import { resumeCommand } from '../../ground/own-command.js'
import type { RunLine } from '../../journal/line.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { fence, inert } from '../../report/inert.js'
import { estimateLine, planLine, replanLine } from '../../report/plan.js'
import { createProgress } from '../../report/progress.js'
import { type GithubActions, isOwnReporter, onPipe, onTerminal, type Reporter } from '../../report/reporter.js'
import { filesBeside } from '../../report/scripts.js'
import { type ReportOptions, writeReports, writtenText } from '../../report/write-reports.js'
import { verdictText } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { listenerOf, type Replanned, SETTLED_MS, Settled } from '../../runner/listener.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { earlierIn } from '../shared/folder.js'
import { warn } from './begin-journal.js'

/** The options of a run that its command chooses. {@link carryOut} adds the others. */
export type PreparedRun = Omit<RunOptions, 'listener' | 'signal' | 'suiteVersion' | 'detachAfterMs' | 'toFinish'>

/** What a run leaves behind, and where. */
interface Leaving extends Omit<ReportOptions<RunResult>, 'beside' | 'replaces'> {
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

/** Settings for showing a run and writing its reports. */
interface Showing {
  outDir: string
  reporters: readonly Reporter<RunResult>[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  /** Show print every spec, also those that passed. */
  verbose: boolean
  /** Leave the specs that wait to `resume`. */
  detach: boolean
  /** See {@link Leaving}. */
  inputs: readonly string[]
  /** The contracts to write. Without a consumer the run writes none. */
  contracts: GenerateOptions
}

/** How a run ended. */
interface Conclusion {
  code: number
  /** Whether `resume` has something left to do. */
  isOpen: boolean
}

/** Returns a signal that Ctrl-C aborts. Call this before the first request. */
export function stopSignal(terminal: Terminal): AbortSignal {
  return untilSignal(terminal, 'Interrupted: revoking tokens and writing the reports. Once more stops at once.')
}

/** Runs the specs, shows the progress, and writes the reports. */
export async function runAndReport(
  run: PreparedRun,
  signal: AbortSignal,
  { outDir, reporters, github, quiet, verbose, detach, inputs, contracts }: Showing,
  terminal: Terminal,
): Promise<Conclusion> {
  const { stdout, stderr, color } = terminal
  const forPeople = onTerminal(reporters)
  const toResume = resumeCommand(outDir, run.target.flags?.config)
  const leaving: Leaving = { outDir, reporters, inputs, contracts, scripts: forPeople !== undefined }
  // Programs read piped output and search it, so do not wrap its lines.
  const columns = stdout.columns ?? Number.POSITIVE_INFINITY
  const around = github && forPeople ? fence() : undefined
  if (around) stdout.write(around.open)
  const plan = planFor(run)
  const isTold = forPeople !== undefined && !quiet && !run.resumed
  // No empty line before the areas, so that the report of a run fits on a screen.
  const isVirtual = run.clock.leap !== undefined
  if (isTold) {
    stdout.write(`${coreLine(run)}\n${planLine(plan, isVirtual)}\n${verbose ? '\n' : ''}`)
  }
  const news = new Settled<Replanned>(replanned => {
    if (isTold) stdout.write(`${replanLine(replanned, plan, isVirtual)}\n\n`)
  }, SETTLED_MS)
  // Virtual waits end before a person can read the progress.
  const progress = !quiet && !isVirtual ? createProgress(stderr, terminal.progress) : undefined
  signal.addEventListener('abort', () => progress?.stop())
  const listener: RunListener = {
    ...(progress && listenerOf(run.clock, activity => progress.show(activity))),
    replanned: replanned => news.set(replanned),
    estimated: estimate => {
      const line = isVirtual ? undefined : estimateLine(estimate, plan)
      if (isTold && line !== undefined) stdout.write(`${line}\n`)
    },
  }
  let result: RunResult
  try {
    const how = { signal, listener, detach, resumeCommand: toResume }
    result = await carryOut(run, leaving, how)
  } finally {
    progress?.stop()
    news.end()
  }
  if (forPeople) stdout.write(await forPeople.render(result, { columns, color, quiet, verbose }))
  else stderr.write(`${verdictLine(result)}\n`)
  if (around) stdout.write(around.close)
  try {
    // A report that goes to stdout must not be mixed with commands for GitHub.
    const commands = onPipe(reporters) ? stderr : stdout
    const streams = {
      pipe: (text: string) => stdout.write(text),
      ...(github && { github: { ...github, command: (text: string) => commands.write(text) } }),
    }
    const { paths, problems, isOpen } = await leaveReports(run, result, { ...leaving, ...streams }, signal)
    if (forPeople && !quiet && paths.length) stdout.write(writtenText(paths, stdout.columns))
    // The scripts of this run may stand in a folder beside them.
    const isReport = (path: string) => resolve(dirname(path)) === resolve(outDir)
    if (paths.length === 0 && problems.length === 0 && earlierIn(outDir, inputs).some(isReport))
      warn(terminal, `the reports in ${outDir} are of an earlier run: this one wrote none there (--reporter)`)
    const code = EXIT_CODES[result.verdict]
    if (problems.length) {
      // If the folder was removed, the journal is gone too.
      const isKept = existsSync(join(outDir, JOURNAL_FILE))
      const next = `The journal is kept: once that is fixed, ${toResume} writes the reports.`
      const told = isKept ? [...problems, next] : problems
      stderr.write(told.map(line => `core-conformance: ${line}\n`).join(''))
      // A run without its reports is incomplete, but a Core that failed has still failed.
      return { code: code || EXIT_CODES.incomplete, isOpen }
    }
    const how = { told: forPeople !== undefined && !quiet, signal }
    const isWhole = isOpen || (await leaveContracts(result, leaving, terminal, how))
    return { code: isWhole ? code : code || EXIT_CODES.incomplete, isOpen }
  } catch (error) {
    stderr.write(`core-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    return { code: EXIT_CODES[result.verdict] || EXIT_CODES.incomplete, isOpen: true }
  }
}

/** Names the Core before anything is sent, so that nobody takes a run against the mock Core for one against a Core. */
function coreLine({ target: { url, label }, targetKind }: Pick<PreparedRun, 'target' | 'targetKind'>): string {
  const name = targetKind === 'mock' ? 'the mock Core that comes with the suite' : url.origin
  return inert(`Core: ${label === undefined ? name : `${label}, ${name}`}`)
}

/** Returns the verdict in one line, for a run that prints no report. */
function verdictLine(result: RunResult): string {
  const { reason, advice } = result
  return inert(`core-conformance: ${verdictText(result)}: ${reason}${advice ? `; ${advice}` : ''}`)
}
