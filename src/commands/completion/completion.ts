import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { inert } from '../../report/inert.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import { PROFILES } from '../../settings/configuration.js'
import type { Names } from '../../settings/setting.js'
import type { Terminal } from '../../terminal.js'
import { SPECS } from '../shared/settings.js'
import { SHELLS } from './settings.js'
import { completionOf } from './shell-scripts.js'

/**
 * `core-conformance completion`: prints the completion script of a shell, or, for such a script, names of one kind.
 * @returns the exit code: 0
 * @throws ConfigError for a shell without a completion script
 */
export async function completion(settings: Settings, { stdout }: Terminal): Promise<number> {
  const { operands, commands } = settings
  const [asked = ''] = operands
  const names = Object.entries(NAMES).find(([kind]) => kind === asked)?.[1]
  if (names) {
    for (const name of await names(settings)) stdout.write(`${inert(name)}\n`)
    return 0
  }
  const shell = SHELLS.find(name => name === asked)
  if (!shell) throw new ConfigError(`there is a completion for ${SHELLS.join(', ')}, and for no other shell`)
  stdout.write(completionOf(shell, commands))
  return 0
}

/** How each kind of names is found. */
const NAMES: Record<Names, (settings: Settings) => Promise<string[]>> = {
  targets: async ({ configFile }) => [...(configFile?.targets.keys() ?? [])],
  profiles: async ({ configFile }) => [...PROFILES, ...(configFile?.profiles.keys() ?? [])],
  specs: async settings => {
    const { specs } = await suiteOf(settings)
    return [...new Set(specs.map(({ area }) => area)), ...specs.map(({ id }) => id)]
  },
  topics: async settings => {
    const { specs, requirements } = await suiteOf(settings)
    const { CAUSES } = await import('../../run/judge/causes.js')
    return [...requirements.keys(), ...specs.map(({ id }) => id), ...CAUSES.map(({ name }) => name)]
  },
  defects: async () => (await import('../../mock/defects/index.js')).DEFECTS.map(({ name }) => name),
  scenarios: async () => (await import('../../client/scenarios.js')).SCENARIOS.map(({ name }) => name),
}

function suiteOf(settings: Settings) {
  return loadSpecs(settings.value(SPECS))
}
