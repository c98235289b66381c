/** Writes contracts. Pact is loaded from here, so a run without contracts does not load it. */

import { count, numbered } from '../../ground/count.js'
import { grouped } from '../../ground/grouped.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { generateContracts, provedInteractions } from '../../pact/make/generate.js'
import type { Interactions } from '../../pact/make/select.js'
import { PactProcess } from '../../pact/process/process.js'
import { inert } from '../../report/inert.js'
import type { RunResult } from '../../result.js'
import type { Outputs } from '../../terminal.js'

/**
 * Writes contracts, and prints what they hold and what they leave out.
 * @param told whether to print what was written; errors are always printed
 * @param unless the reason to print if there is nothing to write
 * @returns whether all contracts were written
 */
export async function writeContracts(
  make: () => Interactions,
  options: GenerateOptions,
  { stdout, stderr }: Outputs,
  { told = true, signal, unless }: { told?: boolean; signal?: AbortSignal; unless: string },
): Promise<boolean> {
  const pact = new PactProcess()
  const none = (why: string) => {
    stderr.write(`core-conformance: no contract was written: ${inert(why)}\n`)
    return false
  }
  try {
    const { interactions, left } = make()
    const files = await generateContracts(interactions, options, pact, signal)
    if (told) {
      const noun = numbered(files.length, 'Contract', 'Contracts')
      if (files.length)
        stdout.write(`${noun}: ${inert(files.join(', '))} (${count(interactions.length, 'interaction')})\n`)
      for (const [reason, those] of grouped(left, ({ reason }) => reason))
        stdout.write(`${inert(`Left out of the contract: ${those.map(({ name }) => name).join(', ')} (${reason})`)}\n`)
    }
    return files.length > 0 || none(unless)
  } catch (error) {
    return none(error instanceof Error ? error.message : String(error))
  } finally {
    await pact.close()
  }
}

export async function writeRunContracts(
  result: RunResult,
  options: GenerateOptions,
  outputs: Outputs,
  how: { told?: boolean; signal?: AbortSignal } = {},
): Promise<boolean> {
  const what = options.interactions.length ? options.interactions.join(', ') : 'any interaction'
  return writeContracts(() => provedInteractions(result, options), options, outputs, {
    ...how,
    unless: `the run did not prove ${what}`,
  })
}
