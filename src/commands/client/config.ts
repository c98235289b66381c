import { RULES } from '../../client/rules.js'
import { SCENARIOS, type Scenario } from '../../client/scenarios.js'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { hint } from '../../suite/problem.js'
import { generateOptions } from '../contracts/config.js'
import { OUT } from '../shared/settings.js'
import { CLIENT_SETTINGS } from './settings.js'

/** The settings of a `client`. */
export type ClientConfig = ReturnType<typeof clientConfig>

/**
 * Reads the settings of a `client`.
 * @throws ConfigError for the first value that cannot be used
 */
export function clientConfig(settings: Settings) {
  const { timeout: timeoutMs, routes: routesFile, dialect: dialectFile } = settings.values(CLIENT_SETTINGS)
  return {
    command: settings.operands,
    scenarios: scenariosOf(settings),
    timeoutMs,
    hangMs: hangOf(settings, timeoutMs),
    ignore: ignoredOf(settings),
    routesFile,
    dialectFile,
    outDir: settings.value(OUT),
    contracts: generateOptions(settings),
    env: settings.foreign(),
  }
}

function scenariosOf(settings: Settings): Scenario[] {
  const names = settings.value(CLIENT_SETTINGS.scenario)
  const known = SCENARIOS.map(({ name }): string => name)
  const stranger = names.find(name => name !== 'all' && !known.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(
      `${settings.get('scenario')?.label}: there is no scenario '${stranger}'${hint(stranger, [...known, 'all'])}`,
    )
  const chosen = SCENARIOS.filter(({ name }) => !names.length || names.includes('all') || names.includes(name))
  if (!settings.value(CLIENT_SETTINGS.anyCertificate)) return chosen
  const left = chosen.filter(({ name }) => !CERTIFICATE_SCENARIOS.includes(name))
  if (left.length > 0) return left
  throw new ConfigError(
    `${settings.get('allow-any-certificate')?.label} leaves out ${CERTIFICATE_SCENARIOS.join(' and ')}: there is no other scenario in ${settings.get('scenario')?.label}`,
  )
}

/** Scenarios and the rule that are left out for a client that is meant to take any certificate. */
const CERTIFICATE_SCENARIOS: readonly string[] = ['untrusted-certificate', 'changed-certificate']
const CERTIFICATE_RULE = 'certificate'

function ignoredOf(settings: Settings): string[] {
  const names = settings.value(CLIENT_SETTINGS.ignore)
  const known = RULES.map(({ id }) => id)
  const stranger = names.find(name => !known.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.get('ignore')?.label}: there is no rule '${stranger}'${hint(stranger, known)}`)
  const all = [...names, ...(settings.value(CLIENT_SETTINGS.anyCertificate) ? [CERTIFICATE_RULE] : [])]
  return [...new Set(all)].sort()
}

/**
 * Returns how long the client may wait for an answer, in milliseconds. If only the timeout is set, and is shorter than the
 * default, returns two thirds of it.
 * @throws ConfigError if the user sets a wait that is not less than the timeout
 */
function hangOf(settings: Settings, timeoutMs: number): number {
  const hangMs = settings.value(CLIENT_SETTINGS.hang)
  if (hangMs < timeoutMs) return hangMs
  if (settings.get('hang') === undefined) return Math.round((timeoutMs * 2) / 3)
  throw new ConfigError(`${settings.get('hang')?.label} must be less than --timeout, which ends the command`)
}
