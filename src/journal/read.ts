import { join } from 'node:path'
import { ConfigError } from '../ground/config-error.js'
import { readRegular, Unreadable } from '../ground/file.js'
import { type ChainEnd, follow, isCountLine, miscount, NO_LINES } from './chain.js'
import { JOURNAL_FILE, JOURNAL_VERSION, type Line, MOST_BYTES, type ProcessLine, type RunLine } from './line.js'
import { isPasswordOf, sealInFile } from './own-key.js'
import { thisProcess } from './process.js'
import { Seal, SealBroken } from './seal.js'

/** The lines of a journal, as they stand in the file. Until {@link authenticate}, anybody may have written them. */
export interface OpenJournal {
  path: string
  run: RunLine
  /** The process that worked on it last. */
  process: ProcessLine
  /** All lines except the one with their number. */
  lines: Line[]
  /** Every whole line of the file, as text. */
  texts: string[]
}

/**
 * Reads the journal of a folder. A last line without its end is left out: a killed process wrote half of it.
 * @returns undefined where there is none, or none with a beginning: its process was killed before it sent anything
 */
export function readJournal(folder: string): OpenJournal | undefined {
  const path = join(folder, JOURNAL_FILE)
  let text: string
  try {
    text = readRegular(path, MOST_BYTES).toString('utf8')
  } catch (error) {
    if (error instanceof Unreadable) throw new ConfigError(`${path} ${error.message}: move it away`)
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new ConfigError(
      `${path} cannot be read (${(error as NodeJS.ErrnoException).code}): fix that, or move the file away`,
    )
  }
  const texts = text.split('\n').slice(0, -1)
  const [first, count] = texts
  if (first === undefined) return undefined
  const run = parse(first, `${path}:1`)
  if (run.type !== 'run')
    throw new ConfigError(`${path}:1 is not the beginning of a journal: the file was changed; remove it`)
  if (run.version !== JOURNAL_VERSION)
    throw new ConfigError(
      `${path} was written by another version of core-conformance: finish it with that one, or remove it`,
    )
  if (count === undefined) return undefined
  if (!isCountLine(count)) throw new ConfigError(`${path}:2 does not count the lines: the file was changed; remove it`)
  const lines = [run, ...texts.slice(2).map((line, index) => parse(line, `${path}:${index + 3}`))]
  const process = lines.findLast(line => line.type === 'process')
  if (process?.type !== 'process') return undefined
  return { path, run, process, lines, texts }
}

/**
 * Checks that a journal is as the run wrote it: every line, in this order, with none missing.
 * @returns the end of its chain
 * @throws ConfigError with the wrong line; also where the password is not that of the run
 */
export function authenticate({ path, run, texts }: OpenJournal, seal: Seal): ChainEnd {
  unsealed(path, () => seal.open(run.check, 'check'))
  const changed = (number: number, why: string) =>
    new ConfigError(
      `${path}:${number} ${why}. The file was changed, so the run cannot be resumed, and nothing was sent; remove the file`,
    )
  let end = NO_LINES
  const macs: string[] = []
  for (const [index, text] of texts.entries()) {
    if (index === COUNT_INDEX) continue
    const next = follow(text, end, seal)
    if (typeof next === 'string') throw changed(index + 1, next)
    end = next
    macs.push(end.mac)
  }
  const wrong = miscount(texts[COUNT_INDEX] ?? '', macs, seal)
  if (wrong) throw changed(COUNT_INDEX + 1, wrong)
  return end
}

/**
 * Returns the seal of a journal.
 * @throws ConfigError where the password is not that of the run, or the key is somewhere else
 */
export async function sealOf({ path, run, lines }: OpenJournal, password: string, folder?: string): Promise<Seal> {
  if (run.target.kind === 'mock') return Seal.embedded(run.salt)
  const key = lines.find(line => line.type === 'key')
  if (key?.type === 'key') {
    const ofPassword = await Seal.of(password, run.salt)
    return Seal.ofKeys(unsealed(path, () => ofPassword.openBytes(key.sealed, 'key')))
  }
  if (!run.ownKey) return Seal.of(password, run.salt)
  const kept = sealInFile(run, folder)
  if (kept && isPasswordOf(run, kept, password)) return kept
  if (kept) throw otherPassword(path)
  throw new ConfigError(
    `${path} has no key: its run was killed within its first seconds, and until then the key is only with the user and on the machine that began it. Resume it there; or remove it, and run anew: its tokens expire by themselves`,
  )
}

/** Opens what is sealed in a journal. @throws ConfigError where the password is another one */
function unsealed<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw error instanceof SealBroken ? otherPassword(path) : error
  }
}

function otherPassword(path: string): ConfigError {
  return new ConfigError(`${path} was sealed with another password than this: set CORE_PASSWORD to that of the run`)
}

/** Whether a journal could not hold all events of its run. */
export function isFull({ lines }: OpenJournal): boolean {
  return lines.some(({ type }) => type === 'full')
}

const COUNT_INDEX = 1

function parse(text: string, place: string): Line {
  try {
    const line = JSON.parse(text) as Line
    if (typeof line?.type === 'string') return line
  } catch {}
  throw new ConfigError(`${place} is no line of a journal: the file was changed, and cannot be resumed; remove it`)
}

/** How far the wall clocks of two machines may differ, or that of one machine after a restart. */
const CLOCK_DOUBT_MS = 5000

/** Returns the present reading of a run's clock, computed from the last process's entry, and its possible error. */
export function runClock(last: ProcessLine): { nowMs: number; doubtMs: number } {
  const here = thisProcess(0)
  if (here.boot && here.boot === last.boot) return { nowMs: last.runMs + here.machineMs - last.machineMs, doubtMs: 0 }
  return { nowMs: last.runMs + Math.max(0, here.wallMs - last.wallMs), doubtMs: CLOCK_DOUBT_MS }
}
