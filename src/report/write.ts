/** Writes a file whole or not at all. */
import { randomUUID } from 'node:crypto'
import { renameSync, rmSync } from 'node:fs'
import { chmod, mkdir, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { inert } from './inert.js'

/** The meaning of file system errors, and what to do, by error code. */
const MEANINGS: Record<string, string> = {
  EEXIST: 'a file of that name is in the way. Remove it, or choose another folder',
  ENOTDIR: 'a part of the path is a file, not a folder. Choose another folder',
  ERR_FS_EISDIR: 'a folder of that name is in the way. Remove it, or choose another folder',
  EISDIR: 'a folder of that name is in the way. Remove it, or choose another folder',
  ENOTEMPTY: 'a folder of that name is in the way. Remove it, or choose another folder',
  EACCES: 'this user may not write there. Change its permissions, or choose another folder',
  ERR_ACCESS_DENIED:
    'Node may not write there (--permission). Start it with --allow-fs-write=FOLDER, or choose another folder',
  EPERM: 'this user may not write there. Change its permissions, or choose another folder',
  ENOENT: 'no folder can be made there. Choose another folder',
  ENAMETOOLONG: 'the name is too long. Choose another folder',
  ELOOP: 'a part of the path is a link to itself. Choose another folder',
  EMFILE: 'this process may not open more files (ulimit -n). Raise the limit, or choose another folder',
  EROFS: 'that file system is read-only. Choose another folder',
  ENOSPC: 'the disk is full. Make room, or choose another folder',
  EDQUOT: 'the disk is full for this user. Make room, or choose another folder',
  EFBIG: 'files may not grow that large there (ulimit -f). Raise the limit, or choose another folder',
}

/**
 * Makes an error that says what could not be done, where, why, and what to do.
 * @param flag the flag that names the folder, such as `--out`; undefined: no flag does
 */
export function explained(what: string, where: string, cause: unknown, flag: string | undefined): Error {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const text = cause instanceof Error ? cause.message : String(cause)
  const meaning = MEANINGS[code] ?? `${inert(text)}. Choose another folder`
  return new Error(`${what} ${inert(where)}: ${meaning}${flag === undefined ? '' : ` with ${flag}`}.`, { cause })
}

/** Creates a folder and its parents, unless it exists. @throws Error of {@link explained} */
export async function createFolder(folder: string, flag: string | undefined): Promise<void> {
  try {
    await make(resolve(folder))
  } catch (cause) {
    throw explained('Cannot create the folder', folder, cause, flag)
  }
}

/** Creates folders one by one: `recursive` of Node 20 never ends on a file system like `/proc`, which allows no folders. */
async function make(folder: string, occupied = 'EEXIST'): Promise<void> {
  const found = await stat(folder).catch(() => undefined)
  if (found?.isDirectory()) return
  if (found) throw Object.assign(new Error('it is a file'), { code: occupied })
  if (dirname(folder) !== folder) await make(dirname(folder), 'ENOTDIR')
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    // Another process may have created it meanwhile.
    if (error.code !== 'EEXIST') throw error
  })
}

/** A file for an output folder. */
export interface OutFile {
  /** From the output folder on. */
  path: string
  text: string
  /** Absent: as the system does it. */
  mode?: number
}

/**
 * Writes a file aside, in the folder where it belongs: a rename is one step only within one file system. The folder must exist.
 * @returns what puts it in its place, in one step: a reader sees the old content or the new, and after an error the old
 * @throws Error of {@link explained}; so does what puts it in its place
 */
export async function stage(path: string, content: string, flag: string | undefined, mode?: number) {
  const aside = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`)
  const failed = (cause: unknown): never => {
    rmSync(aside, { force: true })
    throw explained('Cannot write', path, cause, flag)
  }
  try {
    // From Node 26 on, its permission model forbids to flush.
    await writeFile(aside, content, { flag: 'wx', flush: !process.permission })
    if (mode !== undefined) await chmod(aside, mode)
  } catch (cause) {
    failed(cause)
  }
  return () => {
    try {
      renameSync(aside, path)
    } catch (cause) {
      failed(cause)
    }
  }
}

/** Writes a file whole or not at all; see {@link stage}. @throws Error of {@link explained} */
export async function writeWhole(path: string, content: string, flag: string | undefined): Promise<void> {
  const putInPlace = await stage(path, content, flag)
  putInPlace()
}
