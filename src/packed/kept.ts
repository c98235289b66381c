/**
 * What V8 made of the packed program when it was compiled, kept for the next start on this machine: to compile it anew is a third
 * of what a run of a few requests costs. It is code, and so it is taken from nowhere but a folder and a file that this user alone
 * may write. Whatever is wrong with it, the program starts without it.
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

/** SHA-256 of the rest stands in front: V8 itself does not see that a file was damaged. */
const DIGEST_BYTES = 32
/** What has not been written for so long is of a version that is gone. */
const OLD_MS = 30 * 24 * 3_600_000
/** Others than the owner may write. */
const WRITABLE_BY_OTHERS = 0o022

/**
 * The folder of this user for what can be made again, as the system has it; undefined where there is none, and where Node is told
 * to keep no compiled code either.
 * @param env the variables of the process
 */
export function keptFolder(env: NodeJS.ProcessEnv): string | undefined {
  if (env.NODE_DISABLE_COMPILE_CACHE) return undefined
  const own = (base: string | undefined) => (base && isAbsolute(base) ? join(base, 'core-conformance') : undefined)
  if (process.platform === 'win32') return own(env.LOCALAPPDATA)
  if (env.XDG_CACHE_HOME) return own(env.XDG_CACHE_HOME)
  return own(join(env.HOME || homedir(), ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache'])))
}

/** @returns what was kept by that name; undefined where there is nothing, or it cannot be trusted */
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

/** Keeps it for the next start, where that can be done, and takes away what no start has use for any more. */
export function keep(folder: string, name: string, data: Buffer): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isOwn(lstatSync(folder)) || !lstatSync(folder).isDirectory()) return
    const isOld = (each: string) => Date.now() - statSync(join(folder, each)).mtimeMs > OLD_MS
    for (const each of readdirSync(folder)) if (isOld(each)) rmSync(join(folder, each), { force: true })
    // Two programs may end at once, and one may be killed meanwhile.
    const path = join(folder, `${name}.${process.pid}`)
    writeFileSync(path, Buffer.concat([digestOf(data), data]), { mode: 0o600, flag: 'wx' })
    renameSync(path, join(folder, name))
  } catch {
    // The next start takes longer, and is no other for that.
  }
}

function digestOf(data: Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}

/** Whether it is this user's, and nobody else may write it. Windows keeps the folder of a user from others by itself. */
function isOwn({ uid, mode }: Stats): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & WRITABLE_BY_OTHERS) === 0)
}
