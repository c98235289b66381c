/** Files and names that the user gives. */
import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../../ground/file.js'
import { hint, systemReason } from '../../suite/problem.js'

/**
 * Reads a file that the user names.
 * @param cannot how the message begins: `--key: attest.key cannot be used`
 * @throws ConfigError for a file that cannot be read
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
