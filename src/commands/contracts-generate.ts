import { readFile } from 'node:fs/promises'
import { contractsGenerateConfig } from '../config/contracts.js'
import { ConfigError, type Settings } from '../config/settings.js'
import { ContractError } from '../contract/problem.js'
import { parseResult } from '../contract/result-file.js'
import { checkNames } from '../contract/select.js'
import { inert } from '../report/inert.js'
import { systemReason } from '../suite/problem.js'
import { type Terminal, untilSignal } from '../terminal.js'
import { writeRunContracts } from './contract-files.js'

/** The contracts that were asked for could not be written. */
const EXIT_UNWRITTEN = 3

/**
 * `core-conformance contracts generate`: writes contracts from the result of a run.
 * @returns the exit code
 * @throws ConfigError for what is wrongly set, or a file that is no result
 */
export async function contractsGenerate(settings: Settings, terminal: Terminal): Promise<number> {
  const { from, ...options } = contractsGenerateConfig(settings)
  const label = settings.get('from')?.label
  const text = await readFile(from, 'utf8').catch(error => {
    const advice = label ? '' : '; make a run first, or name the result of one with --from'
    throw new ConfigError(
      `${label ?? 'the result'}: ${inert(from)} cannot be read: ${systemReason(error, 'file')}${advice}`,
    )
  })
  try {
    const result = parseResult(text, from)
    checkNames(result.specs, options.interactions, settings.get('interactions')?.label ?? '--interactions')
    return (await writeRunContracts(result, options, terminal, { signal: untilSignal(terminal) })) ? 0 : EXIT_UNWRITTEN
  } catch (error) {
    if (error instanceof ContractError) throw new ConfigError(error.message)
    throw error
  }
}
