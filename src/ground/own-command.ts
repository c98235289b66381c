/** Makes command lines of this program for people to paste: they start it as it was started. */
import { realpathSync } from 'node:fs'
import { basename, delimiter, dirname, relative, sep } from 'node:path'
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'
import { isWithin } from './paths.js'

const NAME = 'core-conformance'
/** The folder of reports where the user names none. */
export const DEFAULT_OUT = 'reports'
/** The folder of the package manager for the programs of a project. */
const BIN = `${sep}node_modules${sep}.bin${sep}`
/** Threads see what their process has under this key. */
const KEY = 'core-conformance: started as'

/** The parts of `process` that say how the program was started. */
type Started = Pick<NodeJS.Process, 'argv' | 'argv0' | 'env' | 'cwd'>

/**
 * Remembers how this process was started, for {@link ownCommand} in all of its threads.
 * @param started what {@link startedAs} of its parent returns, for a child process
 */
export function rememberStart(started: Started | string | undefined): void {
  setEnvironmentData(KEY, typeof started === 'object' ? startOf(started) : started)
}

/** Returns the words that start this program again; undefined where they are not known. */
export function startedAs(): string | undefined {
  const start = getEnvironmentData(KEY)
  return start === undefined ? undefined : String(start)
}

/**
 * Returns a command line of this program that can be pasted into a shell: `npx --no core-conformance resume --out 'a b'`.
 * @param words the command and its options, {@link quoted} where that is needed
 */
export function ownCommand(words: string): string {
  const start = startedAs() ?? NAME
  // npx would take an option that stands right after the name for its own.
  return `${words.startsWith('-') ? start.replace(/^npx --no /, 'npx --no -- ') : start} ${words}`
}

/**
 * Returns the command that finishes the run, or the fleet, in a folder.
 * @param out as the user named it; undefined: not known
 * @param config the configuration file that the user named, which says where passwords are; undefined: none
 */
export function resumeCommand(
  out = DEFAULT_OUT,
  config?: string,
  words: 'resume' | 'resume --detach' = 'resume',
): string {
  const from = config === undefined ? words : words.replace('resume', () => `resume --config ${quoted(config)}`)
  return ownCommand(out === DEFAULT_OUT ? from : from.replace('resume', () => `resume --out ${quoted(out)}`))
}

/** Quotes a text as one word of a POSIX shell, where it needs quotes. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/**
 * Returns the words that start the program again in the same folder. They never make npx fetch a package: anybody could
 * publish one of that name.
 */
function startOf({ argv: [, file = NAME], argv0, env, cwd }: Started): string {
  const here = cwd()
  const inPath = (path: string) => env.PATH?.split(delimiter).includes(dirname(path))
  if (file.includes(BIN)) {
    const project = file.slice(0, file.indexOf(BIN))
    const isOfProject = isWithin(here, project) || isWithin(real(file), real(here))
    return env.npm_command === 'exec' && isOfProject ? `npx --no ${NAME}` : quoted(near(file, here))
  }
  if (basename(file) === NAME) return inPath(file) ? NAME : quoted(near(file, here))
  return `${quoted(inPath(argv0) ? basename(argv0) : argv0)} ${quoted(near(file, here))}`
}

/** Returns a path from this folder on, if it is within. It has a slash: the shell looks for a bare name elsewhere. */
function near(path: string, folder: string): string {
  if (!isWithin(path, folder)) return path
  const way = relative(folder, path)
  return way.includes(sep) ? way : `.${sep}${way}`
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
