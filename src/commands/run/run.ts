import type { Settings } from '../../config/settings.js'
import { embeddedMock } from '../../runner/embedded.js'
import type { Terminal } from '../../terminal.js'
import { fleetConfig, singleSettings } from '../fleet/config.js'
import { runConfig } from '../one-core/config.js'

/**
 * `core-conformance run`: runs the suite against one Core or many, writes the reports and prints the verdict.
 *
 * The mock Core takes a while: it starts here, while the rest of the program is loaded.
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
  const { target, configuration } = config
  const mock = target ? undefined : embeddedMock(configuration)
  // `runOne` awaits the mock Core later, and sees the error then. Until then the rejection must not end the process.
  mock?.catch(() => {})
  try {
    const { runOne } = await import('../one-core/run-one.js')
    return await runOne(config, one, mock, terminal)
  } finally {
    // Close the mock Core also if `runOne` failed before using it.
    await mock?.then(
      core => core.close(),
      () => {},
    )
  }
}
