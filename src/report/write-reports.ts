/** Writes reports: to files, to a pipe, and to GitHub Actions. */
import { readdirSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { textIn } from '../ground/file.js'
import { fieldsIn } from '../ground/json.js'
import { isWithin } from '../ground/paths.js'
import { FLEET_REPORTERS } from './fleet/reporters.js'
import { inert, inertLines } from './inert.js'
import { type GithubActions, onPipe, type Reporter } from './reporter.js'
import { REPORTERS, RESULT_FILE } from './reporters.js'
import { FOUND_FOLDER } from './reproduce.js'
import { SCRIPT_HEAD, SCRIPTS_FOLDER } from './scripts.js'
import { wrap } from './wrap.js'
import { createFolder, explained, type OutFile, stage } from './write.js'

/** Which reports to write, and where. */
export interface ReportOptions<Subject> {
  /** The output folder, absolute or relative to the working directory. It is created when the first file is written. */
  outDir: string
  /** The reporters. The caller itself writes reports with the stream `terminal`. */
  reporters: readonly Reporter<Subject>[]
  /** Other files that belong to the reports. */
  beside?: readonly OutFile[]
  /** Paths of files that the new ones replace. They are removed once the new ones are ready to take their place. */
  replaces?: readonly string[]
  /** Takes the text for stdout, if no terminal report goes there. Absent: that text becomes a file. */
  pipe?(text: string): void
  /** Takes reports with the stream `commands`. Absent: they are not made. */
  github?: GithubActions & { command(text: string): void }
}

/** The reports that were written, and the problems. */
export interface Written {
  /** The paths of the reports that were written, in the order of `reporters`. */
  paths: string[]
  /** One sentence for each missing report: what could not be made or written, where, why, and what to do. */
  problems: string[]
}

/** The layout of texts that do not go to a terminal. */
const PLAIN = { columns: 80, color: false }

/**
 * Writes the reports to files and the pipe, then to GitHub. All files are written aside first, and then put in their places at
 * once. Each is written whole or not at all. A report that cannot be written does not stop the others.
 */
export async function writeReports<Subject>(
  subject: Subject,
  { outDir, reporters, beside = [], replaces = [], pipe, github }: ReportOptions<Subject>,
): Promise<Written> {
  const problems: string[] = []
  const attempt = (name: string, make: () => Promise<void>) =>
    make().catch(error => {
      const problem = problemOf(name, error)
      // Report a problem of all reports, such as a missing folder, once.
      if (!problems.includes(problem)) problems.push(problem)
    })
  const staged: { path: string; putInPlace: () => void }[] = []
  const aside = async ({ path, text, mode }: OutFile) => {
    const place = join(outDir, path)
    await createFolder(outDir, '--out')
    if (isBelow(place, outDir)) await createFolder(dirname(place), '--out')
    staged.push({ path: place, putInPlace: await stage(place, text, '--out', mode) })
  }
  const piped = pipe && onPipe(reporters)
  const texts = reporters.filter(({ stream }) => stream === undefined || stream === 'pipe')
  const wanted: string[] = []
  for (const reporter of texts) {
    const { name, file } = reporter
    if (file !== undefined && reporter !== piped) wanted.push(join(outDir, file))
    await attempt(name, async () => {
      const text = await reporter.render(subject, PLAIN)
      // A terminal may read the pipe, and the user's own reporter may not have made its text inert.
      if (reporter === piped) return pipe?.(inertLines(text))
      if (file !== undefined) await aside({ path: file, text })
    })
  }
  for (const file of beside) await attempt(file.path, () => aside(file))
  // Scripts alone replace no report. An earlier report whose new one could not be made would contradict the others.
  const isNew = new Set(staged.map(({ path }) => path))
  const gone = staged.some(({ path }) => !isBelow(path, outDir)) ? replaces : []
  for (const path of gone) if (!isNew.has(path)) await attempt(path, async () => remove(path, outDir))
  const paths: string[] = []
  for (const { path, putInPlace } of staged) {
    await attempt(path, async () => {
      putInPlace()
      if (wanted.includes(path)) paths.push(path)
    })
  }
  const { command, summaryFile } = github ?? {}
  for (const reporter of reporters) {
    const { name, stream } = reporter
    if (command && stream === 'commands')
      await attempt(name, async () => command(await reporter.render(subject, PLAIN)))
    if (summaryFile !== undefined) await attempt(name, async () => reporter.summarize?.(subject, summaryFile))
  }
  return { paths, problems }
}

/** Whether a file is in a folder of the output folder. */
function isBelow(path: string, outDir: string): boolean {
  return resolve(dirname(path)) !== resolve(outDir)
}

/** Removes a file, and its folder if that is empty then. */
function remove(path: string, outDir: string): void {
  try {
    rmSync(path, { force: true })
    if (isBelow(path, outDir)) rmdirSync(dirname(path))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOTEMPTY') return
    throw explained('Cannot replace', path, cause, '--out')
  }
}

/** Returns the message of an error. A plain Error is ours. Any other error is a bug here, and its message may quote a secret. */
function problemOf(name: string, error: unknown): string {
  if (error instanceof Error && error.constructor === Error) return error.message
  const kind = error instanceof Error ? error.name : typeof error
  return `Cannot make the report ${name}: internal error (${kind}); please report this, with result.json.`
}

/** Largest file that is looked into: a result with all bodies has some megabytes. */
const MOST_BYTES = 200_000_000

/** The first words of each finding. */
const FOUND_HEAD = '# Found by exploring'

/** The name of the file of each report, with a text that each of our files has. */
const MARKS = [...REPORTERS, ...FLEET_REPORTERS].flatMap(({ file, mark }) => (file && mark ? [{ file, mark }] : []))

/** The name of a file that was written aside, and never put in its place: its process was killed. */
const ASIDE = /^\.(.+)\.[0-9a-f-]{36}\.tmp$/

/**
 * Lists the files that an earlier run, or the command `report`, left in a folder.
 * @param keep files and folders that the run reads: what is in them stays
 */
export function earlierFiles(folder: string, keep: readonly string[] = []): string[] {
  const within = (name: string, isOurs: (path: string, name: string) => boolean) => {
    const parent = join(folder, name)
    return namesIn(parent).flatMap(each => {
      const path = join(parent, each)
      return isOurs(path, ASIDE.exec(each)?.[1] ?? each) ? [path] : []
    })
  }
  const text = (path: string) => textIn(path, MOST_BYTES)
  // The result names the files of the user's own reporters.
  const result = text(join(folder, RESULT_FILE))
  const { ownFiles } = result.includes('"ownFiles"') ? fieldsIn(result) : {}
  const isReport = (path: string, name: string) => {
    const marks = MARKS.filter(({ file }) => file === name)
    const content = marks.length > 0 ? text(path) : ''
    return marks.some(({ mark }) => content.includes(mark))
  }
  return [
    ...within('', (path, name) => (Array.isArray(ownFiles) && ownFiles.includes(name)) || isReport(path, name)),
    ...within(SCRIPTS_FOLDER, (path, name) => name.endsWith('.sh') && text(path).startsWith(SCRIPT_HEAD)),
    ...within(FOUND_FOLDER, (path, name) => name.endsWith('.yaml') && text(path).startsWith(FOUND_HEAD)),
  ].filter(path => !keep.some(kept => isWithin(path, kept)))
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * Returns the last lines of a command: `Reports: reports/junit.xml, reports/report.html`, with a line feed.
 * @param columns those of the terminal, which would break a path in the middle; absent: no terminal, so one line for programs
 */
export function writtenText(paths: readonly string[], columns?: number): string {
  const line = `Reports: ${paths.map(inert).join(', ')}`
  const lines = columns === undefined || columns < 20 ? [line] : wrap(line, columns - 1)
  return lines.map(each => `${each}\n`).join('')
}
