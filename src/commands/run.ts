import type { Settings } from '../config/settings.js'
import { embeddedMock } from '../runner/embedded.js'
import type { Terminal } from '../terminal.js'
import { fleetConfig, singleSettings } from './fleet/config.js'
import { runConfig } from './one-core/config.js'
import { coreUnderTest } from './shared/target.js'

/**
 * `core-conformance run`: runs the suite against one Core or many, writes the reports and prints the verdict.
 *
 * The mock Core takes a while: it starts here, while the rest of the program is loaded.
 */
export async function run(settings: Settings, terminal: Terminal): Promise<number> {
  const fleet = fleetConfig(settings)
  if (fleet) {
    const { runFleet } = await import('./fleet/run-fleet.js')
    return runFleet(fleet, settings, terminal)
  }
  const one = singleSettings(settings)
  const config = runConfig(one)
  const { target, configuration, outDir } = config
  const mock = target ? undefined : embeddedMock(configuration)
  // It is awaited later, and the error is seen then. Until then the rejection must not end the process.
  mock?.catch(() => {})
  try {
    const { Transport } = await import('../core/transport.js')
    const { showRun, stopSignal } = await import('./one-core/console.js')
    const { begin, meansOf, prepare, prepareFolders, warn } = await import('./one-core/run.js')
    const { newSeal } = await import('../journal/own-key.js')
    const { keyFolder } = await import('./shared/folder.js')
    const pins = one.get('pin')
    if (!target && pins)
      warn(terminal, `${pins.label} is left out: pins are of a Core, and this run is against a mock Core`)
    const prepared = await prepare(config, outDir, meansOf(terminal), one.get('only')?.label)
    await prepareFolders(prepared, one.label('interactions'))
    const signal = stopSignal(terminal)
    // Load meanwhile: another process starts the mock Core.
    const loaded = Transport.load()
    const met = await (mock ?? coreUnderTest({ ...config, ...configuration }, terminal))
    await loaded
    const seal = await newSeal(target && met.target.password, keyFolder(one))
    return await showRun(await begin(prepared, met, seal, terminal), signal, config, terminal)
  } finally {
    // Close the mock Core also if nothing used it.
    await mock?.then(
      core => core.close(),
      () => {},
    )
  }
}
