/** Files, names and reports that the user gives. */
import type { Settings } from '../../config/settings.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { ConfigError } from '../../ground/config-error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../../ground/file.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { inert, inertLines } from '../../report/inert.js'
import { filesOf, isOwnReporter, type Reporter } from '../../report/reporter.js'
import { defaultReporters, REPORTER_NAMES, REPORTERS } from '../../report/reporters.js'
import type { RunResult } from '../../result.js'
import { hint, systemReason } from '../../suite/problem.js'
import type { Outputs, Terminal } from '../../terminal.js'
import { REPORTER } from './declared.js'

/**
 * Reads a file that the user names.
 * @param cannot how the message begins: `--key: attest.key cannot be used`
 */
export function givenFile(path: string, cannot: string): Buffer {
  try {
    return readRegular(path, MOST_FILE_BYTES)
  } catch (error) {
    const why = error instanceof Unreadable ? `it ${error.message}` : systemReason(error, 'file')
    throw new ConfigError(`${cannot}: ${why}`)
  }
}

/**
 * Refuses a name that nothing has.
 * @param what what has such names, as in `there is no report 'pdf'`
 * @throws ConfigError with the name that may be meant
 */
export function refuseStranger(
  settings: Settings,
  flag: string,
  names: readonly string[],
  known: readonly string[],
  what: string,
  where = '',
): void {
  const stranger = names.find(name => !known.includes(name))
  if (stranger === undefined) return
  throw new ConfigError(`${settings.label(flag)}: there is no ${what} '${stranger}'${where}${hint(stranger, known)}`)
}

/** Returns the reports of a command with reports of its own, in their order: those that the user named, else all. */
export function chosenReports(
  settings: Settings,
  named: readonly string[],
  all: readonly string[],
  where = '',
): readonly string[] {
  refuseStranger(settings, 'reporter', named, all, 'report', where)
  return named.length ? all.filter(name => named.includes(name)) : all
}

/** Reads the files that a mock Core is given: how it speaks, and what else it serves. */
export async function mockFiles(
  settings: Settings,
  dialect: string | undefined,
  routes: string | undefined,
  terminal: Terminal,
) {
  const { loadDialect, loadRoutes } = await import('../../mock/index.js')
  const refuse = (flag: 'dialect' | 'routes') => (error: Error) => {
    throw new ConfigError(`${settings.get(flag)?.label}: the file cannot be used:\n${error.message}`)
  }
  const note = (text: string) => terminal.stderr.write(`core-conformance: dialect: ${inert(text)}\n`)
  return {
    dialect: dialect === undefined ? undefined : await loadDialect(dialect, note).catch(refuse('dialect')),
    routes: routes === undefined ? [] : await loadRoutes(routes).catch(refuse('routes')),
  }
}

/**
 * Returns the reporters for names and paths. A path names a module of the user's own, which is loaded.
 * @throws ConfigError for a module that cannot be used, or that writes the file of another report
 */
export async function reportersNamed(names: readonly string[], { stderr }: Outputs): Promise<Reporter<RunResult>[]> {
  const ours = REPORTERS.filter(({ name }) => names.includes(name))
  const paths = names.filter(isOwnReporter)
  if (!paths.length) return ours
  const { ownReporter } = await import('../../report/own.js')
  const own: Reporter<RunResult>[] = []
  for (const path of paths) {
    const reporter = await ownReporter(path, { tell: text => stderr.write(inertLines(text)) })
    const { name, file } = reporter
    // Reports that the user did not ask for count too.
    const taken = [REPORTERS, DIFF_REPORTERS, FLEET_REPORTERS, own].flatMap(filesOf)
    // Some file systems ignore case.
    if ([...taken, JOURNAL_FILE].some(other => other.toLowerCase() === file?.toLowerCase()))
      throw new ConfigError(
        `the reporter ${inert(name)} cannot be used: another report is called ${file}; export another name as its 'file'`,
      )
    own.push(reporter)
  }
  return [...ours, ...own]
}

/** Returns the reports that a command makes: those that the user named, else its defaults. See {@link namedReporters}. */
export function reportersOf(settings: Settings, command: 'run' | 'report'): string[] {
  return namedReporters(settings) ?? defaultReporters(command, settings.github() !== undefined)
}

/**
 * Returns the reports that the user named: names of built-in reports in registry order, then paths of the user's own modules.
 * @returns undefined if the user named none
 * @throws ConfigError for a report that does not exist, or that cannot be made here
 */
export function namedReporters(settings: Settings): string[] | undefined {
  const names = settings.value(REPORTER)
  const label = settings.get('reporter')?.label
  const own = names.filter(isOwnReporter)
  const ours = names.filter(name => !isOwnReporter(name))
  const stranger = ours.find(name => !REPORTER_NAMES.includes(name))
  if (stranger && /\.[cm]?[jt]s$/i.test(stranger))
    throw new ConfigError(
      `${label}: there is no report '${stranger}'; a module of your own is named by its path: ./${stranger}`,
    )
  refuseStranger(settings, 'reporter', ours, REPORTER_NAMES, 'report')
  const misplaced = REPORTERS.find(({ name, needs }) => names.includes(name) && needs)
  if (misplaced?.needs && settings.github() === undefined)
    throw new ConfigError(
      `${label}: the report '${misplaced.name}' goes to ${misplaced.needs.what}, and this is none (GITHUB_ACTIONS is not true): ${misplaced.needs.otherwise}`,
    )
  return names.length ? [...REPORTER_NAMES.filter(name => names.includes(name)), ...own] : undefined
}
