import { ConfigError } from '../../config/error.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { JOURNAL_FILE } from '../../journal/index.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { filesOf, isOwnReporter, REPORTERS, type Reporter } from '../../report/index.js'
import { inert, inertLines } from '../../report/inert.js'
import type { RunResult } from '../../result.js'
import type { Terminal } from '../../terminal.js'

/**
 * Returns the reporters for names and paths. A path names a module of the user's own, which is loaded.
 * @throws ConfigError for a module that cannot be used, or that writes the file of another report
 */
export async function reportersNamed(
  names: readonly string[],
  { stderr }: Pick<Terminal, 'stderr'>,
): Promise<Reporter<RunResult>[]> {
  const ours = REPORTERS.filter(({ name }) => names.includes(name))
  const paths = names.filter(isOwnReporter)
  if (!paths.length) return ours
  const { OwnReporterError, ownReporter } = await import('../../report/own.js')
  const own: Reporter<RunResult>[] = []
  for (const path of paths) {
    try {
      own.push(await ownReporter(path, { tell: text => stderr.write(inertLines(text)) }))
    } catch (error) {
      throw error instanceof OwnReporterError ? new ConfigError(error.message) : error
    }
    refuseTaken(own)
  }
  return [...ours, ...own]
}

/** Checks that no other report writes the file of the last reporter. Reports that the user did not ask for count too. */
function refuseTaken(own: Reporter<RunResult>[]): void {
  const { name = '', file = '' } = own.at(-1) ?? {}
  const taken = [
    ...filesOf(REPORTERS),
    ...filesOf(DIFF_REPORTERS),
    ...filesOf(FLEET_REPORTERS),
    ...filesOf(own.slice(0, -1)),
    JOURNAL_FILE,
  ]
  // Some file systems ignore case.
  if (!taken.some(other => other.toLowerCase() === file.toLowerCase())) return
  throw new ConfigError(
    `the reporter ${inert(name)} cannot be used: another report is called ${file}; export another name as its 'file'`,
  )
}
