import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { inert } from '../../report/inert.js'
import type { Terminal } from '../../terminal.js'

/**
 * Reads the files that a mock Core is given: how it speaks, and what else it serves.
 * @throws ConfigError for a file that cannot be used
 */
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
