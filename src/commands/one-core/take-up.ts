/** An unfinished run as another process takes it up: what its journal says, checked, and its clock set to where it stands by now. */
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { namesOf, type Target } from '../../core/target.js'
import { type Clock, clockOf, controlClockMs } from '../../engine/clock.js'
import type { Resumed } from '../../engine/journal.js'
import { count, numbered } from '../../ground/count.js'
import {
  authenticate,
  isFull,
  JournalError,
  JournalWriter,
  type OpenJournal,
  replay,
  runClock,
  Seal,
} from '../../journal/index.js'
import { inert } from '../../report/inert.js'
import { isOwnReporter, type Reporter } from '../../report/reporter.js'
import type { RunResult } from '../../result.js'
import { type CoreUnderTest, embeddedMock } from '../../runner/embedded.js'
import { revision } from '../../runner/revision.js'
import { loadSpecs, selectedSpecs } from '../../runner/specs.js'
import type { Suite } from '../../suite/spec.js'
import type { Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { explainedJournal, takeUpJournal } from '../shared/folder.js'
import { reportersNamed } from '../shared/reporters.js'
import { noJournal, warn } from './begin-journal.js'
import type { ResumeConfig } from './resume-config.js'
import type { PreparedRun } from './run-and-report.js'

/** A journal that is known to be that of the run, with all that the run needs beside the Core. */
export interface Opened {
  outDir: string
  journal: OpenJournal
  seal: Seal
  password: string
  /** How the run was begun, in the words of the engine. */
  run: Pick<PreparedRun, 'suite' | 'specs' | 'configuration' | 'tokenField' | 'revise'>
  reporters: Reporter<RunResult>[]
}

/** What of a {@link ResumeConfig} decides whether and how a run is taken up. */
export type TakeUpConfig = Pick<ResumeConfig, 'outDir' | 'refuseOther' | 'abandon' | 'reporters' | 'controlKey'>

/** The seal of a run that is not finished. @param password of the run */
export function sealOf({ run }: OpenJournal, password: string): Promise<Seal> {
  return run.target.kind === 'mock' ? Promise.resolve(Seal.embedded(run.salt)) : Seal.of(password, run.salt)
}

/**
 * Makes sure that a journal is the run's own, and that this program is the one that can finish it.
 * @throws ConfigError or SuiteError, before anything is sent
 */
export async function opened(
  journal: OpenJournal,
  { seal, password }: Pick<Opened, 'seal' | 'password'>,
  config: TakeUpConfig,
  settings: Settings,
  terminal: Terminal,
): Promise<Opened> {
  const { run } = journal
  // Nothing that the journal says is acted upon before it is known to be the run's own.
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
 * How a run was begun, in the words of the engine.
 * @param warn is told what of a result no spec observes any more, in one sentence
 * @throws ConfigError where the suite is not the one that it was begun with, or a file of the user cannot be used any more
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
 * The reporters of a run, unless others are asked for now. What a journal says of a run without a password may be anybody's:
 * no program is started for that.
 * @throws ConfigError where such a journal names one
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

/** A run that this process goes on with. */
export interface TakenUp {
  met: CoreUnderTest
  run: PreparedRun & { resumed: Resumed }
  writer: JournalWriter
}

/** The parts of an {@link Opened} that its run is taken up by. */
export type ToTakeUp = Pick<Opened, 'outDir' | 'journal' | 'seal' | 'password' | 'run'>

/**
 * Goes on with a run: from here on this process is at work on it.
 * @throws ConfigError where that cannot be, or another process was faster
 */
export async function takenUp(
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
 * Begins a run of which there is no more than its journal: nothing was sent yet, and its clock begins now.
 * @param controlKey of the control endpoint that the journal names, if it does
 * @throws ConfigError where another process was faster
 */
export function takenFirst(
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

/** Sets the clock of the run to where it stands by now, and reads what is known of the run so far. */
async function resumedCore(
  journal: OpenJournal,
  config: Pick<TakeUpConfig, 'controlKey'>,
  seal: Seal,
  password: string,
): Promise<{ met: CoreUnderTest; resumed: Resumed; clock: Clock }> {
  const { run } = journal
  // Looked at anew wherever a clock starts, since all of this takes time.
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

/** The embedded mock Core has ended with its run, and all of its tokens with it: what has no outcome begins anew. */
function withoutCore({ survey, ...resumed }: Resumed): Resumed {
  const tokens = resumed.tokens.map(token => ({ ...token, givenBack: true, seenDead: true }))
  return { ...resumed, tokens, waiting: [], lostUntil: [] }
}

/** Gives back all tokens of a run, and does nothing else of it. @returns what came of the tokens, and why where some are left */
export async function givenBack(
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

/** What is told of a run that was abandoned. @param why some of its tokens are left */
export function abandoned({ issued, left }: RunResult['tokens'], why: string): string {
  return left
    ? `${left} of ${count(issued, 'token')} may still be live, and the journal is kept${why}; try again, or let ${numbered(left, 'it', 'them')} expire.\n`
    : `${numbered(issued, 'The one token of the run is not', `None of the ${issued} tokens of the run is`)} live any more, and its journal is removed.\n`
}
