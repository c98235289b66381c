import { closeSync, openSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { JOURNAL_FILE } from './line.js'

/** What is done under a claim takes milliseconds; one that is older was left by a process that was killed in the middle. */
const STALE_MS = 10_000

/**
 * Does what only one process may do at a time with the journal of a folder; nobody waits for it.
 * @param work short and synchronous
 * @returns what that returns; undefined when another process is at it
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
