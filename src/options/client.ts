import { CLIENT_CONTRACTS } from './contracts.js'
import type { Command } from './option.js'
import { CONFIG } from './shared.js'

/** `core-conformance client`. */
export const CLIENT: Command = {
  name: 'client',
  about: 'judge a client: run its command against a mock Core in several scenarios',
  options: [
    {
      flag: 'scenario',
      env: 'CORE_SCENARIO',
      value: 'NAMES',
      list: true,
      about: 'token-expires, restart, hang and so on, by name; see docs/client.md (default all)',
    },
    {
      flag: 'timeout',
      env: 'CORE_CLIENT_TIMEOUT',
      value: 'TIME',
      about: 'kill the command after this, in each scenario (default 60s)',
    },
    {
      flag: 'ignore',
      env: 'CORE_CLIENT_IGNORE',
      value: 'RULES',
      list: true,
      about: 'leave these rules out; the report says so',
    },
    {
      flag: 'allow-any-certificate',
      env: 'CORE_CLIENT_ANY_CERTIFICATE',
      about: 'the client is meant to take any certificate: do not judge that',
    },
    {
      flag: 'hang',
      env: 'CORE_CLIENT_HANG',
      value: 'TIME',
      about: 'how long it may wait for an answer that never comes (default 40s, less than --timeout)',
    },
    {
      flag: 'dialect',
      env: 'CORE_MOCK_DIALECT',
      value: 'FILE',
      about: "what the mock Core does that the reference leaves open: a dialect file, or a run's result.json",
    },
    {
      flag: 'routes',
      env: 'CORE_MOCK_ROUTES',
      value: 'FILE',
      about: 'endpoints of your own behind the authentication: an OpenAPI document, or a short YAML file',
    },
    { flag: 'out', env: 'CORE_OUT', value: 'FOLDER', about: 'where client.junit.xml goes (default reports)' },
    ...CLIENT_CONTRACTS,
    CONFIG,
  ],
  operands: { value: 'COMMAND…', about: "the client's command with its arguments", atLeast: 1, afterDashes: true },
  secrets: [],
}
