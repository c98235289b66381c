import { SCENARIOS, type Scenario } from '../client/scenarios.js'
import type { GenerateOptions } from '../contract/consumer.js'
import { hint } from '../suite/problem.js'
import { generateOptions } from './contracts.js'
import { ConfigError } from './error.js'
import type { Settings } from './settings.js'
import { list, time } from './values.js'

/** A `client`, as configured. */
export interface ClientConfig {
  command: string[]
  /** In the order in which they are run. */
  scenarios: Scenario[]
  timeoutMs: number
  /** A dialect file, or the result of a run. */
  dialectFile: string | undefined
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
  return {
    command: settings.operands,
    scenarios: scenariosOf(settings),
    timeoutMs: time(settings, 'timeout', '60s', { atLeast: '1s', atMost: '1h' }),
    dialectFile: settings.get('dialect')?.text,
    outDir: settings.get('out')?.text ?? 'reports',
    contracts: generateOptions(settings),
    env: settings.foreign(),
  }
}

function scenariosOf(settings: Settings): Scenario[] {
  const names = list(settings, 'scenario')
  const known = SCENARIOS.map(({ name }): string => name)
  const stranger = names.find(name => name !== 'all' && !known.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(
      `${settings.get('scenario')?.label}: there is no scenario '${stranger}'${hint(stranger, [...known, 'all'])}`,
    )
  return SCENARIOS.filter(({ name }) => !names.length || names.includes('all') || names.includes(name))
}
