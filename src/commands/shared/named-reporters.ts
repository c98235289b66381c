/** Reads which reports the user asked for. */

import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { isOwnReporter } from '../../report/reporter.js'
import { defaultReporters, REPORTER_NAMES, REPORTERS } from '../../report/reporters.js'
import { hint } from '../../suite/problem.js'
import { REPORTER } from './settings.js'

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
  const stranger = names.find(name => !REPORTER_NAMES.includes(name) && !own.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(
      /\.[cm]?[jt]s$/i.test(stranger)
        ? `${label}: there is no report '${stranger}'; a module of your own is named by its path: ./${stranger}`
        : `${label}: there is no report '${stranger}'${hint(stranger, REPORTER_NAMES)}`,
    )
  const here = settings.github() === undefined ? [] : ['GitHub Actions']
  const misplaced = REPORTERS.find(({ name, needs }) => names.includes(name) && needs && !here.includes(needs.what))
  if (misplaced?.needs)
    throw new ConfigError(
      `${label}: the report '${misplaced.name}' goes to ${misplaced.needs.what}, and this is none (GITHUB_ACTIONS is not true): ${misplaced.needs.otherwise}`,
    )
  return names.length ? [...REPORTER_NAMES.filter(name => names.includes(name)), ...own] : undefined
}
