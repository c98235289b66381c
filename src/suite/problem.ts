import { distance } from 'fastest-levenshtein'

/** One thing that is wrong with a file of the suite. Line and column are 1-based. */
export interface Problem {
  file: string
  line: number
  column: number
  /** What is wrong and, where known, what would be right. */
  message: string
}

/** A suite that cannot be used: every problem that was found, with its place. Exit code 2. */
export class SuiteError extends Error {
  readonly problems: Problem[]

  constructor(problems: Problem[]) {
    super(problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`).join('\n'))
    this.name = 'SuiteError'
    this.problems = problems
  }
}

/**
 * The entry of `known` that was probably meant by `word`, for "did you mean" hints.
 * @returns undefined when nothing is near enough to be more help than noise.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  // Of a word of two letters at most one may be wrong, else everything short would be near.
  let least = Math.min(Math.max(2, Math.floor(word.length / 3)), word.length - 1) + 1
  for (const candidate of known) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase())
    if (steps < least) [best, least] = [candidate, steps]
  }
  return best
}

/** `"; did you mean 'x'?"`, or the list of what is known where nothing is near. */
export function hint(word: string, known: Iterable<string>): string {
  const all = [...known]
  const near = nearest(word, all)
  if (near !== undefined) return `; did you mean '${near}'?`
  if (!all.length) return ''
  const more = all.length > MOST_TOLD ? `, and ${all.length - MOST_TOLD} more` : ''
  return `; known: ${all.slice(0, MOST_TOLD).join(', ')}${more}`
}

/** Of a long list the beginning shows what is meant. */
const MOST_TOLD = 12

/** Why the system refused a file or a folder, in words. */
export function systemReason(error: unknown, what: 'file' | 'folder'): string {
  const { code, message } = error as NodeJS.ErrnoException
  switch (code) {
    case 'ENOENT':
      return `there is no such ${what}`
    case 'EISDIR':
      return 'it is a folder'
    case 'ENOTDIR':
      return 'it is a file, or below one'
    case 'EACCES':
    case 'EPERM':
      return 'this user may not read it'
    case 'ELOOP':
      return 'it is a link to itself'
    case 'EMFILE':
    case 'ENFILE':
      return 'this process may not open more files'
    case 'ENOSPC':
    case 'EDQUOT':
      return 'the disk is full'
    default:
      return code ?? message
  }
}
