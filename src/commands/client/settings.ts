import { command } from '../../config/command.js'
import { list, time, toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CLIENT_CONTRACTS } from '../contracts/settings.js'
import { DIALECT, ROUTES } from '../mock/settings.js'
import { CONFIG, OF_RUNS, OUT } from '../shared/settings.js'

/** `core-conformance client`. */
export const CLIENT = command({
  name: 'client',
  about: 'test a client: run its command against a mock Core in several scenarios',
  settings: {
    scenario: setting(
      'scenario',
      list('NAMES'),
      'which scenarios to run, such as token-expires; see docs/client.md (default all)',
      { completes: 'scenarios', file: ['defaults'] },
    ),
    timeout: setting(
      'timeout',
      time({ atLeast: '1s', atMost: '1h' }),
      'kill the command after this time, in each scenario',
      { env: 'CORE_CLIENT_TIMEOUT', default: '60s', file: ['defaults'] },
    ),
    ignore: setting(
      'ignore',
      list('RULES', { item: 'the name of a rule', mayBeEmpty: true }),
      'skip these rules; the report says so',
      { env: 'CORE_CLIENT_IGNORE', file: OF_RUNS },
    ),
    anyCertificate: setting(
      'allow-any-certificate',
      toggle,
      'the client is meant to accept any certificate: do not test that',
      { env: 'CORE_CLIENT_ANY_CERTIFICATE', file: OF_RUNS },
    ),
    // 40 s: beyond the 30 s that many libraries wait.
    hang: setting(
      'hang',
      time({ atLeast: '1s', atMost: '1h' }),
      'how long it may wait for an answer that never comes; less than --timeout',
      { env: 'CORE_CLIENT_HANG', default: '40s', file: OF_RUNS },
    ),
    dialect: {
      ...DIALECT,
      about: 'how the mock Core does what the reference leaves open: a dialect file, or the result.json of a run',
    },
    routes: {
      ...ROUTES,
      about: 'your own endpoints, behind the authentication: an OpenAPI document, or a short YAML file',
    },
    outDir: { ...OUT, about: 'the folder for client.junit.xml' },
    ...CLIENT_CONTRACTS,
    config: CONFIG,
  },
  operands: { value: 'COMMAND…', about: "the client's command with its arguments", atLeast: 1, afterDashes: true },
})
