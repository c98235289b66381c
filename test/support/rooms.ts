/** Which test files share a process. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Costs, costOf } from './schedule.js'

/** Written before each file, and after the last. */
export const BEGINS = '\u001e\n'
export const ENDS = '\u001d\n'

/** So long a process takes at most, in seconds of a processor, unless a single file takes longer; and in all. */
const MOST_CPU = 12
const MOST_SECONDS = 50
/** A file says so where it changes what others see, or looks at its process. */
const ALONE = /^\/\/ A process of its own: /m
/** Modules that put cheap stand-ins in place of processes: no other file may meet them. */
const CHEAP = /from '\.\/(?:cli-support|support\/(?:docs|kills|cheap-[a-z]+))\.js'|import '\.\/support\/cheap-/

/**
 * Groups test files: neighbours in the order of their names share a process.
 * @param areAlone whether each gets a process of its own
 * @returns the files of each process, by the name of its first
 */
export function roomsOf(
  folder: string,
  files: readonly string[],
  costs: Costs,
  areAlone: boolean,
): Map<string, string[]> {
  const rooms = new Map<string, string[]>()
  const open = new Map<string, { files: string[]; seconds: number; cpu: number }>()
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    const kind = CHEAP.test(text) ? 'cheap' : 'plain'
    const { seconds, cpu } = costOf(costs, file)
    const room = open.get(kind)
    const isAlone = areAlone || ALONE.test(text)
    if (!isAlone && room && room.cpu + cpu <= MOST_CPU && room.seconds + seconds <= MOST_SECONDS) {
      room.files.push(file)
      room.cpu += cpu
      room.seconds += seconds
      continue
    }
    const next = { files: [file], seconds, cpu }
    rooms.set(file, next.files)
    if (!isAlone) open.set(kind, next)
  }
  return rooms
}
