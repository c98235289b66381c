/** Writes reports: to files, to a pipe, and to GitHub Actions. */
import { join } from 'node:path'
import { inertLines } from './inert.js'
import { type GithubActions, onPipe, type Reporter } from './reporter.js'
import { createFolder, writeWhole } from './write.js'

/** Which reports to write, and where. */
export interface ReportOptions<Subject> {
  /** The output folder, absolute or relative to the working directory. It is created when the first file is written. */
  outDir: string
  /** The reporters. The caller itself writes reports with the stream `terminal`. */
  reporters: readonly Reporter<Subject>[]
  /** Takes the text for stdout, if no terminal report goes there. Absent: that text becomes a file. */
  pipe?(text: string): void
  /** Takes reports with the stream `commands`. Absent: they are not made. */
  github?: GithubActions & { command(text: string): void }
}

/** The reports that were written, and the problems. */
export interface Written {
  /** The paths that were written, in the order of `reporters`. */
  paths: string[]
  /** One sentence for each missing report: what could not be made or written, where, why, and what to do. */
  problems: string[]
}

/** The layout of texts that do not go to a terminal. */
const PLAIN = { columns: 80, color: false }

/**
 * Writes the reports to files and the pipe, then to GitHub. Each file is written whole or not at all. A report that cannot be
 * written does not stop the others.
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
      // Report a problem of all reports, such as a missing folder, once.
      if (!problems.includes(problem)) problems.push(problem)
    })
  const piped = pipe && onPipe(reporters)
  const texts = reporters.filter(({ stream }) => stream === undefined || stream === 'pipe')
  for (const reporter of texts) {
    const { name, file } = reporter
    await attempt(name, async () => {
      const text = await reporter.render(subject, PLAIN)
      // A terminal may read the pipe, and the user's own reporter may not have made its text inert.
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

/**
 * Returns the message of an error. A plain Error is ours. Any other error is a bug here, and its message may quote a secret.
 */
function problemOf(name: string, error: unknown): string {
  if (error instanceof Error && error.constructor === Error) return error.message
  const kind = error instanceof Error ? error.name : typeof error
  return `Cannot make the report ${name}: a fault of core-conformance itself (${kind}); please report it with result.json.`
}
