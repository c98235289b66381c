import type { Command, Option } from './option.js'
import {
  ACCESS_CONTROL,
  CONTROL_KEY,
  CONTROL_URL,
  DEADLINE,
  FROM,
  IDLE_LIFETIME,
  IDLE_TOLERANCE,
  MAX_REFUSED_LOGONS,
  OUT,
  PASSWORD,
  PROBE_PATH,
  PROFILE,
  TARGET,
  TOKEN_FIELD,
} from './shared.js'

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

/** `core-conformance contracts verify`. */
export const CONTRACTS_VERIFY: Command = {
  name: 'contracts verify',
  about: 'verify contracts on a Core; without a target, on a mock Core',
  options: [
    // It reads no configuration file, so there are no names.
    ...TARGET.map(option =>
      option.flag === 'target'
        ? { ...option, value: 'URL', about: 'base URL of the Core, such as https://10.0.0.5' }
        : option,
    ),
    ACCESS_CONTROL,
    IDLE_LIFETIME,
    IDLE_TOLERANCE,
    PROBE_PATH,
    TOKEN_FIELD,
    PROFILE,
    {
      flag: 'state',
      env: 'CORE_STATE',
      value: 'WORDS=STATE',
      list: true,
      about: "what a contract's own words for a provider state mean",
    },
    { ...OUT, about: 'where contracts.junit.xml goes (default reports)' },
    MAX_REFUSED_LOGONS,
    DEADLINE,
    CONTROL_URL,
  ],
  operands: { value: 'FILE…', about: 'contracts, in Pact specification 2, 3 or 4', atLeast: 1 },
  secrets: [PASSWORD, CONTROL_KEY],
}
