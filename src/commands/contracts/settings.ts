import type { Command } from '../../config/command.js'
import { list, text, toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { FROM, JSON_SWITCH, OF_RUNS } from '../shared/settings.js'

/** Settings for the contract of `client`, which holds every interaction that the client used. */
export const CLIENT_CONTRACTS = {
  consumer: setting(
    'consumer',
    list('NAME', { item: 'the name of a client' }),
    'write the contract of this client: NAME-core.json',
    { file: OF_RUNS },
  ),
  folder: setting('contracts', text('FOLDER'), 'the folder for contracts', { default: 'contracts', file: OF_RUNS }),
  pinStatuses: setting('pin-statuses', toggle, 'require the exact status seen, not any 2xx or 4xx', { file: OF_RUNS }),
  strictToken: setting('strict-token', toggle, 'require the token length and alphabet seen', { file: OF_RUNS }),
  fields: setting(
    'fields',
    list('NAMES', { item: 'the name of a field', mayBeEmpty: true }),
    'which fields of successful answers the client reads, or all (default: only the token)',
    { file: OF_RUNS },
  ),
}

/** Settings for the contracts of a run, where the user can choose interactions. */
export const CONTRACTS = {
  ...CLIENT_CONTRACTS,
  interactions: setting(
    'interactions',
    list('NAMES', { item: 'the name of an interaction' }),
    'which interactions to put into contracts (default: all that passed)',
    { file: OF_RUNS },
  ),
}

/** `core-conformance contracts generate`. */
export const CONTRACTS_GENERATE: Command = {
  name: 'contracts generate',
  about: 'write contracts for client teams from the result of a run',
  options: [FROM, ...Object.values(CONTRACTS)],
}

/** The file to write. This setting has its own variable, since CORE_OUT names the folder of the reports. */
export const OPENAPI_OUT = setting(
  'out',
  text('FILE'),
  'the file to write (default stdout); JSON if its name ends in .json',
  { env: 'CORE_OPENAPI_OUT' },
)

/** `core-conformance contracts openapi`. */
export const CONTRACTS_OPENAPI: Command = {
  name: 'contracts openapi',
  about: 'write an OpenAPI document of a Core from what a run observed',
  options: [FROM, OPENAPI_OUT, { ...JSON_SWITCH, about: 'as JSON (default YAML)' }],
}
