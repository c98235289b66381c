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
    "what it does that the reference leaves open: a dialect file, or a run's result.json, to answer as that Core did",
  file: ['defaults'],
})
/** Endpoints that the mock Core serves beside those of the reference. */
export const ROUTES = setting({
  flag: 'routes',
  env: 'CORE_MOCK_ROUTES',
  takes: text('FILE'),
  about: 'endpoints of your own behind its authentication: an OpenAPI document, or a short YAML file',
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
    about: 'how many tokens may be valid at a time; a logon beyond them is refused (default: any number)',
  }),
  connections: setting({
    flag: 'connections',
    env: 'CORE_MOCK_CONNECTIONS',
    takes: whole(MOST),
    about: 'how many connections it serves at a time; further ones wait (default: any number)',
    file: OF_RUNS,
  }),
  routes: ROUTES,
  timeScale: setting({
    flag: 'time-scale',
    env: 'CORE_MOCK_TIME_SCALE',
    takes: decimal({ atLeast: 1, atMost: 100_000 }),
    default: '1',
    about: 'how many times as fast as real time its clock runs',
    file: ['defaults'],
  }),
  certificate: setting({
    flag: 'certificate',
    env: 'CORE_MOCK_CERTIFICATE',
    takes: file(),
    about: 'write its certificate here (PEM), for clients to trust',
    file: ['defaults'],
  }),
  json: setting({ ...JSON_SWITCH, about: 'tell where it is as one line of JSON, and log to stderr' }),
  defect: setting({
    flag: 'defect',
    env: 'CORE_MOCK_DEFECT',
    takes: text('NAME'),
    completes: 'defects',
    about: 'one thing that it does wrong',
  }),
  defects: setting({
    flag: 'defects',
    env: 'CORE_MOCK_DEFECTS',
    takes: toggle,
    about: 'list the defects, and end',
  }),
}

/** `core-conformance mock`. */
export const MOCK: Command = {
  name: 'mock',
  about: 'serve a mock Core on loopback until stopped',
  options: [...Object.values(MOCK_SETTINGS), CONFIG],
  secrets: [PASSWORD],
}
