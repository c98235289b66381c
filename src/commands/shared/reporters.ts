import type { Settings } from '../../config/settings.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { ConfigError } from '../../ground/config-error.js'
import { JOURNAL_FILE } from '../../journal/line.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import { inert, inertLines } from '../../report/inert.js'
import { filesOf, isOwnReporter, type Reporter } from '../../report/reporter.js'
import { defaultReporters, REPORTER_NAMES, REPORTERS } from '../../report/reporters.js'
import type { RunResult } from '../../result.js'
import type { Outputs } from '../../terminal.js'
import { REPORTER } from './declared.js'
import { refuseStranger } from './given.js'

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
    own.push(await ownReporter(path, { tell: text => stderr.write(inertLines(text)) }))
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
