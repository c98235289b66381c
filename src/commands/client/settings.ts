import type { Command } from '../../config/command.js'
import { list, time, toggle } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CLIENT_CONTRACTS } from '../contracts/settings.js'
import { DIALECT, ROUTES } from '../mock/settings.js'
import { CONFIG, OF_RUNS, OUT } from '../shared/settings.js'

/** Settings of `client`, except those about contracts. */
export const CLIENT_SETTINGS = {
  scenario: setting({
    flag: 'scenario',
    takes: list('NAMES'),
    completes: 'scenarios',
    about: 'which scenarios to run, such as token-expires; see docs/client.md (default all)',
    file: ['defaults'],
  }),
  timeout: setting({
    flag: 'timeout',
    env: 'CORE_CLIENT_TIMEOUT',
    takes: time({ atLeast: '1s', atMost: '1h' }),
    default: '60s',
    about: 'kill the command after this time, in each scenario',
    file: ['defaults'],
  }),
  ignore: setting({
    flag: 'ignore',
    env: 'CORE_CLIENT_IGNORE',
    takes: list('RULES', { item: 'the name of a rule', mayBeEmpty: true }),
    about: 'skip these rules; the report says so',
    file: OF_RUNS,
  }),
  anyCertificate: setting({
    flag: 'allow-any-certificate',
    env: 'CORE_CLIENT_ANY_CERTIFICATE',
    takes: toggle,
    about: 'the client is meant to accept any certificate: do not test that',
    file: OF_RUNS,
  }),
  // 40 s: beyond the 30 s that many libraries wait.
  hang: setting({
    flag: 'hang',
    env: 'CORE_CLIENT_HANG',
    takes: time({ atLeast: '1s', atMost: '1h' }),
    default: '40s',
    about: 'how long it may wait for an answer that never comes; less than --timeout',
    file: OF_RUNS,
  }),
  dialect: setting({
    ...DIALECT,
    about: 'how the mock Core does what the reference leaves open: a dialect file, or the result.json of a run',
  }),
  routes: setting({
    ...ROUTES,
    about: 'your own endpoints, behind the authentication: an OpenAPI document, or a short YAML file',
  }),
}

/** `core-conformance client`. */
export const CLIENT: Command = {
  name: 'client',
  about: 'test a client: run its command against a mock Core in several scenarios',
  options: [
    ...Object.values(CLIENT_SETTINGS),
    { ...OUT, about: 'the folder for client.junit.xml' },
    ...Object.values(CLIENT_CONTRACTS),
    CONFIG,
  ],
  operands: { value: 'COMMAND…', about: "the client's command with its arguments", atLeast: 1, afterDashes: true },
  secrets: [],
}
