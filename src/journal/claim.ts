import { closeSync, linkSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { readRegular } from '../ground/file.js'
import { JOURNAL_FILE } from './line.js'
import { hasEnded, type ProcessMark, thisMark } from './process.js'

/**
 * Work under a claim takes milliseconds. Where nobody can tell whether the holder still runs (another machine, another
 * container), an older claim was left by a killed process.
 */
const STALE_MS = 10_000
/** A claim has some 130 bytes. */
const MOST_BYTES = 10_000

/** A claim as it was found. */
interface Found {
  /** JSON of the holder's `ProcessMark`; empty for the moment between creation and writing. */
  text: string
  mtimeMs: number
}

/**
 * Does work that only one process at a time may do with the journal of a folder. Nobody waits for the claim. The claim of a
 * process that was killed is taken away.
 * @param work short and synchronous
 * @returns the result of the work; undefined where another process holds the claim
 * @throws Error of the file system
 */
export function claimed<T>(folder: string, work: () => T): T | undefined {
  const path = join(folder, `${JOURNAL_FILE}.lock`)
  const found = claimAt(path)
  if (found && isStale(found)) takeAway(path, found)
  if (!create(path)) return undefined
  try {
    return work()
  } finally {
    rmSync(path, { force: true })
  }
}

/** @returns whether it was created; false where another process was faster */
function create(path: string): boolean {
  let file: number
  try {
    file = openSync(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
  try {
    writeSync(file, JSON.stringify(thisMark()))
  } finally {
    closeSync(file)
  }
  return true
}

/** @returns undefined where there is no claim */
function claimAt(path: string): Found | undefined {
  const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
  return mtimeMs === undefined ? undefined : { text: textAt(path), mtimeMs }
}

function textAt(path: string): string {
  try {
    return readRegular(path, MOST_BYTES).toString('utf8')
  } catch {
    return '' // its age decides
  }
}

function isStale({ text, mtimeMs }: Found): boolean {
  return hasEnded(markIn(text)) ?? Date.now() - mtimeMs > STALE_MS
}

function markIn(text: string): Partial<ProcessMark> {
  try {
    return (JSON.parse(text) ?? {}) as Partial<ProcessMark>
  } catch {
    return {}
  }
}

/**
 * Removes a stale claim, and no other: between the look and the removal, another process may have taken it away and made its
 * own. Of several processes, one can rename a file.
 */
function takeAway(path: string, stale: Found): void {
  const moved = `${path}.${process.pid}`
  try {
    renameSync(path, moved)
    const { text, mtimeMs } = claimAt(moved) ?? stale
    if (text !== stale.text || mtimeMs !== stale.mtimeMs) linkSync(moved, path)
  } catch {
    // Another process was faster. `create` tells whether the claim is free.
  }
  rmSync(moved, { force: true })
}
