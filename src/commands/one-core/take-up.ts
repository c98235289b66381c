/** Takes up an unfinished run in another process: checks its journal, and sets its clock to the present. */
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { namesOf, type Target } from '../../core/target.js'
import { type Clock, clockOf, controlClockMs } from '../../engine/clock.js'
import type { Resumed } from '../../engine/journal.js'
import { count, numbered } from '../../ground/count.js'
import { authenticate, isFull, JournalError, type OpenJournal, runClock } from '../../journal/read.js'
import { replay } from '../../journal/replay.js'
import type { Seal } from '../../journal/seal.js'
import { JournalWriter } from '../../journal/write.js'
import { inert } from '../../report/inert.js'
import { isOwnReporter, type Reporter } from '../../report/reporter.js'
import type { RunResult } from '../../result.js'
import { loadSpecs, revision, selectedSpecs } from '../../runner/choose-specs.js'
import { type CoreUnderTest, embeddedMock } from '../../runner/embedded.js'
import type { Suite } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { explainedJournal, takeUpJournal } from '../shared/folder.js'
import { reportersNamed } from '../shared/reporters.js'
import { noJournal, warn } from './begin-journal.js'
import type { ResumeConfig } from './config.js'
import type { PreparedRun } from './run-and-report.js'

/** A journal whose seal was checked, with everything that the run needs except the Core. */
export interface Opened {
  outDir: string
  journal: OpenJournal
  seal: Seal
  password: string
  /** The options that the run was begun with. */
  run: Pick<PreparedRun, 'suite' | 'specs' | 'configuration' | 'tokenField' | 'revise'>
  reporters: Reporter<RunResult>[]
}

/** The parts of a {@link ResumeConfig} that decide whether and how a run is taken up. */
export type TakeUpConfig = Pick<ResumeConfig, 'outDir' | 'refuseOther' | 'abandon' | 'reporters' | 'controlKey'>

/**
 * Checks that a journal belongs to its run, and that this program and these specs can finish the run.
 * @throws ConfigError or SuiteError, before anything is sent
 */
export async function openRun(
  journal: OpenJournal,
  { seal, password }: Pick<Opened, 'seal' | 'password'>,
  config: TakeUpConfig,
  settings: Settings,
  terminal: Terminal,
): Promise<Opened> {
  const { run } = journal
  // Do nothing that the journal says before its seal is checked.
  explainedJournal(() => authenticate(journal, seal))
  if (isFull(journal))
    warn(
      terminal,
      'the journal was full before the run ended: tokens of later logons live until they expire by themselves',
    )
  config.refuseOther(run)
  if (run.target.kind === 'core') for (const warning of settings.unusedProxy([run.target.url])) warn(terminal, warning)
  const begun = await begunRun(journal, await loadSpecs(run.specFolders), warning => warn(terminal, warning))
  const reporters = config.abandon ? [] : await reportersNamed(reportersOfRun(journal, config, password), terminal)
  return { outDir: config.outDir, journal, seal, password, run: begun, reporters }
}

/**
 * Returns the options that a run was begun with.
 * @param warn takes one sentence about facts of a result that no spec observes any more
 * @throws ConfigError if the suite is not that of the run's beginning, or if a file of the user can no longer be used
 */
export async function begunRun(
  { run }: OpenJournal,
  suite: Suite,
  warn: (message: string) => void,
): Promise<Opened['run']> {
  if (run.suite.version !== packageVersion() || run.suite.specsDigest !== suite.digest) {
    throw new ConfigError(
      `the suite is another than the one that began this run (${run.suite.version}): resume it with that version and those specs`,
    )
  }
  const revised = await revision(run.known ?? {}, suite, warn)
  const { configuration, tokenField } = run
  const specs = selectedSpecs(suite, configuration, '--only')
  return { suite, specs, configuration, ...(tokenField !== null && { tokenField }), ...revised }
}

/**
 * Returns the reporters that the user names now, else those of the run. Anybody can write the journal of a run without a
 * password, so this program loads no module that such a journal names.
 * @throws ConfigError if such a journal names a module
 */
function reportersOfRun(
  { run }: OpenJournal,
  { reporters }: Pick<ResumeConfig, 'reporters'>,
  password: string,
): string[] {
  if (reporters) return reporters
  const own = run.reporters.filter(isOwnReporter)
  if (own.length === 0 || password) return run.reporters
  throw new ConfigError(
    `the run was begun without a password, so nobody knows who named the reporter ${own.map(inert).join(', ')}: name all that you want again, with --reporter`,
  )
}

/** A run that this process continues. */
export interface TakenUp {
  met: CoreUnderTest
  run: PreparedRun & { resumed: Resumed }
  writer: JournalWriter
}

/** The parts of an {@link Opened} that continue its run. */
export type ToTakeUp = Pick<Opened, 'outDir' | 'journal' | 'seal' | 'password' | 'run'>

/**
 * Takes up a run: from here on this process is at work on it.
 * @throws ConfigError if the run cannot be continued, or if another process was faster
 */
export async function takeUp(
  opened: ToTakeUp,
  config: Pick<TakeUpConfig, 'controlKey'>,
  terminal: Pick<Terminal, 'stderr'>,
): Promise<TakenUp> {
  const { journal, seal, password, run } = opened
  const { met, resumed, clock } = await resumedCore(journal, config, seal, password)
  try {
    const writer = writerOf(opened, clock, terminal)
    const { target, kind: targetKind } = met
    return { met, run: { ...run, target, targetKind, clock, journal: writer, resumed }, writer }
  } catch (error) {
    await met.close()
    throw error
  }
}

/**
 * Begins a run that has only a journal: nothing was sent yet, and its clock begins now.
 * @param controlKey the key of the control endpoint that the journal names, if it names one
 * @throws ConfigError if another process was faster
 */
export function takeUpNew(
  opened: ToTakeUp,
  controlKey: string | undefined,
  terminal: Pick<Terminal, 'stderr'>,
): Omit<TakenUp, 'run'> & { run: PreparedRun } {
  const { journal, password, run } = opened
  const { control: begun } = journal.run
  const control = begun && controlKey !== undefined ? { url: begun.url, key: controlKey } : undefined
  const clock = clockOf(control)
  const target = targetIn(journal, password)
  const writer = writerOf(opened, clock, terminal)
  const met: CoreUnderTest = { target, control, kind: 'core', close: async () => {} }
  return { met, run: { ...run, target, targetKind: 'core', clock, journal: writer }, writer }
}

function writerOf({ outDir, journal, seal }: ToTakeUp, clock: Clock, { stderr }: Pick<Terminal, 'stderr'>) {
  return takeUpJournal(outDir, journal, () =>
    JournalWriter.goOn(outDir, clock.now(), seal, error => stderr.write(noJournal(error))),
  )
}

function targetIn({ run }: OpenJournal, password: string): Target {
  const { url, trust, username } = run.target
  return { url: new URL(url), trust, username, password, ...namesOf(run.target) }
}

/** Finds the Core of a run, sets the clock of the run to the present, and reads what the run has done so far. */
async function resumedCore(
  journal: OpenJournal,
  config: Pick<TakeUpConfig, 'controlKey'>,
  seal: Seal,
  password: string,
): Promise<{ met: CoreUnderTest; resumed: Resumed; clock: Clock }> {
  const { run } = journal
  // Read again at each use, since the steps between take time.
  const nowMs = () => runClock(journal.process).nowMs
  try {
    const resumed = replay(journal, seal, runClock(journal.process).doubtMs)
    if (run.target.kind === 'mock') {
      const met = await embeddedMock(run.configuration)
      return { met, resumed: withoutCore(resumed), clock: clockOf(met.control, nowMs()) }
    }
    const target = targetIn(journal, password)
    const close = async () => {}
    if (!run.control) {
      return { met: { target, kind: 'core', control: undefined, close }, resumed, clock: clockOf(undefined, nowMs()) }
    }
    const key = config.controlKey(run.target.url)
    if (!key) throw new ConfigError('the run advanced the clock of a mock Core: set CORE_CONTROL_KEY')
    const control = { url: run.control.url, key }
    const { startMs } = run.control
    if (startMs === null) {
      throw new ConfigError(
        `nobody knows the time of the mock Core at ${run.target.url} when the run began: let its tokens expire, and run anew`,
      )
    }
    const shownMs = (await controlClockMs(control)) - startMs
    const leaptMs = Math.max(0, shownMs - (Date.now() - resumed.startedAt.getTime()))
    return { met: { target, kind: 'core', control, close }, resumed, clock: clockOf(control, shownMs, leaptMs) }
  } catch (error) {
    throw error instanceof JournalError ? new ConfigError(error.message) : error
  }
}

/** Drops what died with the embedded mock Core: its tokens and its dialect. Specs without an outcome begin again. */
function withoutCore({ survey, ...resumed }: Resumed): Resumed {
  const tokens = resumed.tokens.map(token => ({ ...token, givenBack: true, seenDead: true }))
  return { ...resumed, tokens, waiting: [], lostUntil: [] }
}

/**
 * Revokes all tokens of a run, and runs none of its specs.
 * @returns what came of the tokens, and why some are left, as the end of a sentence; else empty
 */
export async function giveBackTokens(
  { run, writer }: TakenUp,
  signal: AbortSignal,
): Promise<Pick<RunResult, 'tokens'> & { why: string }> {
  const { runSuite } = await import('../../engine/run.js')
  const suiteVersion = packageVersion()
  const nothing = { specs: [], resumed: { ...run.resumed, waiting: [], ended: [] } }
  const { tokens, verdict, reason } = await runSuite({ ...run, ...nothing, signal, suiteVersion })
  writer.close()
  return { tokens, why: verdict === 'untestable' ? `: ${inert(reason)}` : '' }
}

/**
 * Returns the message about an abandoned run.
 * @param why why some tokens are left, as the end of a sentence; else empty
 */
export function abandonedText({ issued, left }: RunResult['tokens'], why: string): string {
  return left
    ? `${left} of ${count(issued, 'token')} may still be live, and the journal is kept${why}; try again, or let ${numbered(left, 'it', 'them')} expire.\n`
    : `${numbered(issued, 'The one token of the run is not', `None of the ${issued} tokens of the run is`)} live any more, and its journal is removed.\n`
}
