import type { Settings } from '../../config/settings.js'
import { embeddedMock } from '../../runner/embedded.js'
import type { Terminal } from '../../terminal.js'
import { fleetConfig, singleSettings } from '../fleet/config.js'
import { runConfig } from '../one-core/config.js'
import { sealing } from '../one-core/sealing.js'

/**
 * `core-conformance run`: runs the suite against one Core or many, writes the reports and tells the verdict.
 *
 * What takes a while and waits for nothing is begun here, and goes on while the rest of the program is loaded.
 * @returns the exit code
 * @throws ConfigError, SuiteError or SelectionError before anything is sent
 */
export async function run(settings: Settings, terminal: Terminal): Promise<number> {
  const fleet = fleetConfig(settings)
  if (fleet) {
    const { runFleet } = await import('../fleet/run-fleet.js')
    return runFleet(fleet, settings, terminal)
  }
  const one = singleSettings(settings)
  const config = runConfig(one)
  const { target, password, configuration } = config
  const key = target && password !== undefined ? sealing(password) : undefined
  const mock = target ? undefined : embeddedMock(configuration)
  // Whoever awaits it is told; until then nobody listens.
  mock?.catch(() => {})
  try {
    const { runOne } = await import('../one-core/run-one.js')
    return await runOne(config, one, { key, mock }, terminal)
  } finally {
    // Also where nothing came to meet it.
    await mock?.then(
      core => core.close(),
      () => {},
    )
  }
}
