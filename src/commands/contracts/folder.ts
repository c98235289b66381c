/** What is looked at before contracts are made. */
import { access, constants } from 'node:fs/promises'
import { ConfigError } from '../../config/error.js'
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { checkNames } from '../../pact/make/select.js'
import { createFolder, explained } from '../../report/write.js'
import type { Spec } from '../../suite/spec.js'

/**
 * Sees to it that the contracts can be made and written, before a run of an hour is made for nothing.
 * @param named the specs that the run may prove, and how messages call the setting that names interactions; absent: none does
 * @throws ConfigError where that cannot be
 */
export async function prepareContracts(
  { dir, interactions = [] }: Pick<GenerateOptions, 'dir'> & Partial<GenerateOptions>,
  named?: { specs: Spec[]; label: string },
): Promise<void> {
  try {
    if (named) checkNames(named.specs, interactions, named.label)
    await createFolder(dir, '--contracts')
    await access(dir, constants.W_OK).catch(cause => {
      throw explained('Cannot write to', dir, cause, '--contracts')
    })
  } catch (error) {
    throw new ConfigError(error instanceof Error ? error.message : String(error))
  }
}
