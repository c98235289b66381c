import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { type GenerateOptions, isConsumerName } from '../../pact/make/consumer.js'
import { CONTRACTS } from '../shared/declared.js'

/** Reads which contracts to write, and where. Without a consumer there are none. */
export function generateOptions(settings: Settings): GenerateOptions {
  const options = settings.values(CONTRACTS)
  const { consumers } = options
  const bad = consumers.find(name => !isConsumerName(name))
  if (bad !== undefined)
    throw new ConfigError(
      `${settings.label('consumer')}: '${bad}' cannot be the name of a consumer, since it becomes a part of a file name: use letters, digits, dots, hyphens and underscores, at most 64`,
    )
  const lower = consumers.map(name => name.toLowerCase())
  const twice = consumers.find((_, index) => lower.indexOf(lower[index] ?? '') !== index)
  if (twice !== undefined)
    throw new ConfigError(
      `${settings.label('consumer')}: two consumers are called '${twice}' but for capital letters: name them apart`,
    )
  const stray = (['contracts', 'interactions', 'pin-statuses', 'strict-token', 'fields'] as const).find(flag =>
    settings.from(flag, 'flag'),
  )
  if (!consumers.length && stray !== undefined)
    throw new ConfigError(
      `--${stray} is about contracts, and no consumer is named: add ${settings.label('consumer')} NAME`,
    )
  return options
}
