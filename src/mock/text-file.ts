import { readFileSync } from 'node:fs'
import { readRegular, Unreadable } from '../ground/file.js'

/**
 * Reads a text file that the user names.
 * @throws Error with a sentence for people, which begins with the path
 */
export function textOf(path: string, mostBytes: number): string {
  try {
    return readRegular(path, mostBytes).toString('utf8')
  } catch (error) {
    if (error instanceof Unreadable) throw new Error(`${path}: ${error.message}`)
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`${path}: cannot be read: ${code === 'ENOENT' ? 'there is no such file' : message}`)
  }
}

/** Reads a file of `contracts/` by its name there. */
export function contractText(name: string): string {
  // From this folder: the library that is loaded by require() stands in it, too.
  return readFileSync(new URL(`../../contracts/${name}`, import.meta.url), 'utf8')
}
