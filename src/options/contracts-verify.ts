import type { Command, Option, Secret } from './option.js'
import {
  ACCESS_CONTROL,
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  DEADLINE,
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

/** What bringing about provider states takes. */
const PROVIDER: Option[] = [
  ...TARGET,
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
    about: "what a contract's own words for a provider state mean; or a table in the configuration file",
  },
  { ...MAX_REFUSED_LOGONS, about: MAX_REFUSED_LOGONS.about.replace('40', '20') },
  DEADLINE,
  CONTROL_URL,
  CONFIG,
]

/** Where contracts are taken from, and results go to, beside files. */
const BROKER: Option[] = [
  {
    flag: 'broker',
    env: 'CORE_BROKER',
    value: 'URL',
    about: 'base URL of a Pact broker: verify the contracts that it selects',
  },
  { flag: 'provider', env: 'CORE_PROVIDER', value: 'NAME', about: 'what the broker calls the Core (default core)' },
  {
    flag: 'selector',
    env: 'CORE_SELECTOR',
    value: 'WORDS',
    list: true,
    about:
      'which versions of consumers: main, matching, deployed, released, deployed-or-released, latest, branch=NAME, environment=NAME, tag=NAME, each also with consumer=NAME after a space (default main and deployed-or-released, with --branch also matching)',
  },
  { flag: 'publish', env: 'CORE_PUBLISH', about: 'publish the results to the broker; needs --version' },
  {
    flag: 'version',
    env: 'CORE_PROVIDER_VERSION',
    value: 'VERSION',
    about: 'the version of the Core that results are published of, such as its firmware',
  },
  {
    flag: 'branch',
    env: 'CORE_PROVIDER_BRANCH',
    value: 'NAME',
    about: 'the branch of that version, which pending contracts and matching selectors depend on',
  },
]

/** How a broker knows who asks; the names are those that all tools of Pact read. */
const BROKER_SECRETS: Secret[] = [
  { env: 'PACT_BROKER_TOKEN', about: 'bearer token for the broker' },
  { env: 'PACT_BROKER_USERNAME', about: 'or the name for its basic authentication' },
  { env: 'PACT_BROKER_PASSWORD', about: 'and the password for it' },
]

/** `core-conformance contracts verify`. */
export const CONTRACTS_VERIFY: Command = {
  name: 'contracts verify',
  about: 'verify contracts on a Core; without a target, on a mock Core',
  options: [...PROVIDER, ...BROKER, { ...OUT, about: 'where contracts.junit.xml goes (default reports)' }],
  operands: {
    value: 'FILE|URL…',
    about: 'contracts, in Pact specification 2, 3 or 4; may be left out with --broker',
    atLeast: 0,
  },
  secrets: [PASSWORD, CONTROL_KEY, ...BROKER_SECRETS],
}

/** `core-conformance contracts states`. */
export const CONTRACTS_STATES: Command = {
  name: 'contracts states',
  about: 'serve provider states on loopback, so that any verifier of Pact can verify contracts on a Core',
  options: [
    ...PROVIDER,
    {
      flag: 'port',
      env: 'CORE_STATES_PORT',
      value: 'PORT',
      about: 'where it listens (default: a free port)',
    },
    { flag: 'json', env: 'CORE_JSON', about: 'print where it is as one line of JSON' },
  ],
  secrets: [PASSWORD, CONTROL_KEY],
}
