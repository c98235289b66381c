import { distance } from 'fastest-levenshtein'
import { listed } from '../ground/count.js'

/** A fault in a file of the suite. Line and column start at 1. */
export interface Problem {
  file: string
  line: number
  column: number
  /** What is wrong and, where known, what would be right. */
  message: string
}

/** A path into a document: keys and indexes from its root. */
export type Path = (string | number)[]

/** A fault of a value, with its place in its document, or in a part of it: a spec, or a step. */
export interface Miss {
  path: Path
  message: string
}

export function miss(message: string, ...path: Path): Miss {
  return { path, message }
}

/** A suite that cannot be used, with every problem found and its place. Exit code 2. */
export class SuiteError extends Error {
  constructor(readonly problems: Problem[]) {
    super(problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'))
    this.name = 'SuiteError'
  }
}

/**
 * Returns the entry of `known` that `word` probably means, for "did you mean" hints.
 * @returns undefined where no entry is near enough to help
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  // In a word of two letters at most one may be wrong, else every short word would be near.
  let least = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1) + 1
  for (const candidate of known) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase())
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

/** Returns `"; did you mean 'x'?"`, or the list of known words where none is near. */
export function hint(word: string, known: Iterable<string>): string {
  const all = [...known]
  const near = nearest(word, all)
  if (near !== undefined) return `; did you mean '${near}'?`
  if (!all.length) return ''
  return `; known: ${listed(all, MOST_TOLD)}`
}

/** Most words of a list that are shown: the beginning shows what is meant. */
const MOST_TOLD = 12

/** Why the system refuses a file or a folder, by its code. */
const REASONS: Record<string, string> = {
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is a file, or below one',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'it is a link to itself',
  EMFILE: 'this process may not open more files',
  ENFILE: 'this process may not open more files',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk is full',
}

/** Explains in words why the system refused a file or a folder. */
export function systemReason(error: unknown, what: 'file' | 'folder'): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? `there is no such ${what}` : (REASONS[code] ?? (code || message))
}
