import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { JOURNAL_FILE } from './line.js'

/** Work under a claim takes milliseconds. An older claim was left by a killed process. */
const STALE_MS = 10_000

/**
 * Does work that only one process at a time may do with the journal of a folder. Nobody waits for the claim.
 * @param work short and synchronous
 * @returns the result of the work; undefined where another process holds the claim
 * @throws Error of the file system
 */
export function claimed<T>(folder: string, work: () => T): T | undefined {
  const path = join(folder, `${JOURNAL_FILE}.lock`)
  if (isStale(path)) rmSync(path, { force: true })
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined
    throw error
  }
  try {
    return work()
  } finally {
    rmSync(path, { force: true })
  }
}

function isStale(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS
}
