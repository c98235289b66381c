/** One run: what it is told becomes what it works with, and in the end what it leaves. */
import { join } from 'node:path'
import { namesOf } from '../../core/target.js'
import { type ControlEndpoint, clockOf, controlClockMs } from '../../engine/clock.js'
import type { RunOptions } from '../../engine/options.js'
import { INTERRUPTED } from '../../engine/spec-end.js'
import { OPEN_FLEET_FILE } from '../../fleet/types.js'
import { once } from '../../ground/once.js'
import { JOURNAL_VERSION, type RunLine, type Told } from '../../journal/line.js'
import type { NewSeal } from '../../journal/own-key.js'
import { JournalWriter } from '../../journal/write.js'
import { type Fence, inert } from '../../report/inert.js'
import { isOwnReporter, onTerminal, type Reporter } from '../../report/reporter.js'
import { filesBeside } from '../../report/scripts.js'
import type { Written } from '../../report/write-reports.js'
import type { RunResult } from '../../result.js'
import { loadSpecs, specsOf } from '../../runner/choose-specs.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import { perform } from '../../runner/perform.js'
import { systemReason } from '../../suite/problem.js'
import type { Outputs } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { earlierIn, prepareFolder, removeJournal, replaceJournal } from '../shared/folder.js'
import { reportersNamed } from '../shared/given.js'
import { publish } from '../shared/publish.js'
import type { Shown } from './config.js'

/** A run of a command, from its journal to its reports. */
export interface Run extends RunOptions {
  told: Told
  /** The folder of its journal and its reports. */
  outDir: string
  reporters: readonly Reporter<RunResult>[]
  journal: JournalWriter
  /** The first line of its journal. */
  line: RunLine
  /** Does with the key of the journal what the end of the run asks for. */
  keep(isOpen: boolean): Promise<void> | void
  /** Ends the embedded mock Core; does nothing for a real Core. */
  close(): Promise<void>
}

/** A run without its Core: what its files say. */
export type Prepared = Awaited<ReturnType<typeof prepare>>

/** What runs of one process share: each file is read once, and each warning told once. */
export type Means = ReturnType<typeof meansOf>

export function meansOf(terminal: Outputs) {
  const told = new Set<string>()
  return {
    specs: once(loadSpecs),
    reporters: once((names: readonly string[]) => reportersNamed(names, terminal)),
    warn: (text: string) => {
      if (!told.has(text)) warn(terminal, text)
      told.add(text)
    },
  }
}

export function warn({ stderr }: Outputs, message: string): void {
  stderr.write(`core-conformance: warning: ${inert(message)}\n`)
}

/**
 * Reads the files of a run. Sends and writes nothing.
 * @param label the name in messages of the setting that selects its specs
 */
export async function prepare(told: Told, outDir: string, means: Means, label: string | undefined = '--only') {
  const specs = await specsOf(told, label, means.warn, means.specs)
  return { ...specs, told, outDir, reporters: await means.reporters(told.reporters) }
}

/**
 * Prepares the folders of a run that begins.
 * @param label the name in messages of the setting that names interactions
 * @throws ConfigError if a folder cannot be used, or has tokens that are still live
 */
export async function prepareFolders({ told, outDir, reporters, specs }: Prepared, label: string): Promise<void> {
  await prepareFolder(outDir, reporters)
  if (!told.contracts.consumers.length) return
  const { prepareContracts } = await import('../contracts/folder.js')
  await prepareContracts(told.contracts, { specs, label })
}

/**
 * Begins a run: its journal keeps what `resume` needs.
 * @throws ConfigError if another process was faster; Error where the system refuses the journal
 */
export async function begin(
  prepared: Prepared,
  { target, kind, control, close }: CoreUnderTest,
  { salt, seal, own }: NewSeal,
  terminal: Outputs,
): Promise<Run> {
  const { told, outDir, suite } = prepared
  const { configuration, tokenField, specFolders, known, reporters, contracts } = told
  const clock = clockOf(control)
  // Where a mock Core cannot be reached, the first use of its clock reports the error.
  const startMs = async (endpoint: ControlEndpoint) =>
    controlClockMs(endpoint).then(
      shownMs => shownMs - clock.now(),
      () => null,
    )
  const line: RunLine = {
    version: JOURNAL_VERSION,
    startedAt: new Date().toISOString(),
    suite: { version: packageVersion(), specsDigest: suite.digest },
    target: { url: target.url.origin, kind, trust: target.trust, username: target.username, ...namesOf(target) },
    ...{ configuration, tokenField, specFolders, known, reporters, contracts },
    control: kind === 'mock' || !control ? null : { url: control.url, startMs: await startMs(control) },
    salt,
    ...(own && { ownKey: own.told }),
    check: seal.close('journal', 'check'),
  }
  try {
    const journal = replaceJournal(outDir, () =>
      JournalWriter.begin(outDir, line, clock.now(), seal, noJournal(terminal)),
    )
    own?.begin(sealed => journal.key(sealed))
    const keep = (isOpen: boolean) => (isOpen ? own?.intoJournal() : own?.forget())
    return { ...prepared, target, targetKind: kind, clock, journal, line, keep, close }
  } catch (error) {
    own?.forget()
    throw error
  }
}

/** Returns what says that a journal can no longer be written. */
export function noJournal({ stderr }: Outputs): (error: Error) => void {
  return error =>
    stderr.write(
      `core-conformance: the journal cannot be written (${systemReason(error, 'file')}): the run goes on, and resume would not know what happens from now on\n`,
    )
}

/** Longest wait that does not detach a run, as a part of the idle lifetime: three minutes of an hour. */
const STAY_FRACTION = 0.05

/** Performs a run of a command. */
export async function performRun(
  run: Run,
  resumeCommand: string,
  { detach, ...how }: Partial<RunOptions> & { detach: boolean },
): Promise<RunResult> {
  const detachAfterMs = detach ? run.configuration.idleLifetimeMs * STAY_FRACTION : undefined
  const advice = {
    toFinish: `finish it with: ${resumeCommand}`,
    toJudgeMore: 'widen --only, or leave out --profile quick',
    patience: '--patience',
  }
  const result = await perform({ ...run, ...how, advice, detachAfterMs })
  const ownFiles = run.reporters.flatMap(({ name, file }) => (file !== undefined && isOwnReporter(name) ? [file] : []))
  return { ...result, out: run.outDir, ...(ownFiles.length > 0 && { ownFiles }) }
}

interface Leaving {
  signal: AbortSignal
  /** How it is shown to people; absent: to nobody. */
  shown?: Shown
  fenced?: Fence | undefined
}

/**
 * Shows how a run ended, and writes its reports, in place of those of an earlier one, and its contracts. Ends its journal.
 * @returns also whether all contracts were written that it was asked for
 */
export async function leave(
  run: Run,
  result: RunResult,
  { signal, shown, fenced }: Leaving,
  terminal: Outputs,
): Promise<Written & { isWhole: boolean }> {
  const { outDir, reporters, told, resumed, journal } = run
  const { github, quiet = true, verbose = false } = shown ?? {}
  const forPeople = onTerminal(reporters)
  const beside = filesBeside(result, !shown || forPeople !== undefined)
  const replaces = [...earlierIn(outDir, inputsOf(told)), join(outDir, OPEN_FLEET_FILE)]
  // Programs read piped output and search it, so do not wrap its lines.
  const how = { github, fenced, quiet, verbose, columns: Number.POSITIVE_INFINITY }
  const written = await publish(result, { outDir, reporters, beside, replaces, ...how }, terminal)
  // A resumed run that could not reach its Core is still open.
  const isStuck = resumed !== undefined && result.verdict === 'untestable'
  // The engine also interrupts a run by itself, when the Core takes too long.
  const isCutShort = signal.aborted || result.specs.some(({ message }) => message === INTERRUPTED)
  const isOpen = isCutShort || isStuck || result.counts.pending > 0 || written.problems.length > 0
  let isWhole = true
  if (!isOpen && told.contracts.consumers.length > 0) {
    const { writeRunContracts } = await import('../contracts/files.js')
    const isTold = !quiet && forPeople !== undefined
    isWhole = await writeRunContracts(result, told.contracts, terminal, { told: isTold, signal })
  }
  await run.keep(isOpen)
  journal.close()
  if (!isOpen) removeJournal(outDir)
  return { ...written, isWhole }
}

/** Lists the files and folders that a run reads. Its reports replace nothing in them. */
export function inputsOf({ specFolders, known }: Told): string[] {
  return [...specFolders, ...[known.pins, known.baseline].filter(path => path !== undefined)]
}
