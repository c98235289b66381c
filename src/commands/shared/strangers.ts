import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { hint } from '../../suite/problem.js'

/**
 * Refuses a name that nothing has.
 * @param what what has such names, as in `there is no report 'pdf'`
 * @param where the end of that clause
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

/**
 * Returns the reports of a command with reports of its own, in their order: those that the user named, else all.
 * @param where see {@link refuseStranger}
 * @throws ConfigError for a name of none
 */
export function chosenReports(
  settings: Settings,
  named: readonly string[],
  all: readonly string[],
  where = '',
): readonly string[] {
  refuseStranger(settings, 'reporter', named, all, 'report', where)
  return named.length ? all.filter(name => named.includes(name)) : all
}
