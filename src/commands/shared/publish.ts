import { type Fence, inert, unobeyed } from '../../report/inert.js'
import { type GithubActions, onPipe, onTerminal } from '../../report/reporter.js'
import { writeWhole } from '../../report/write.js'
import { type ReportOptions, type Written, writeReports, writtenText } from '../../report/write-reports.js'
import type { Outputs } from '../../terminal.js'

interface Publishing<T> extends Omit<ReportOptions<T>, 'github' | 'pipe'> {
  github: GithubActions | undefined
  /** The fence that is open around what was printed before; absent: none is. */
  fenced?: Fence | undefined
  quiet: boolean
  verbose?: boolean
  /** The width of the text for people, where stdout has none. */
  columns?: number
  /** Whether to tell what was written also where nothing is shown to people. */
  isAlwaysTold?: boolean
  /** Lists further files to tell of, given those that were written. */
  beyond?(paths: readonly string[]): string[]
}

/** Shows a subject to people, where a reporter does that, and writes its other reports. */
export async function publish<T>(subject: T, how: Publishing<T>, { stdout, stderr, color }: Outputs): Promise<Written> {
  const { github, fenced, quiet, verbose = false, columns = 80, isAlwaysTold, beyond, ...files } = how
  const forPeople = onTerminal(files.reporters)
  // A report that goes to stdout must not be mixed with other text.
  const told = onPipe(files.reporters) ? stderr : stdout
  if (forPeople) {
    const text = await forPeople.render(subject, { columns: stdout.columns ?? columns, color, quiet, verbose })
    stdout.write(fenced ? text + fenced.close : unobeyed(text, github !== undefined))
  }
  const written = await writeReports(subject, {
    ...files,
    pipe: text => stdout.write(text),
    ...(github && { github: { ...github, command: (text: string) => told.write(text) } }),
  })
  const paths = [...written.paths, ...(beyond?.(written.paths) ?? [])]
  if (paths.length > 0 && (forPeople ? !quiet : isAlwaysTold)) told.write(writtenText(paths, told.columns))
  return written
}

/**
 * Writes the only report of a command, and says where it is.
 * @returns whether it is written; else a message on stderr says why it is not
 */
export async function publishFile(path: string, text: string, { stdout, stderr }: Outputs): Promise<boolean> {
  try {
    await writeWhole(path, text, '--out')
    stdout.write(`Report: ${inert(path)}\n`)
    return true
  } catch (error) {
    stderr.write(`core-conformance: ${error instanceof Error ? error.message : String(error)}\n`)
    return false
  }
}
