import { ConfigError } from '../config/error.js'
import { type ResumeConfig, resumeConfig } from '../config/run.js'
import type { Settings } from '../config/settings.js'
import { namesOf } from '../core/target.js'
import { type Clock, clockOf, controlClockMs } from '../engine/clock.js'
import type { Resumed } from '../engine/journal.js'
import { runSuite } from '../engine/run.js'
import { count, numbered } from '../ground/count.js'
import {
  authenticate,
  isFull,
  JournalError,
  JournalWriter,
  type OpenJournal,
  replay,
  runClock,
  Seal,
} from '../journal/index.js'
import { inert } from '../report/inert.js'
import { isOwnReporter } from '../report/reporter.js'
import type { RunResult } from '../result.js'
import { embeddedMock, type Opponent } from '../runner/embedded.js'
import { revision } from '../runner/revision.js'
import { loadSpecs, selectedSpecs } from '../runner/specs.js'
import { askPassword, type Terminal } from '../terminal.js'
import { packageVersion } from '../version.js'
import { conduct, EXIT_CODES, stopSignal } from './conduct.js'
import { explainedJournal, removeJournal, takeUpJournal, unfinishedRun } from './folder.js'
import { reportersNamed } from './reporters.js'
import { noJournal, warn } from './run.js'

/**
 * `core-conformance resume`: finishes a run that another process began, or gives its tokens back.
 * @returns the exit code
 * @throws ConfigError or SuiteError before anything is sent
 */
export async function resume(settings: Settings, terminal: Terminal): Promise<number> {
  const config = resumeConfig(settings)
  const journal = unfinishedRun(config.outDir)
  const { run } = journal
  // Nothing that the journal says is acted upon before it is known to be the run's own.
  const password = await passwordOf(journal, config, terminal)
  const seal = run.target.kind === 'mock' ? Seal.embedded(run.salt) : await Seal.of(password, run.salt)
  explainedJournal(() => authenticate(journal, seal))
  if (isFull(journal))
    warn(
      terminal,
      'the journal was full before the run ended: tokens of later logons live until they expire by themselves',
    )
  config.refuseOther(run)
  if (run.target.kind === 'core') for (const warning of settings.unusedProxy([run.target.url])) warn(terminal, warning)
  const suite = await loadSpecs(run.specFolders)
  if (run.suite.version !== packageVersion() || run.suite.specsDigest !== suite.digest) {
    throw new ConfigError(
      `the suite is another than the one that began this run (${run.suite.version}): resume it with that version and those specs`,
    )
  }
  const revised = await revision(run.foreseen ?? {}, suite, warning => warn(terminal, warning))
  const specs = selectedSpecs(suite, run.configuration, '--only')
  const reporters = config.abandon ? [] : await reportersNamed(reportersOfRun(journal, config, password), terminal)
  const { met, resumed, clock } = await takeUp(journal, config, seal, password)
  const signal = stopSignal(terminal)
  try {
    const { target, kind: targetKind } = met
    const writer = takeUpJournal(config.outDir, journal, () =>
      JournalWriter.goOn(config.outDir, clock.now(), seal, error => terminal.stderr.write(noJournal(error))),
    )
    const { configuration, tokenField } = run
    const told = { ...(tokenField !== null && { tokenField }) }
    const conducted = {
      suite,
      specs,
      target,
      targetKind,
      configuration,
      clock,
      journal: writer,
      resumed,
      ...told,
      ...revised,
    }
    if (config.abandon) {
      const suiteVersion = packageVersion()
      const nothing = { specs: [], resumed: { ...resumed, waiting: [], ended: [] } }
      const { tokens, verdict, reason } = await runSuite({ ...conducted, ...nothing, signal, suiteVersion })
      writer.close()
      if (!tokens.left) removeJournal(config.outDir)
      terminal.stdout.write(abandoned(tokens, verdict === 'untestable' ? `: ${inert(reason)}` : ''))
      return tokens.left ? EXIT_CODES.incomplete : 0
    }
    const { contracts } = run
    const conclusion = await conduct(conducted, signal, { ...config, reporters, contracts }, terminal)
    writer.close()
    if (!conclusion.isOpen) removeJournal(config.outDir)
    return conclusion.code
  } finally {
    await met.close()
  }
}

/**
 * The reporters of a run, unless others are asked for now. What a journal says of a run without a password may be anybody's:
 * no program is started for that.
 * @throws ConfigError where such a journal names one
 */
function reportersOfRun({ run }: OpenJournal, { reporters }: ResumeConfig, password: string): string[] {
  if (reporters) return reporters
  const own = run.reporters.filter(isOwnReporter)
  if (own.length === 0 || password) return run.reporters
  throw new ConfigError(
    `the run was begun without a password, so nobody knows who named the reporter ${own.map(inert).join(', ')}: name all that you want again, with --reporter`,
  )
}

async function passwordOf({ run }: OpenJournal, config: ResumeConfig, terminal: Terminal): Promise<string> {
  if (run.target.kind === 'mock') return ''
  const password = config.password(run.target.url)
  if (run.configuration.accessControl === 'off') return password ?? ''
  return password ?? (await askPassword(terminal, `Password of ${inert(run.target.username)}: `))
}

/** A run as it stands now. */
interface TakenUp {
  met: Opponent
  resumed: Resumed
  clock: Clock
}

/** Sets the clock of the run to where it stands by now, and reads what is known of the run so far. */
async function takeUp(journal: OpenJournal, config: ResumeConfig, seal: Seal, password: string): Promise<TakenUp> {
  const { run } = journal
  // Looked at anew wherever a clock starts, since all of this takes time.
  const nowMs = () => runClock(journal.process).nowMs
  try {
    const resumed = replay(journal, seal, runClock(journal.process).doubtMs)
    if (run.target.kind === 'mock') {
      const met = await embeddedMock(run.configuration)
      return { met, resumed: withoutCore(resumed), clock: clockOf(met.control, nowMs()) }
    }
    const { url, trust, username } = run.target
    const target = { url: new URL(url), trust, username, password, ...namesOf(run.target) }
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
        `nobody knows the time of the mock Core at ${url} when the run began: let its tokens expire, and run anew`,
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

function abandoned({ issued, left }: RunResult['tokens'], why: string): string {
  return left
    ? `${left} of ${count(issued, 'token')} may still be live, and the journal is kept${why}; try again, or let ${numbered(left, 'it', 'them')} expire.\n`
    : `${numbered(issued, 'The one token of the run is not', `None of the ${issued} tokens of the run is`)} live any more, and its journal is removed.\n`
}
