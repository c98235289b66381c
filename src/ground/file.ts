/** Reads files that the user names: regular files of a plausible size only. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** Largest file that a person writes by hand: a spec, a configuration, a contract. */
export const MOST_FILE_BYTES = 5_000_000

/** Why a file is not read, in words that follow its name: `is a device, and not a file`. */
export class Unreadable extends Error {}

/**
 * Reads a whole file without ever waiting. A device, a pipe, a socket or a folder is refused unread.
 * @param path the path of the file; a link is followed
 * @throws Unreadable; Error of the file system where the path cannot be opened
 */
export function readRegular(path: string, mostBytes: number): Buffer {
  // Without O_NONBLOCK, opening a pipe waits for its writer. Windows has neither the flag nor such pipes.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const found = fstatSync(file)
    if (found.isDirectory()) throw Object.assign(new Error('EISDIR: it is a folder'), { code: 'EISDIR' })
    const kind = kindOf(found)
    if (kind) throw new Unreadable(`is ${kind}, and not a file`)
    if (found.size > mostBytes) throw new Unreadable(`is larger than ${inMegabytes(mostBytes)}`)
    return whole(file, mostBytes)
  } finally {
    closeSync(file)
  }
}

/** Reads the text of a file as {@link readRegular} does; empty where it cannot be read. */
export function textIn(path: string, mostBytes: number): string {
  try {
    return readRegular(path, mostBytes).toString('utf8')
  } catch {
    return ''
  }
}

/**
 * Counts the bytes read, since the size says nothing where the system makes the file up (`/proc`), or another process
 * appends to it.
 */
function whole(file: number, mostBytes: number): Buffer {
  const chunks: Buffer[] = []
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(65_536)
    const read = readSync(file, chunk, 0, chunk.length, null)
    if (!read) return Buffer.concat(chunks)
    bytes += read
    if (bytes > mostBytes) throw new Unreadable(`is larger than ${inMegabytes(mostBytes)}`)
    chunks.push(chunk.subarray(0, read))
  }
}

function kindOf(found: ReturnType<typeof fstatSync>): string | undefined {
  if (found.isFile()) return undefined
  if (found.isFIFO()) return 'a pipe (FIFO)'
  if (found.isSocket()) return 'a socket'
  return 'a device'
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`
}
