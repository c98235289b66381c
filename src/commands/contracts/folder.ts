/** Checks the settings and the folder of contracts before a run. */
import type { GenerateOptions } from '../../pact/make/consumer.js'
import { checkNames } from '../../pact/make/select.js'
import type { Spec } from '../../suite/spec.js'
import { checkFolder } from '../shared/folder.js'

/**
 * Checks that the contracts can be made and written, so that a mistake does not cost a run of an hour.
 * @param named the specs that the run may prove, and the name in messages of the setting that names interactions; absent: the
 * command has no such setting
 * @throws ConfigError for an unknown interaction, and if the folder cannot be used
 */
export async function prepareContracts(
  { dir, interactions }: GenerateOptions,
  named?: { specs: Spec[]; label: string },
): Promise<void> {
  if (named) checkNames(named.specs, interactions, named.label)
  await checkFolder(dir, [], '--contracts')
}
