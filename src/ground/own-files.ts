/**
 * Keeps small files of this program for this user alone, in the cache folder of the system. What is in them is trusted:
 * compiled code is executed, and a key opens a journal. So the folder and the file must be writable for this user only.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'

/** Length of the SHA-256 at the start of the file. V8 itself does not notice damaged code. */
const DIGEST_BYTES = 32
/** Age of a file that is removed: who wrote it is most likely gone. */
const OLD_MS = 30 * 24 * 3_600_000
/** Mode bits that let others than the owner write. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * Returns the cache folder of this program for this user; undefined where the system has none.
 * @param variable returns a variable of the environment
 */
export function ownFolder(variable: (name: string) => string | undefined): string | undefined {
  const own = (base: string | undefined) => (base && isAbsolute(base) ? join(base, 'core-conformance') : undefined)
  if (process.platform === 'win32') return own(variable('LOCALAPPDATA'))
  const cache = variable('XDG_CACHE_HOME')
  if (cache) return own(cache)
  const home = variable('HOME') || homedir()
  return own(join(home, ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'])))
}

/** Reads a file by name. @returns undefined where there is none, or where it cannot be trusted */
export function readOwn(folder: string, name: string): Buffer | undefined {
  try {
    if (!isOwn(lstatSync(folder)) || !lstatSync(folder).isDirectory()) return undefined
    const file = openSync(join(folder, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0))
    try {
      const stats = fstatSync(file)
      if (!stats.isFile() || !isOwn(stats)) return undefined
      const bytes = readFileSync(file)
      const data = bytes.subarray(DIGEST_BYTES)
      return digestOf(data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined
    } finally {
      closeSync(file)
    }
  } catch {
    return undefined
  }
}

/** Writes a file, and removes old ones. Never throws. @returns whether it was written */
export function writeOwn(folder: string, name: string, data: Uint8Array): boolean {
  try {
    // One by one: in some places, such as /proc, Node tries to make all of them for ever.
    for (const each of [dirname(folder), folder]) if (!existsSync(each)) mkdirSync(each, { mode: 0o700 })
    if (!isOwn(lstatSync(folder)) || !lstatSync(folder).isDirectory()) return false
    const isOld = (each: string) => Date.now() - statSync(join(folder, each)).mtimeMs > OLD_MS
    for (const each of readdirSync(folder)) if (isOld(each)) removeOwn(folder, each)
    // Written aside, then renamed: two programs may end at once, and one may be killed while it writes.
    const path = join(folder, `${name}.${process.pid}`)
    writeFileSync(path, Buffer.concat([digestOf(data), data]), { mode: 0o600, flag: 'wx' })
    renameSync(path, join(folder, name))
    return true
  } catch {
    return false
  }
}

/** Removes a file, if it is there. Never throws. */
export function removeOwn(folder: string, name: string): void {
  try {
    rmSync(join(folder, name), { force: true })
  } catch {
    // It is removed when it is old.
  }
}

function digestOf(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** Whether a file belongs to this user, and nobody else may write it. Windows itself protects the folder of a user. */
function isOwn({ uid, mode }: Stats): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}
