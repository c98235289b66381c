import { command, type Secret } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { list, text, toggle, whole } from '../../settings/kinds.js'
import { declared, setting } from '../../settings/setting.js'
import {
  CONFIG,
  CONTROL_KEY,
  CONTROL_URL,
  FEW_REFUSED,
  FROM,
  JSON_SWITCH,
  OF_RUNS,
  ONE_CORE_OR_MOCK,
  OUT,
  PASSWORD,
  TOKEN_FIELD,
} from '../shared/settings.js'

/** Settings for the contract of `client`, which holds every interaction that the client used. */
export const CLIENT_CONTRACTS = {
  consumers: setting(
    'consumer',
    list('NAME', { item: 'the name of a client' }),
    'write the contract of this client: NAME-core.json',
    { file: OF_RUNS },
  ),
  dir: setting('contracts', text('FOLDER'), 'the folder for contracts', { default: 'contracts', file: OF_RUNS }),
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
export const CONTRACTS_GENERATE = command({
  name: 'contracts generate',
  about: 'write contracts for client teams from the result of a run',
  settings: { from: FROM, ...CONTRACTS },
})

/** `core-conformance contracts openapi`. */
export const CONTRACTS_OPENAPI = command({
  name: 'contracts openapi',
  about: 'write an OpenAPI document of a Core from what a run observed',
  settings: {
    from: FROM,
    // It has its own variable, since CORE_OUT names the folder of the reports.
    out: setting('out', text('FILE'), 'the file to write (default stdout); JSON if its name ends in .json', {
      env: 'CORE_OPENAPI_OUT',
    }),
    json: { ...JSON_SWITCH, about: 'as JSON (default YAML)' },
  },
})

/** Settings for setting up provider states, beside those that name the Core. */
export const PROVIDER = {
  accessControl: CONFIGURATION.accessControl,
  idleLifetime: CONFIGURATION.idleLifetime,
  idleTolerance: CONFIGURATION.idleTolerance,
  probePath: CONFIGURATION.probePath,
  tokenField: TOKEN_FIELD,
  refused: CONFIGURATION.refused,
  profile: declared({
    ...CONFIGURATION.profile,
    about: 'quick leaves out what needs an expired token; full and long wait for it',
  }),
  state: setting(
    'state',
    list('WORDS=STATE'),
    'what a provider state in a contract means; or use a table in the configuration file',
  ),
  maxRefusedLogons: declared({ ...CONFIGURATION.maxRefusedLogons, default: '20', about: FEW_REFUSED }),
  deadline: CONFIGURATION.deadline,
  patience: CONFIGURATION.patience,
  controlUrl: CONTROL_URL,
}

/** Settings of the broker that contracts come from and results go to. */
const BROKER = {
  broker: setting('broker', text('URL'), 'base URL of a Pact broker, which selects the contracts to verify', {
    file: OF_RUNS,
  }),
  provider: setting('provider', text('NAME'), 'the name of the Core at the broker', { default: 'core', file: OF_RUNS }),
  selector: setting(
    'selector',
    list('WORDS', { item: 'a selector' }),
    'which versions of consumers: main, matching, deployed, released, deployed-or-released, latest, branch=NAME, environment=NAME, tag=NAME, each also with consumer=NAME after a space (default main and deployed-or-released, with --branch also matching)',
    { file: OF_RUNS },
  ),
  publish: setting(
    'publish',
    toggle,
    'publish the results to the broker; needs a Core (not the mock Core) and --version',
  ),
  version: setting('version', text('VERSION'), 'the version of the Core to publish results for, such as its firmware', {
    env: 'CORE_PROVIDER_VERSION',
  }),
  branch: setting('branch', text('NAME'), 'the branch of that version, for pending contracts and matching selectors', {
    env: 'CORE_PROVIDER_BRANCH',
  }),
}

/** Credentials for the broker. All tools of Pact read these names. */
const BROKER_SECRETS: Secret[] = [
  { env: 'PACT_BROKER_TOKEN', about: 'bearer token for the broker' },
  { env: 'PACT_BROKER_USERNAME', about: 'or the name for its basic authentication' },
  { env: 'PACT_BROKER_PASSWORD', about: 'and the password for it' },
]

/** `core-conformance contracts verify`. */
export const CONTRACTS_VERIFY = command({
  name: 'contracts verify',
  about: 'verify contracts against a Core; without a target, against a mock Core',
  settings: {
    ...ONE_CORE_OR_MOCK,
    ...PROVIDER,
    config: CONFIG,
    ...BROKER,
    outDir: { ...OUT, about: 'the folder for contracts.junit.xml' },
  },
  operands: {
    value: 'FILE|URL…',
    about: 'contracts in Pact specification 2, 3 or 4; optional with --broker',
    atLeast: 0,
  },
  secrets: [PASSWORD, CONTROL_KEY, ...BROKER_SECRETS],
})

/** `core-conformance contracts states`. */
export const CONTRACTS_STATES = command({
  name: 'contracts states',
  about: 'serve provider states on this machine, so that any Pact verifier can verify contracts against a Core',
  settings: {
    ...ONE_CORE_OR_MOCK,
    ...PROVIDER,
    config: CONFIG,
    port: setting('port', whole({ atLeast: 0, atMost: 65535 }, 'PORT'), 'where it listens (default: a free port)', {
      env: 'CORE_STATES_PORT',
    }),
    json: { ...JSON_SWITCH, about: 'print its addresses as one line of JSON' },
  },
  secrets: [PASSWORD, CONTROL_KEY],
})
