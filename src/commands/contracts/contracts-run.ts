import { clockOf } from '../../engine/clock.js'
import type { RunOptions } from '../../engine/options.js'
import { loadSpecs } from '../../runner/choose-specs.js'
import type { CoreUnderTest } from '../../runner/embedded.js'
import type { ConfigurationRecord } from '../../settings/record.js'

/** The configuration of a command about contracts. */
interface ContractsConfig extends ConfigurationRecord {
  tokenField: string | undefined
}

/** Returns the run in which contracts are verified, or their states served: it has no specs of the suite. */
export async function contractsRun(
  config: ContractsConfig,
  { target, control, kind }: CoreUnderTest,
): Promise<RunOptions> {
  return {
    suite: await loadSpecs([]),
    specs: [],
    configuration: config,
    target,
    targetKind: kind,
    tokenField: config.tokenField,
    clock: clockOf(control),
    advice: { patience: '--patience' },
  }
}
