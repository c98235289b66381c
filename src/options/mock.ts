import type { Command } from './option.js'
import { ACCESS_CONTROL, CONFIG, IDLE_LIFETIME, PASSWORD, USERNAME } from './shared.js'

/** `core-conformance mock`. */
export const MOCK: Command = {
  name: 'mock',
  about: 'serve a mock Core on loopback until stopped',
  options: [
    { flag: 'port', env: 'CORE_MOCK_PORT', value: 'N', about: 'the HTTPS port (default: a free one)' },
    {
      flag: 'control-port',
      env: 'CORE_MOCK_CONTROL_PORT',
      value: 'N',
      about: 'port of the control endpoint (default: a free one)',
    },
    { ...USERNAME, about: 'the user who may log on (default admin)' },
    IDLE_LIFETIME,
    ACCESS_CONTROL,
    {
      flag: 'dialect',
      env: 'CORE_MOCK_DIALECT',
      value: 'FILE',
      about:
        "what it does that the reference leaves open: a dialect file, or a run's result.json, to answer as that Core did",
    },
    {
      flag: 'max-tokens',
      env: 'CORE_MOCK_MAX_TOKENS',
      value: 'N',
      about: 'how many tokens may be valid at a time; a logon beyond them is refused (default: any number)',
    },
    {
      flag: 'connections',
      env: 'CORE_MOCK_CONNECTIONS',
      value: 'N',
      about: 'how many connections it serves at a time; further ones wait (default: any number)',
    },
    {
      flag: 'routes',
      env: 'CORE_MOCK_ROUTES',
      value: 'FILE',
      about: 'endpoints of your own behind its authentication: an OpenAPI document, or a short YAML file',
    },
    {
      flag: 'time-scale',
      env: 'CORE_MOCK_TIME_SCALE',
      value: 'N',
      about: 'how many times as fast as real time its clock runs (default 1)',
    },
    {
      flag: 'certificate',
      env: 'CORE_MOCK_CERTIFICATE',
      value: 'FILE',
      about: 'write its certificate here (PEM), for clients to trust',
    },
    { flag: 'json', env: 'CORE_JSON', about: 'tell where it is as one line of JSON, and log to stderr' },
    { flag: 'defect', env: 'CORE_MOCK_DEFECT', value: 'NAME', about: 'one thing that it does wrong' },
    { flag: 'defects', env: 'CORE_MOCK_DEFECTS', about: 'list the defects, and end' },
    CONFIG,
  ],
  secrets: [PASSWORD],
}
