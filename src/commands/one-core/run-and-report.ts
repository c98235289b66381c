import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { planFor } from '../../engine/applicable.js'
import type { RunListener, RunOptions } from '../../engine/options.js'
import { runSuite } from '../../engine/run.js'
import { INTERRUPTED } from '../../engine/spec-end.js'
import { explorerFor } from '../../explore/index.js'
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
import { verdictText } from '../../report/scope.js'
import type { RunResult } from '../../result.js'
import { listenerOf, type Replanned, SETTLED_MS, Settled } from '../../runner/listener.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { EXIT_CODES } from '../shared/exit-codes.js'
import { DEFAULT_OUT } from '../shared/settings.js'

/** How a run is shown, and where it leaves its reports. */
export interface Showing {
  outDir: string
  reporters: readonly Reporter<RunResult>[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  /** Every spec on the console, also those that passed. */
  verbose: boolean
  /** Leave waits to `resume` instead of staying for them. */
  detach: boolean
  /** Which contracts to write; for no consumer, none. */
  contracts: GenerateOptions
}

/** What a run is told by its command; the rest is the same for all. */
export type PreparedRun = Omit<RunOptions, 'listener' | 'signal' | 'suiteVersion' | 'detachAfterMs' | 'toFinish'>

/** How a run ended. */
export interface Conclusion {
  code: number
  /** Whether there is something left for `resume` to do. */
  isOpen: boolean
}

/** A signal that Ctrl-C aborts; to be made before anything is sent. */
export function stopSignal(terminal: Terminal): AbortSignal {
  return untilSignal(terminal, 'Interrupted: revoking tokens and writing the reports. Once more stops at once.')
}

/** A wait shorter than this part of the lifetime is no reason to detach: three minutes of an hour. */
export const STAY_FRACTION = 0.05

/** Runs the specs, shows how that goes, and writes the reports. */
export async function runAndReport(
  run: PreparedRun,
  signal: AbortSignal,
  { outDir, reporters, github, quiet, verbose, detach, contracts }: Showing,
  terminal: Terminal,
): Promise<Conclusion> {
  const { stdout, stderr, color } = terminal
  const forPeople = onTerminal(reporters)
  const { idleLifetimeMs } = run.configuration
  // What is piped is read by programs and searched: its lines are broken by nobody.
  const columns = stdout.columns ?? Number.POSITIVE_INFINITY
  const around = github && forPeople ? fence() : undefined
  if (around) stdout.write(around.open)
  const plan = planFor(run)
  const isTold = forPeople !== undefined && !quiet && !run.resumed
  // The areas follow it at once, so that a run fits on a screen.
  if (isTold) stdout.write(`${planLine(plan)}\n${verbose ? '\n' : ''}`)
  const news = new Settled<Replanned>(replanned => {
    if (isTold) stdout.write(`${replanLine(replanned, plan)}\n\n`)
  }, SETTLED_MS)
  // Virtual time is over before anybody could read what is waited for.
  const progress = forPeople && !quiet && !run.clock.leap ? createProgress(stderr, terminal.progress) : undefined
  signal.addEventListener('abort', () => progress?.stop())
  const listener: RunListener = {
    ...(progress && listenerOf(run.clock, activity => progress.show(activity))),
    replanned: replanned => news.set(replanned),
  }
  const explorer = await explorerFor(run, run.resumed?.exploration)
  let result: RunResult
  try {
    result = await runSuite({
      ...run,
      ...(explorer && { explorer }),
      signal,
      listener,
      suiteVersion: packageVersion(),
      toFinish: `finish it with: ${resumeCommand(outDir)}`,
      ...(detach && { detachAfterMs: idleLifetimeMs * STAY_FRACTION }),
    })
  } finally {
    progress?.stop()
    news.end()
  }
  if (forPeople) stdout.write(await forPeople.render(result, { columns, color, quiet, verbose }))
  else stderr.write(`${verdictLine(result)}\n`)
  if (around) stdout.write(around.close)
  // A run that could not even go on is as it was.
  const isStuck = run.resumed !== undefined && result.verdict === 'untestable'
  // Also one that ended itself, out of patience.
  const isCutShort = signal.aborted || result.specs.some(({ message }) => message === INTERRUPTED)
  const isOpen = isCutShort || isStuck || result.counts.pending > 0
  try {
    // What a pipe takes is no place for commands.
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
    if (forPeople && !quiet && paths.length) stdout.write(`Reports: ${paths.join(', ')}\n`)
    const code = EXIT_CODES[result.verdict]
    if (problems.length) {
      // With the folder the journal may have gone too.
      const isKept = existsSync(join(outDir, JOURNAL_FILE))
      const next = `The journal is kept: once that is mended, ${resumeCommand(outDir)} writes the reports.`
      const told = isKept ? [...problems, next] : problems
      stderr.write(told.map(line => `core-conformance: ${line}\n`).join(''))
      // A run without the evidence that was asked for is not whole; that the Core was seen to fail stays true.
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

/** What finishes a run. */
export function resumeCommand(outDir: string): string {
  return `core-conformance resume${outDir === DEFAULT_OUT ? '' : ` --out ${outDir}`}`
}

/** The verdict in one line, for when no report is printed. */
function verdictLine(result: RunResult): string {
  const { reason, advice } = result
  return inert(`core-conformance: ${verdictText(result)}: ${reason}${advice ? `; ${advice}` : ''}`)
}
