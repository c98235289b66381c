/**
 * Reads and keeps the earlier fleet that a fleet is compared with (`--since`). An unfinished fleet keeps a copy, so that
 * `resume` compares with the same one. The file that the user named may be gone by then, or hold the unfinished fleet itself.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sinceOf } from '../../fleet/since.js'
import type { Fleet } from '../../fleet/types.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { readFleet } from '../../report/fleet/read.js'
import { explained, writeWhole } from '../../report/write.js'

/** The file of the copy, in the folder of the fleet. */
export const EARLIER_FILE = 'earlier-fleet.json'

/** An earlier fleet and its file. */
export interface Earlier {
  /** The path, as the user wrote it. */
  file: string
  fleet: Fleet
}

/**
 * Reads an earlier fleet.
 * @param file undefined: compare with nothing
 * @throws ResultFileError if the file cannot be used
 */
export async function earlierIn(file: string | undefined): Promise<Earlier | undefined> {
  return file === undefined ? undefined : { file, fleet: await readFleet(file) }
}

/**
 * Returns the earlier fleet that an unfinished fleet was begun with; undefined if there was none or its copy is gone.
 * @throws ResultFileError if the copy cannot be used
 */
export async function keptEarlier(outDir: string, { since }: Fleet): Promise<Earlier | undefined> {
  const copy = join(outDir, EARLIER_FILE)
  if (!since || !existsSync(copy)) return undefined
  return { file: since.file, fleet: await readFleet(copy) }
}

/**
 * Writes a copy of the earlier fleet. Without an earlier fleet, removes an old copy.
 * @throws Error if the file cannot be written or removed
 */
export async function keepEarlier(outDir: string, earlier: Earlier | undefined): Promise<void> {
  const copy = join(outDir, EARLIER_FILE)
  if (earlier) return writeWhole(copy, `${JSON.stringify(earlier.fleet)}\n`, '--out')
  await rm(copy, { force: true }).catch(cause => {
    throw explained('Cannot replace', copy, cause, '--out')
  })
}

/** Removes the copy, unless a Core of the fleet is unfinished. */
export async function forgetEarlier(outDir: string, { cores }: Fleet): Promise<void> {
  if (cores.some(({ name }) => existsSync(join(outDir, name, JOURNAL_FILE)))) return
  await keepEarlier(outDir, undefined)
}

/** Adds to a fleet what changed since the earlier one. */
export function comparedWith(earlier: Earlier | undefined, fleet: Fleet): Fleet {
  return earlier ? { ...fleet, since: sinceOf(earlier.fleet, fleet, earlier.file) } : fleet
}

/** Returns the comparison for the file of a fleet that has not ended: it says that nothing is compared yet. */
export function notYetCompared(earlier: Earlier | undefined): { since?: Fleet['since'] } {
  if (!earlier) return {}
  const { file, fleet } = earlier
  const notices = ['the fleet has not ended, and nothing is compared yet']
  return { since: { file, startedAt: fleet.startedAt, compared: 0, notices, changes: [] } }
}
