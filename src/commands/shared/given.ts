/** Files and names that the user gives. */
import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { MOST_FILE_BYTES, readRegular, Unreadable } from '../../ground/file.js'
import { inert } from '../../report/inert.js'
import { hint, systemReason } from '../../suite/problem.js'
import type { Terminal } from '../../terminal.js'

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
