import { RULES } from '../../client/rules.js'
import { SCENARIOS, type Scenario } from '../../client/scenarios.js'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { hint } from '../../suite/problem.js'
import { generateOptions } from '../contracts/config.js'
import { OUT } from '../shared/settings.js'
import { CLIENT_SETTINGS } from './settings.js'

/** A `client`, as configured. */
export interface ClientConfig {
  command: string[]
  /** In the order in which they are run. */
  scenarios: Scenario[]
  timeoutMs: number
  /** How long the client may wait for an answer that never comes; less than the timeout. */
  hangMs: number
  /** The rules that are left out, by id, sorted. */
  ignore: string[]
  /** A dialect file, or the result of a run. */
  dialectFile: string | undefined
  /** An OpenAPI document or a short YAML file with endpoints of the user's own. */
  routesFile: string | undefined
  outDir: string
  /** Which contracts to write of what the client used; for no consumer, none. */
  contracts: Omit<GenerateOptions, 'interactions'>
  /** What the command's environment is made of. */
  env: Record<string, string>
}

/**
 * Makes a {@link ClientConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function clientConfig(settings: Settings): ClientConfig {
  const timeoutMs = settings.value(CLIENT_SETTINGS.timeout)
  return {
    command: settings.operands,
    scenarios: scenariosOf(settings),
    timeoutMs,
    hangMs: hangOf(settings, timeoutMs),
    ignore: ignoredOf(settings),
    routesFile: settings.value(CLIENT_SETTINGS.routes),
    dialectFile: settings.value(CLIENT_SETTINGS.dialect),
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

/** What a client that takes any certificate is not judged in, and by. */
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

/** Where nothing is said, of a shorter timeout two thirds. */
function hangOf(settings: Settings, timeoutMs: number): number {
  const hangMs = settings.value(CLIENT_SETTINGS.hang)
  if (hangMs < timeoutMs) return hangMs
  if (settings.get('hang') === undefined) return Math.round((timeoutMs * 2) / 3)
  throw new ConfigError(`${settings.get('hang')?.label} must be less than --timeout, which ends the command`)
}
