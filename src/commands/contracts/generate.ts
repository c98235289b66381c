import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { provedInteractions } from '../../pact/make/generate.js'
import { checkNames } from '../../pact/make/select.js'
import { readResult } from '../../report/read.js'
import { VERDICTS } from '../../result/outcomes.js'
import { type Terminal, untilSignal } from '../../terminal.js'
import { FROM } from '../shared/declared.js'
import { generateOptions } from './config.js'
import { writeRunContracts } from './files.js'

/**
 * `core-conformance contracts generate`: writes contracts from the result of a run.
 * @returns the exit code: 0, or 3 if a contract could not be written
 */
export async function contractsGenerate(settings: Settings, terminal: Terminal): Promise<number> {
  const options = contractsGenerateConfig(settings)
  const result = await readResult(settings.value(FROM))
  checkNames(result.specs, options.interactions, settings.label('interactions'))
  provedInteractions(result, options) // tells a misspelt field as wrong usage
  const isWhole = await writeRunContracts(result, options, terminal, { signal: untilSignal(terminal) })
  return isWhole ? 0 : VERDICTS.incomplete.exitCode
}

/**
 * Reads which contracts to generate.
 * @throws ConfigError for the first value that cannot be used, and where no consumer is named
 */
export function contractsGenerateConfig(settings: Settings) {
  const options = generateOptions(settings)
  if (options.consumers.length) return options
  throw new ConfigError(
    `which client is the contract for? Name it with ${settings.label('consumer')}, or CORE_CONSUMER`,
  )
}
