/** Writes reports: each one that is a file, then what goes to a pipe, then what GitHub is told. */
import { join } from 'node:path'
import { inertLines } from './inert.js'
import { type GithubActions, onPipe, type Reporter } from './reporter.js'
import { createFolder, writeWhole } from './write.js'

/** Where reports are written, and which. */
export interface ReportOptions<Subject> {
  /** The folder, absolute or relative to the working directory; created when a file is to be written. */
  outDir: string
  /** Those of `terminal` are left to the caller, who knows the terminal. */
  reporters: readonly Reporter<Subject>[]
  /** Takes what goes to stdout where no terminal report does; without it, that is written as a file too. */
  pipe?(text: string): void
  /** Where reports of `commands` go; without it, they are not made. */
  github?: GithubActions & { command(text: string): void }
}

/** What became of the reports. */
export interface Written {
  /** The paths written, in the order of `reporters`. */
  paths: string[]
  /** For each that is missing, in one sentence what could not be made or written, where, why, and what to do. */
  problems: string[]
}

/** What no terminal is there for is laid out as if for one. */
const PLAIN = { columns: 80, color: false }

/**
 * Writes the reports that are files, each whole or not at all, then tells the pipe and GitHub. One that cannot be written
 * keeps no other from it.
 */
export async function writeReports<Subject>(
  subject: Subject,
  { outDir, reporters, pipe, github }: ReportOptions<Subject>,
): Promise<Written> {
  const paths: string[] = []
  const problems: string[] = []
  const attempt = (name: string, make: () => Promise<void>) =>
    make().catch(error => {
      const problem = problemOf(name, error)
      // What keeps all from being written, such as a missing folder, is told once.
      if (!problems.includes(problem)) problems.push(problem)
    })
  const piped = pipe && onPipe(reporters)
  const texts = reporters.filter(({ stream }) => stream === undefined || stream === 'pipe')
  for (const reporter of texts) {
    const { name, file } = reporter
    await attempt(name, async () => {
      const text = await reporter.render(subject, PLAIN)
      // A terminal may be at the end of the pipe, and obey what one of the user's own did not make inert.
      if (reporter === piped) return pipe?.(inertLines(text))
      if (file === undefined) return
      const path = join(outDir, file)
      await createFolder(outDir, '--out')
      await writeWhole(path, text, '--out')
      paths.push(path)
    })
  }
  if (github) await tellGithub(subject, { reporters, github, attempt })
  return { paths, problems }
}

async function tellGithub<Subject>(
  subject: Subject,
  {
    reporters,
    github: { command, summaryFile },
    attempt,
  }: {
    reporters: readonly Reporter<Subject>[]
    github: NonNullable<ReportOptions<Subject>['github']>
    attempt(name: string, make: () => Promise<void>): Promise<void>
  },
): Promise<void> {
  for (const reporter of reporters) {
    if (reporter.stream === 'commands')
      await attempt(reporter.name, async () => command(await reporter.render(subject, PLAIN)))
    if (summaryFile !== undefined) await attempt(reporter.name, async () => reporter.summarize?.(subject, summaryFile))
  }
}

/** Ours say what to do next; an error of the language is a fault of this program, and its message may quote anything. */
function problemOf(name: string, error: unknown): string {
  if (error instanceof Error && error.constructor === Error) return error.message
  const kind = error instanceof Error ? error.name : typeof error
  return `Cannot make the report ${name}: a fault of core-conformance itself (${kind}); please report it with result.json.`
}
