/**
 * The earlier fleet that a fleet is compared with (`--since`). A copy of it is kept while the fleet is unfinished, so that `resume`
 * compares with the same one: the file that the user named may be gone by then, or be that of the unfinished fleet itself.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sinceOf } from '../../fleet/since.js'
import type { Fleet } from '../../fleet/types.js'
import { JOURNAL_FILE } from '../../journal/index.js'
import { readFleet } from '../../report/fleet/read.js'
import { explained, writeWhole } from '../../report/write.js'

/** The file of the copy, in the folder of the fleet. */
export const EARLIER_FILE = 'earlier-fleet.json'

/** An earlier fleet. */
export interface Earlier {
  /** Its file, as the user named it. */
  file: string
  fleet: Fleet
}

/**
 * The earlier fleet of a file.
 * @param file undefined: nothing is to be compared
 * @throws ResultFileError
 */
export async function earlierIn(file: string | undefined): Promise<Earlier | undefined> {
  return file === undefined ? undefined : { file, fleet: await readFleet(file) }
}

/**
 * The earlier fleet that an unfinished one was begun with.
 * @throws ResultFileError where its copy cannot be used
 */
export async function keptEarlier(outDir: string, { since }: Pick<Fleet, 'since'>): Promise<Earlier | undefined> {
  const copy = join(outDir, EARLIER_FILE)
  if (!since || !existsSync(copy)) return undefined
  return { file: since.file, fleet: await readFleet(copy) }
}

/**
 * Keeps a copy of the earlier fleet; without one, takes away what was kept of another.
 * @throws Error where the file cannot be written or removed
 */
export async function keepEarlier(outDir: string, earlier: Earlier | undefined): Promise<void> {
  const copy = join(outDir, EARLIER_FILE)
  if (earlier) return writeWhole(copy, `${JSON.stringify(earlier.fleet)}\n`, '--out')
  await rm(copy, { force: true }).catch(cause => {
    throw explained('Cannot replace', copy, cause, '--out')
  })
}

/** Forgets the copy, unless a Core of the fleet is unfinished. */
export async function forgetEarlier(outDir: string, { cores }: Pick<Fleet, 'cores'>): Promise<void> {
  if (cores.some(({ name }) => existsSync(join(outDir, name, JOURNAL_FILE)))) return
  await keepEarlier(outDir, undefined)
}

/** A fleet with what changed since the earlier one. */
export function comparedWith(earlier: Earlier | undefined, fleet: Fleet): Fleet {
  return earlier ? { ...fleet, since: sinceOf(earlier.fleet, fleet, earlier.file) } : fleet
}

/** What stands in the file of a fleet that has not ended: nothing of it can be compared. */
export function notYetCompared(earlier: Earlier | undefined): Pick<Fleet, 'since'> {
  if (!earlier) return {}
  const { file, fleet } = earlier
  const notices = ['the fleet has not ended, and nothing is compared yet']
  return { since: { file, startedAt: fleet.startedAt, compared: 0, notices, changes: [] } }
}
