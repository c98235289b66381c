import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { planFor } from '../../engine/applicable.js'
import type { RunListener, RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import { INTERRUPTED } from '../../engine/spec-end.js'
import { explorerFor } from '../../explore/index.js'
import { resumeCommand } from '../../ground/own-command.js'
import { JOURNAL_FILE } from '../../journal/index.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { fence } from '../../report/fence.js'
import {
  createProgress,
  type GithubActions,
  onPipe,
  onTerminal,
  type Reporter,
  writeBeside,
  writeReports,
} from '../../report/index.js'
import { inert } from '../../report/inert.js'
import { planLine, replanLine } from '../../report/plan.js'
import { writtenText } from '../../report/written.js'
import { verdictText } from '../../result/scope.js'
import type { RunResult } from '../../result.js'
import { listenerOf, type Replanned, SETTLED_MS, Settled } from '../../runner/listener.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { EXIT_CODES } from '../shared/exit-codes.js'

/** Settings for showing a run and writing its reports. */
export interface Showing {
  outDir: string
  reporters: readonly Reporter<RunResult>[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  /** Show every spec on the console, also those that passed. */
  verbose: boolean
  /** Leave the specs that wait to `resume`. */
  detach: boolean
  /** The contracts to write. Without a consumer the run writes none. */
  contracts: GenerateOptions
}

/** The options of a run that its command chooses. {@link runAndReport} adds the others. */
export type PreparedRun = Omit<RunOptions, 'listener' | 'signal' | 'suiteVersion' | 'detachAfterMs' | 'toFinish'>

/** How a run ended. */
export interface Conclusion {
  code: number
  /** Whether `resume` has something left to do. */
  isOpen: boolean
}

/** Returns a signal that Ctrl-C aborts. Call this before the first request. */
export function stopSignal(terminal: Terminal): AbortSignal {
  return untilSignal(terminal, 'Interrupted: revoking tokens and writing the reports. Once more stops at once.')
}

/** Longest wait that does not detach a run, as a part of the idle lifetime: three minutes of an hour. */
export const STAY_FRACTION = 0.05

/** Runs the specs, shows the progress, and writes the reports. */
export async function runAndReport(
  run: PreparedRun,
  signal: AbortSignal,
  { outDir, reporters, github, quiet, verbose, detach, contracts }: Showing,
  terminal: Terminal,
): Promise<Conclusion> {
  const { stdout, stderr, color } = terminal
  const forPeople = onTerminal(reporters)
  const { idleLifetimeMs } = run.configuration
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
  const progress = forPeople && !quiet && !run.clock.leap ? createProgress(stderr, terminal.progress) : undefined
  signal.addEventListener('abort', () => progress?.stop())
  const listener: RunListener = {
    ...(progress && listenerOf(run.clock, activity => progress.show(activity))),
    replanned: replanned => news.set(replanned),
  }
  const explorer = await explorerFor(run, run.resumed?.exploration)
  let result: RunResult
  try {
    const ended = await runSuite({
      ...run,
      ...(explorer && { explorer }),
      signal,
      listener,
      suiteVersion: packageVersion(),
      toFinish: `finish it with: ${resumeCommand(outDir)}`,
      ...(detach && { detachAfterMs: idleLifetimeMs * STAY_FRACTION }),
    })
    result = { ...ended, out: outDir }
  } finally {
    progress?.stop()
    news.end()
  }
  if (forPeople) stdout.write(await forPeople.render(result, { columns, color, quiet, verbose }))
  else stderr.write(`${verdictLine(result)}\n`)
  if (around) stdout.write(around.close)
  // A resumed run that could not reach its Core is still open.
  const isStuck = run.resumed !== undefined && result.verdict === 'untestable'
  // The engine also interrupts a run by itself, when the Core takes too long.
  const isCutShort = signal.aborted || result.specs.some(({ message }) => message === INTERRUPTED)
  const isOpen = isCutShort || isStuck || result.counts.pending > 0
  try {
    // A report that goes to stdout must not be mixed with commands for GitHub.
    const commands = onPipe(reporters) ? stderr : stdout
    const { paths, problems } = await writeReports(result, {
      outDir,
      reporters,
      pipe: text => stdout.write(text),
      ...(github && { github: { ...github, command: (text: string) => commands.write(text) } }),
    })
    await writeBeside(result, outDir, forPeople !== undefined).catch(error =>
      problems.push(error instanceof Error ? error.message : String(error)),
    )
    if (forPeople && !quiet && paths.length) stdout.write(writtenText(paths, stdout.columns))
    const code = EXIT_CODES[result.verdict]
    if (problems.length) {
      // If the folder was removed, the journal is gone too.
      const isKept = existsSync(join(outDir, JOURNAL_FILE))
      const next = `The journal is kept: once that is mended, ${resumeCommand(outDir)} writes the reports.`
      const told = isKept ? [...problems, next] : problems
      stderr.write(told.map(line => `core-conformance: ${line}\n`).join(''))
      // A run without its reports is incomplete, but a Core that failed has still failed.
      return { code: code || EXIT_CODES.incomplete, isOpen: true }
    }
    if (isOpen || !contracts.consumers.length) return { code, isOpen }
    const { writeRunContracts } = await import('../contracts/files.js')
    const isWritten = await writeRunContracts(result, contracts, terminal, {
      told: forPeople !== undefined && !quiet,
      signal,
    })
    return { code: isWritten ? code : code || EXIT_CODES.incomplete, isOpen }
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
