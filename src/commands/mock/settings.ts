import type { Command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { decimal, file, text, toggle, whole } from '../../settings/kinds.js'
import { setting } from '../../settings/setting.js'
import { CONFIG, JSON_SWITCH, OF_RUNS, PASSWORD, USERNAME } from '../shared/settings.js'

const PORTS = { atLeast: 0, atMost: 65535 }
const MOST = { atLeast: 1, atMost: 1000 }

/** The dialect of the mock Core: how it does what the reference leaves open. */
export const DIALECT = setting({
  flag: 'dialect',
  env: 'CORE_MOCK_DIALECT',
  takes: file(),
  about:
    'how it does what the reference leaves open: a dialect file, or the result.json of a run, to answer like that Core',
  file: ['defaults'],
})
/** Endpoints that the mock Core serves beside those of the reference. */
export const ROUTES = setting({
  flag: 'routes',
  env: 'CORE_MOCK_ROUTES',
  takes: text('FILE'),
  about: 'your own endpoints, behind its authentication: an OpenAPI document, or a short YAML file',
  file: OF_RUNS,
})

/** Settings of `mock`. */
export const MOCK_SETTINGS = {
  port: setting({
    flag: 'port',
    env: 'CORE_MOCK_PORT',
    takes: whole(PORTS),
    about: 'the HTTPS port (default: a free one)',
    file: ['defaults'],
  }),
  controlPort: setting({
    flag: 'control-port',
    env: 'CORE_MOCK_CONTROL_PORT',
    takes: whole(PORTS),
    about: 'port of the control endpoint (default: a free one)',
    file: ['defaults'],
  }),
  username: setting({ ...USERNAME, default: 'admin', about: 'the user who may log on' }),
  idleLifetime: CONFIGURATION.idleLifetime,
  accessControl: CONFIGURATION.accessControl,
  dialect: DIALECT,
  maxTokens: setting({
    flag: 'max-tokens',
    env: 'CORE_MOCK_MAX_TOKENS',
    takes: whole(MOST),
    about: 'most tokens that are valid at a time; further logons are refused (default: no limit)',
  }),
  connections: setting({
    flag: 'connections',
    env: 'CORE_MOCK_CONNECTIONS',
    takes: whole(MOST),
    about: 'most connections that it serves at a time; others wait (default: no limit)',
    file: OF_RUNS,
  }),
  routes: ROUTES,
  timeScale: setting({
    flag: 'time-scale',
    env: 'CORE_MOCK_TIME_SCALE',
    takes: decimal({ atLeast: 1, atMost: 100_000 }),
    default: '1',
    about: 'how much faster than real time its clock runs',
    file: ['defaults'],
  }),
  certificate: setting({
    flag: 'certificate',
    env: 'CORE_MOCK_CERTIFICATE',
    takes: file(),
    about: 'write its certificate here (PEM), for clients to trust',
    file: ['defaults'],
  }),
  json: setting({ ...JSON_SWITCH, about: 'print its address as one line of JSON, and log to stderr' }),
  defect: setting({
    flag: 'defect',
    env: 'CORE_MOCK_DEFECT',
    takes: text('NAME'),
    completes: 'defects',
    about: 'give it this defect',
  }),
  defects: setting({
    flag: 'defects',
    env: 'CORE_MOCK_DEFECTS',
    takes: toggle,
    about: 'list the defects, and exit',
  }),
}

/** `core-conformance mock`. */
export const MOCK: Command = {
  name: 'mock',
  about: 'start a mock Core on this machine, until you stop it',
  options: [...Object.values(MOCK_SETTINGS), CONFIG],
  secrets: [PASSWORD],
}
