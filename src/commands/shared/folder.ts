import { existsSync, rmSync, statSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Settings } from '../../config/settings.js'
import { isName } from '../../fleet/name.js'
import { FLEET_FILE, OPEN_FLEET_FILE } from '../../fleet/types.js'
import { ConfigError } from '../../ground/config-error.js'
import { count } from '../../ground/count.js'
import { textIn } from '../../ground/file.js'
import { fieldsIn, isFields } from '../../ground/json.js'
import { DEFAULT_OUT, ownCommand, quoted } from '../../ground/own-command.js'
import { ownFolder } from '../../ground/own-files.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { claimed, isAtWork } from '../../journal/process.js'
import { type OpenJournal, readJournal } from '../../journal/read.js'
import type { JournalWriter } from '../../journal/write.js'
import { MOST_FLEET_BYTES } from '../../report/read.js'
import { filesOf } from '../../report/reporter.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { createFolder, explained } from '../../report/write.js'
import { earlierFiles } from '../../report/write-reports.js'

/**
 * Prepares the output folder of a run: creates it, and checks that the run can write to it. The reports of an earlier run stay
 * until the new ones take their place.
 * @throws ConfigError if the folder cannot be used, or if its journal names tokens that are still live on a Core
 */
export async function prepareFolder(folder: string, reporters: readonly { file?: string }[]): Promise<void> {
  await checkFolder(folder, filesOf(reporters))
  refuseUnfinished(folder)
  // The same for Cores of an earlier fleet: without the fleet file, `resume` would not find their journals.
  for (const name of coresIn(folder)) refuseUnfinished(join(folder, name), folder)
}

/**
 * Creates an output folder, and checks that files can be written there. It removes none: earlier ones stay until the new ones
 * take their place.
 */
export async function checkFolder(folder: string, files: readonly string[], flag = '--out'): Promise<void> {
  try {
    await createFolder(folder, flag)
    await access(folder, constants.W_OK).catch(cause => {
      throw explained('Cannot write to', folder, cause, flag)
    })
    for (const path of files.map(file => join(folder, file)))
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
        throw explained('Cannot replace', path, Object.assign(new Error(), { code: 'EISDIR' }), flag)
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Lists the files in a folder that the reports of a new run or fleet replace: those of an earlier run, and those of an earlier
 * fleet with its Cores.
 * @param inputs files and folders that the new run reads: what is in them stays
 * @param names the Cores of the new fleet: each replaces its own files
 */
export function earlierIn(folder: string, inputs: readonly string[], names: readonly string[] = []): string[] {
  const cores = coresIn(folder).filter(name => !names.includes(name))
  return [
    ...[folder, ...cores.map(name => join(folder, name))].flatMap(each => earlierFiles(each, inputs)),
    ...cores.map(name => join(folder, name, JOURNAL_FILE)).filter(path => existsSync(path)),
  ]
}

/**
 * Returns the journal of the unfinished run in a folder.
 * @param journal undefined: there is none
 * @throws ConfigError if there is no journal, if it cannot be used, or if its process is still at work
 */
export function unfinishedRun(folder: string, journal = journalIn(folder)): OpenJournal {
  if (!journal) throw new ConfigError(`there is no journal in ${folder}: no run was left unfinished there (--out)`)
  return journal
}

/**
 * Returns the journal of the unfinished run in a folder, or undefined if there is none.
 * @throws ConfigError if the journal cannot be used, or if its process is still at work
 */
export function journalIn(folder: string): OpenJournal | undefined {
  const journal = readJournal(folder)
  if (journal && isAtWork(journal.process)) throw new ConfigError(underWay(folder, journal.process.pid))
  return journal
}

/**
 * Takes up the journal that {@link unfinishedRun} returned.
 * @param goOn writes into the journal that this process is at work
 * @throws ConfigError if another process took the journal up first; Error where the system refuses
 */
export function takeUpJournal(folder: string, { process: last }: OpenJournal, goOn: () => JournalWriter) {
  return claim(folder, () => (isDeepStrictEqual(readJournal(folder)?.process, last) ? goOn() : undefined))
}

/**
 * Begins a journal, in place of one that nobody needs any more.
 * @throws ConfigError if the journal that is there names live tokens, or if another process is at work; Error where the system refuses
 */
export function replaceJournal(folder: string, begin: () => JournalWriter) {
  return claim(folder, () => {
    refuseUnfinished(folder)
    removeJournal(folder)
    return begin()
  })
}

/** Does {@link claimed} work. @throws ConfigError if another process was faster; Error that says what the system refuses */
function claim(folder: string, work: () => JournalWriter | undefined): JournalWriter {
  try {
    const writer = claimed(folder, work)
    if (writer) return writer
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw explained('Cannot write', join(folder, JOURNAL_FILE), error, '--out')
  }
  throw new ConfigError(underWay(folder))
}

/** Returns the message for a folder whose run another process works on. @param pid the other process, if known */
function underWay(folder: string, pid?: number): string {
  const who = pid === undefined ? '' : ` (process ${pid})`
  return `a run is under way in ${folder}${who}: wait for its end, or choose another --out`
}

/** Returns the folder where keys of this user's journals are kept; undefined where the system has none. */
export function keyFolder(settings: Settings): string | undefined {
  return ownFolder(name => settings.surrounding(name))
}

export function removeJournal(folder: string): void {
  rmSync(join(folder, JOURNAL_FILE), { force: true })
}

/** @param resumed the folder to give to `resume`: this one, or that of its fleet */
function refuseUnfinished(folder: string, resumed = folder): void {
  const journal = journalIn(folder)
  const live = journal && liveTokens(journal)
  if (!live) return
  throw new ConfigError(
    `a run of ${journal.run.startedAt} was left unfinished in ${folder}, with up to ${count(live, 'token')} live on ${journal.run.target.url}: finish it with '${ownCommand(`resume --out ${quoted(resumed)}`)}', or revoke them with '${ownCommand(`resume --abandon --out ${quoted(resumed)}`)}', or choose another folder with --out`,
  )
}

/** Returns the path of the file that lists the Cores of a folder: that of a fleet without an end goes before that of one with. */
export function fleetFileIn(folder: string): string | undefined {
  return [OPEN_FLEET_FILE, FLEET_FILE].map(name => join(folder, name)).find(path => existsSync(path))
}

/** Returns the file of the last run in the default folder: the result of one Core, else the fleet file. */
export function defaultFile(): string {
  const [one, many] = [RESULT_FILE, FLEET_FILE].map(file => join(DEFAULT_OUT, file)) as [string, string]
  return !existsSync(one) && existsSync(many) ? many : one
}

/**
 * Lists the names of the Cores in the fleet files of a folder. Each name is that of a folder inside. The rest of a file may be
 * invalid; a file that cannot be read gives no names.
 */
function coresIn(folder: string): string[] {
  return [...new Set([OPEN_FLEET_FILE, FLEET_FILE].flatMap(name => namesIn(join(folder, name))))]
}

function namesIn(file: string): string[] {
  const { cores } = fieldsIn(textIn(file, MOST_FLEET_BYTES))
  const names = Array.isArray(cores) ? cores.map(core => (isFields(core) ? core.name : undefined)) : []
  return names.filter((name): name is string => typeof name === 'string' && isName(name))
}

/** Counts the tokens of a run that may still be live. Those of the embedded mock Core are gone with it; unused tokens expire. */
function liveTokens({ path, run, lines }: OpenJournal): number {
  if (run.target.kind === 'mock') return 0
  const { idleLifetimeMs, idleTolerance } = run.configuration
  if (Date.now() - statSync(path).mtimeMs > idleLifetimeMs * (1 + idleTolerance)) return 0
  const isLive: boolean[] = []
  for (const line of lines) {
    if (line.type === 'token') isLive.push(true)
    if (line.type === 'token-changed') isLive[line.number] = !line.givenBack
  }
  return isLive.filter(Boolean).length
}
