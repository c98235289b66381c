/** Which test files share a process. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cost, type Costs, costOf } from './schedule.js'

/** Written before each file, and after the last. */
export const BEGINS = '\u001e\n'
export const ENDS = '\u001d\n'

/** So long a process takes at most, in seconds of a processor, unless a single file takes longer; and in all. */
const MOST_CPU = 20
const MOST_SECONDS = 80
/** A file says so where it changes what others see, or looks at its process. */
const ALONE = /^\/\/ A process of its own: /m
/** Modules that put cheap stand-ins in place of processes: no other file may meet them. */
const CHEAP = /from '\.\/(?:cli-support|support\/(?:docs|kills|cheap-[a-z]+))\.js'|import '\.\/support\/cheap-/

/**
 * Groups test files: in the order of their names each goes where there is room, so that neighbours mostly share a process.
 * @param areAlone whether each gets a process of its own
 * @returns the files of each process, by the name of its first
 */
export function roomsOf(
  folder: string,
  files: readonly string[],
  costs: Costs,
  areAlone: boolean,
): Map<string, string[]> {
  const rooms: { kind: string; files: string[]; seconds: number; cpu: number }[] = []
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8')
    const isAlone = areAlone || ALONE.test(text)
    const kind = isAlone ? file : CHEAP.test(text) ? 'cheap' : 'plain'
    const { seconds, cpu } = costOf(costs, file)
    const hasRoom = (room: Cost) => room.cpu + cpu <= MOST_CPU && room.seconds + seconds <= MOST_SECONDS
    const room = rooms.find(each => each.kind === kind && hasRoom(each))
    if (!room) rooms.push({ kind, files: [file], seconds, cpu })
    else {
      room.files.push(file)
      room.cpu += cpu
      room.seconds += seconds
    }
  }
  return new Map(rooms.map(room => [room.files[0] ?? '', room.files]))
}
