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
