import type { Command, Option } from './option.js'
import { FROM } from './shared.js'

const CONSUMER: Option = {
  flag: 'consumer',
  env: 'CORE_CONSUMER',
  value: 'NAME',
  list: true,
  about: 'write the contract of this client: NAME-core.json',
}
const FOLDER: Option = {
  flag: 'contracts',
  env: 'CORE_CONTRACTS',
  value: 'FOLDER',
  about: 'where contracts go (default contracts)',
}
const PIN_STATUSES: Option = {
  flag: 'pin-statuses',
  env: 'CORE_PIN_STATUSES',
  about: 'hold answers to the status seen, not to any 2xx or 4xx',
}
const STRICT_TOKEN: Option = {
  flag: 'strict-token',
  env: 'CORE_STRICT_TOKEN',
  about: 'hold tokens to the length and alphabet seen',
}
const FIELDS: Option = {
  flag: 'fields',
  env: 'CORE_FIELDS',
  value: 'NAMES',
  list: true,
  about: 'fields of successful answers that the client reads, or all (default: the token only)',
}

/** What goes into contracts, and where they go. */
export const CONTRACTS: Option[] = [
  CONSUMER,
  FOLDER,
  {
    flag: 'interactions',
    env: 'CORE_INTERACTIONS',
    value: 'NAMES',
    list: true,
    about: 'which interactions go into contracts (default all that passed)',
  },
  PIN_STATUSES,
  STRICT_TOKEN,
  FIELDS,
]

/** The same for the contract of what a client used, which holds all of it. */
export const CLIENT_CONTRACTS: Option[] = [CONSUMER, FOLDER, PIN_STATUSES, STRICT_TOKEN, FIELDS]

/** `core-conformance contracts generate`. */
export const CONTRACTS_GENERATE: Command = {
  name: 'contracts generate',
  about: 'write contracts for client teams, of what a run proved',
  options: [FROM, ...CONTRACTS],
  secrets: [],
}
