import { type ResumeConfig, resumeConfig } from '../config/run.js'
import { ConfigError, type Settings } from '../config/settings.js'
import { controlClockMs, controlledClock, realClock } from '../engine/clock.js'
import type { Resumed } from '../engine/journal.js'
import { runSuite } from '../engine/run.js'
import { JournalError, JournalWriter, type OpenJournal, replay, runClock, Seal } from '../journal/index.js'
import type { ReporterName } from '../report/index.js'
import type { RunResult } from '../result.js'
import { askPassword, type Terminal } from '../terminal.js'
import { conduct, EXIT_CODES, packageVersion, stopSignal } from './conduct.js'
import { removeJournal, unfinishedRun } from './folder.js'
import { revision } from './foreseen.js'
import { EMBEDDED_SEAL, embeddedMock, noJournal, type Opponent, selectedSpecs, warn } from './run.js'
import { loadSpecs } from './suite.js'

/**
 * `core-conformance resume`: finishes a run that another process began, or gives its tokens back.
 * @returns the exit code
 * @throws ConfigError or SuiteError before anything is sent
 */
export async function resume(settings: Settings, terminal: Terminal): Promise<number> {
  const config = resumeConfig(settings)
  const journal = unfinishedRun(config.outDir)
  const { run } = journal
  const suite = await loadSpecs(run.specFolders)
  if (run.suite.version !== packageVersion() || run.suite.specsDigest !== suite.digest) {
    throw new ConfigError(
      `the suite is another than the one that began this run (${run.suite.version}): resume it with that version and those specs`,
    )
  }
  const revised = await revision(run.foreseen ?? {}, suite, warning => warn(terminal, warning))
  const specs = selectedSpecs(suite, run.configuration, '--only')
  const password = await passwordOf(journal, config, terminal)
  const seal = await Seal.of(password, run.salt)
  const { opponent, resumed, nowMs } = await takeUp(journal, config, seal, password)
  const signal = stopSignal(terminal)
  try {
    const { target, targetKind, clock } = opponent
    const writer = JournalWriter.goOn(config.outDir, nowMs, seal, error => terminal.stderr.write(noJournal(error)))
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
      const { tokens } = await runSuite({ ...conducted, ...nothing, signal, suiteVersion })
      writer.close()
      if (!tokens.left) removeJournal(config.outDir)
      terminal.stdout.write(abandoned(tokens))
      return tokens.left ? EXIT_CODES.incomplete : 0
    }
    const reporters = config.reporters ?? (run.reporters as ReporterName[])
    const conclusion = await conduct(conducted, signal, { ...config, reporters }, terminal)
    writer.close()
    if (!conclusion.isOpen) removeJournal(config.outDir)
    return conclusion.code
  } finally {
    await opponent.close()
  }
}

async function passwordOf({ run }: OpenJournal, { password }: ResumeConfig, terminal: Terminal): Promise<string> {
  if (run.target.kind === 'mock') return EMBEDDED_SEAL
  if (run.configuration.accessControl === 'off') return password ?? ''
  return password ?? (await askPassword(terminal, `Password of ${run.target.username}: `))
}

/** Sets the clock of the run to where it stands by now, and reads what is known of the run so far. */
async function takeUp(journal: OpenJournal, config: ResumeConfig, seal: Seal, password: string) {
  const { run } = journal
  const { nowMs, doubtMs } = runClock(journal.process)
  try {
    const resumed = replay(journal, seal, doubtMs)
    if (run.target.kind === 'mock') {
      const opponent = await embeddedMock(run.configuration, nowMs)
      return { opponent, resumed: withoutCore(resumed), nowMs }
    }
    const { url, trust, username } = run.target
    const target = { url: new URL(url), trust, username, password }
    const close = async () => {}
    if (!run.control) {
      const opponent: Opponent = { target, targetKind: 'core', clock: realClock(nowMs), control: undefined, close }
      return { opponent, resumed, nowMs }
    }
    if (!config.controlKey) throw new ConfigError('the run advanced the clock of a mock Core: set CORE_CONTROL_KEY')
    const control = { url: run.control.url, key: config.controlKey }
    const { startMs } = run.control
    if (startMs === null)
      throw new ConfigError(
        `nobody knows the time of the mock Core at ${run.target.url} when the run began: revoke its tokens with --abandon, and run anew`,
      )
    const shownMs = (await controlClockMs(control)) - startMs
    const opponent: Opponent = { target, targetKind: 'core', clock: controlledClock(control, shownMs), control, close }
    return { opponent, resumed, nowMs: shownMs }
  } catch (error) {
    throw error instanceof JournalError ? new ConfigError(error.message) : error
  }
}

/** The embedded mock Core has ended with its run, and all of its tokens with it: what has no outcome begins anew. */
function withoutCore({ survey, ...resumed }: Resumed): Resumed {
  const tokens = resumed.tokens.map(token => ({ ...token, givenBack: true, seenDead: true }))
  return { ...resumed, tokens, waiting: [], lostUntil: [] }
}

function abandoned({ issued, left }: RunResult['tokens']): string {
  return left
    ? `${left} of ${issued} tokens may still be live, and the journal is kept: try again, or let them expire.\n`
    : `None of the ${issued} tokens of the run is live any more, and its journal is removed.\n`
}
