/** Takes up an unfinished run in another process: checks its journal, and sets its clock to the present. */

import type { Settings } from '../../config/settings.js'
import { namesOf } from '../../core/target.js'
import { type ControlEndpoint, clockOf, controlClockMs } from '../../engine/clock.js'
import type { Resumed } from '../../engine/journal.js'
import { runSuite } from '../../engine/run.js'
import { NOTHING_JUDGED } from '../../engine/verdict.js'
import { ConfigError } from '../../ground/config-error.js'
import { count, numbered } from '../../ground/count.js'
import { forgetKey } from '../../journal/own-key.js'
import { authenticate, isFull, type OpenJournal, runClock, sealOf } from '../../journal/read.js'
import { replay } from '../../journal/replay.js'
import type { Seal } from '../../journal/seal.js'
import { JournalWriter } from '../../journal/write.js'
import { inert } from '../../report/inert.js'
import { isOwnReporter } from '../../report/reporter.js'
import { type CoreUnderTest, embeddedMock, ownCore } from '../../runner/embedded.js'
import { askPassword, type Outputs, type Terminal } from '../../terminal.js'
import { packageVersion } from '../../version.js'
import { keyFolder, removeJournal, takeUpJournal } from '../shared/folder.js'
import { type ResumeConfig, refuseOther } from './config.js'
import { type Means, meansOf, noJournal, type Prepared, prepare, type Run } from './run.js'

/** What opens the journal of a run, and its Core. */
export interface Unlocked {
  seal: Seal
  password: string
  /** The key of the control endpoint that the journal names, if it names one. */
  controlKey: string | undefined
}

/** An unfinished run, with what its files say. */
export interface Opened extends Prepared, Unlocked {
  open: OpenJournal
}

/**
 * Makes what opens the journals of a command. Journals with the same salt were begun with the same password: it is asked for once, and
 * their key derived once.
 * @returns checks that a journal belongs to its run, and that this program and these specs can finish the run; throws ConfigError or
 * SuiteError, before anything is sent, also where the password is not that of the run, or its key is somewhere else
 */
export function opener(settings: Settings, terminal: Terminal) {
  const [folder, means] = [keyFolder(settings), meansOf(terminal)]
  const seals = new Map<string, Promise<Seal>>()
  const asked = new Map<string, Promise<string>>()
  const ask = (salt: string, username: string) => {
    const answer = asked.get(salt) ?? askPassword(terminal, `Password of ${inert(username)}: `)
    asked.set(salt, answer)
    return answer
  }
  const passwordOf = ({ target, configuration, salt }: OpenJournal['run']) => {
    if (target.kind === 'mock') return ''
    const given = settings.secretAt('CORE_PASSWORD', target.url)
    return given ?? (configuration.accessControl === 'off' ? '' : ask(salt, target.username))
  }
  return async (open: OpenJournal, { outDir, reporters: named, abandon }: ResumeConfig, own = settings) => {
    const { run } = open
    const password = await passwordOf(run)
    const key = JSON.stringify([password, run.salt])
    const sealing = seals.get(key) ?? sealOf(open, password, folder)
    seals.set(key, sealing)
    const seal = await sealing
    // Do nothing that the journal says before its seal is checked.
    authenticate(open, seal)
    if (isFull(open))
      means.warn(
        'the journal was full before the run ended: tokens of later logons live until they expire by themselves',
      )
    refuseOther(own, run, outDir)
    if (run.target.kind === 'core') for (const warning of own.unusedProxy([run.target.url])) means.warn(warning)
    const reporters = () => (abandon ? [] : (named ?? reportersOfRun(open, password)))
    const prepared = await prepareOpen(open, outDir, reporters, means)
    return { ...prepared, open, seal, password, controlKey: own.secretAt('CORE_CONTROL_KEY', run.target.url) }
  }
}

/**
 * Reads the files of a run that was begun.
 * @throws ConfigError if the suite is not that of the run's beginning, or if a file of the user can no longer be used
 */
export async function prepareOpen(
  { run }: OpenJournal,
  outDir: string,
  reporters: () => string[],
  means: Means,
): Promise<Prepared> {
  const suite = await means.specs(run.specFolders)
  if (run.suite.version !== packageVersion() || run.suite.specsDigest !== suite.digest)
    throw new ConfigError(
      `the suite is another than the one that began this run (${run.suite.version}): resume it with that version and those specs`,
    )
  return prepare({ ...run, reporters: reporters() }, outDir, means)
}

/**
 * Returns the reporters of a run. Anybody can write the journal of a run without a password, so this program loads no module
 * that such a journal names.
 * @throws ConfigError if such a journal names a module
 */
function reportersOfRun({ run }: OpenJournal, password: string): string[] {
  const own = run.reporters.filter(isOwnReporter)
  if (own.length === 0 || password) return run.reporters
  throw new ConfigError(
    `the run was begun without a password, so nobody knows who named the reporter ${own.map(inert).join(', ')}: name all that you want again, with --reporter`,
  )
}

/**
 * Takes up a run: from here on this process is at work on it. If its journal has no more than a beginning, nothing was sent yet,
 * and its clock begins now.
 * @param folder keeps keys for this user; undefined: there is none
 * @throws ConfigError if the run cannot be continued, or if another process was faster
 */
export async function takeUp(
  { open, seal, password, controlKey, ...prepared }: Opened,
  folder: string | undefined,
  outputs: Outputs,
): Promise<Run> {
  const { run: line } = open
  const isNew = open.lines.length === NEW_LINES
  const { outDir } = prepared
  const { target, kind, control, close } = await coreOf(open, password, controlKey)
  try {
    // Read again at each use, since the steps between take time.
    const resumed = isNew ? undefined : resumedOf(open, seal)
    const clock = isNew ? clockOf(control) : await clockNow(open, control)
    const journal = takeUpJournal(outDir, open, () => JournalWriter.goOn(outDir, clock.now(), seal, noJournal(outputs)))
    const keep = (isOpen: boolean) => {
      if (!isOpen) forgetKey(line.salt, folder)
    }
    return { ...prepared, target, targetKind: kind, clock, resumed, journal, line, keep, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The lines of a journal whose run has sent nothing: what it was told, and its process. */
const NEW_LINES = 2

/** Finds the Core of a run; the embedded mock Core is started anew. */
async function coreOf({ run }: OpenJournal, password: string, key: string | undefined): Promise<CoreUnderTest> {
  const { url, trust, username, kind } = run.target
  if (kind === 'mock') return embeddedMock(run.configuration)
  if (run.control && !key) throw new ConfigError('the run advanced the clock of a mock Core: set CORE_CONTROL_KEY')
  const control = run.control && key ? { url: run.control.url, key } : undefined
  return ownCore({ url: new URL(url), trust, username, password, ...namesOf(run.target) }, control)
}

/** Reads what a run has done so far. Leaves out what died with the embedded mock Core: its tokens and its dialect. */
function resumedOf(open: OpenJournal, seal: Seal): Resumed {
  const resumed = replay(open, seal, runClock(open.process).doubtMs)
  if (open.run.target.kind === 'core') return resumed
  const { survey: _dead, ...others } = resumed
  const tokens = resumed.tokens.map(token => ({ ...token, givenBack: true, seenDead: true }))
  return { ...others, tokens, waiting: [], lostUntil: [] }
}

async function clockNow({ run, process }: OpenJournal, control: ControlEndpoint | undefined) {
  if (!control || !run.control) return clockOf(control, runClock(process).nowMs)
  const { startMs } = run.control
  if (startMs === null)
    throw new ConfigError(
      `nobody knows the time of the mock Core at ${run.target.url} when the run began: let its tokens expire, and run anew`,
    )
  const shownMs = (await controlClockMs(control)) - startMs
  return clockOf(control, shownMs, Math.max(0, shownMs - (Date.now() - Date.parse(run.startedAt))))
}

/**
 * Revokes all tokens of a run, runs none of its specs, and deletes its journal.
 * @returns whether tokens may be left live, which keeps the journal, and the message about it
 */
export async function abandon(run: Run, signal: AbortSignal): Promise<{ isLeft: boolean; text: string }> {
  // Where nothing was sent, there is nothing to ask the Core.
  const resumed = run.resumed && { ...run.resumed, waiting: [], ended: [] }
  const end = resumed && (await runSuite({ ...run, specs: [], resumed, signal }))
  const { issued, left } = end?.tokens ?? { issued: 0, left: 0 }
  run.journal.close()
  await run.keep(left > 0)
  if (left === 0) removeJournal(run.outDir)
  const why = end?.verdict === 'untestable' && end.reason !== NOTHING_JUDGED ? `: ${inert(end.reason)}` : ''
  const gone =
    ['The run was given no token', 'The one token of the run is not live any more'][issued] ??
    `None of the ${issued} tokens of the run is live any more`
  const text = left
    ? `${left} of ${count(issued, 'token')} may still be live, and the journal is kept${why}; try again, or let ${numbered(left, 'it', 'them')} expire.\n`
    : `${gone}, and its journal is removed.\n`
  return { isLeft: left > 0, text }
}
