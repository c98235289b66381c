/**
 * Keeps the compiled code of the packed program for the next start on this machine. Compiling it anew takes a third of
 * the time of a run of a few requests. The program executes this code, so the folder and the file must be writable for
 * this user only. On any problem, the program starts without compiled code.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
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
import { isAbsolute, join } from 'node:path'

/** Length of the SHA-256 at the start of the file. V8 itself does not notice a damaged file. */
const DIGEST_BYTES = 32
/** Age of a file that is removed: the version that wrote it is most likely gone. */
const OLD_MS = 30 * 24 * 3_600_000
/** Mode bits that let others than the owner write. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * Returns the cache folder of this program for this user. Undefined where the system has no such folder, and where
 * `NODE_DISABLE_COMPILE_CACHE` tells Node to keep no compiled code.
 * @param env the variables of the process
 */
export function keptFolder(env: NodeJS.ProcessEnv): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined
  const own = (base: string | undefined) => (base && isAbsolute(base) ? join(base, 'core-conformance') : undefined)
  if (process.platform === 'win32') return own(env.LOCALAPPDATA)
  if (env.XDG_CACHE_HOME) return own(env.XDG_CACHE_HOME)
  return own(join(env.HOME || homedir(), ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'])))
}

/** Reads kept code by name. @returns undefined where there is none, or where it cannot be trusted */
export function readKept(folder: string, name: string): Buffer | undefined {
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

/** Keeps code for the next start, and removes old files. Never throws. */
export function keep(folder: string, name: string, data: Buffer): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwn(lstatSync(folder)) || !lstatSync(folder).isDirectory()) return
    const isOld = (each: string) => Date.now() - statSync(join(folder, each)).mtimeMs > OLD_MS
    for (const each of readdirSync(folder)) if (isOld(each)) rmSync(join(folder, each), { force: true })
    // Written aside, then renamed: two programs may end at once, and one may be killed while it writes.
    const path = join(folder, `${name}.${process.pid}`)
    writeFileSync(path, Buffer.concat([digestOf(data), data]), { mode: 0o600, flag: 'wx' })
    renameSync(path, join(folder, name))
  } catch {
    // The next start only takes longer.
  }
}

function digestOf(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** Whether a file belongs to this user, and nobody else may write it. Windows itself protects the folder of a user. */
function isOwn({ uid, mode }: Stats): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}
