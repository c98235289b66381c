/** Gives the names that completion scripts ask the program for, since they depend on files of the user. */
import type { Settings } from '../../config/settings.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import { PROFILES } from '../../settings/configuration.js'
import type { Names } from '../../settings/setting.js'
import { SPECS } from '../shared/settings.js'

/** How each kind of names is found. */
export const NAMES: Record<Names, (settings: Settings) => Promise<string[]>> = {
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
