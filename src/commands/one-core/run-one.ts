import type { Settings } from '../../config/settings.js'
import { Transport } from '../../core/transport.js'
import { clockOf } from '../../engine/clock.js'
import { loadSpecs, revision, selectedSpecs } from '../../runner/choose-specs.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import type { Terminal } from '../../terminal.js'
import { coreUnderTest } from '../shared/core-under-test.js'
import { prepareFolder, removeJournal } from '../shared/folder.js'
import { reportersNamed } from '../shared/reporters.js'
import { beginJournal, embeddedSealing, keyFolder, sealing, warn } from './begin-journal.js'
import type { RunConfig } from './config.js'
import { inputsOf, runAndReport, stopSignal } from './run-and-report.js'

/**
 * Runs the suite against one Core.
 * @param settings give messages the names of flags and variables
 * @param mock the embedded mock Core, if there is no target. `run` started it, and closes it
 * @returns the exit code
 * @throws ConfigError, SuiteError or SelectionError before anything is sent
 */
export async function runOne(
  config: RunConfig,
  settings: Settings,
  mock: Promise<CoreUnderTest> | undefined,
  terminal: Terminal,
): Promise<number> {
  const { configuration, contracts, tokenField } = config
  const suite = await loadSpecs(config.specFolders)
  const specs = selectedSpecs(suite, configuration, settings.get('only')?.label)
  const pins = settings.get('pin')
  if (!config.target && pins)
    warn(terminal, `${pins.label} is left out: pins are of a Core, and this run is against a mock Core`)
  const revised = await revision(config.known, suite, warning => warn(terminal, warning))
  const reporters = await reportersNamed(config.reporters, terminal)
  await prepareFolder(config.outDir, reporters)
  if (contracts.consumers.length) {
    const { prepareContracts } = await import('../contracts/folder.js')
    await prepareContracts(contracts, { specs, label: settings.label('interactions') })
  }
  const signal = stopSignal(terminal)
  // Load meanwhile: another process starts the mock Core.
  const loaded = Transport.load()
  const met = await (mock ?? coreUnderTest({ ...config, ...configuration }, terminal))
  await loaded
  try {
    const clock = clockOf(met.control)
    const { target, kind: targetKind } = met
    const made = targetKind === 'mock' ? embeddedSealing() : sealing(target.password, keyFolder(settings))
    const journal = await beginJournal(config, suite, met, clock, terminal, made)
    const told = { ...(tokenField !== undefined && { tokenField }) }
    const conclusion = await runAndReport(
      { suite, specs, target, targetKind, configuration, clock, journal, ...told, ...revised },
      signal,
      { ...config, reporters, inputs: inputsOf(config) },
      terminal,
    )
    if (conclusion.isOpen) await made.own?.intoJournal()
    else made.own?.forget()
    journal.close()
    if (!conclusion.isOpen) removeJournal(config.outDir)
    return conclusion.code
  } finally {
    await met.close()
  }
}
