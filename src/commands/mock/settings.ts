import { command } from '../../config/command.js'
import { CONFIGURATION } from '../../settings/configuration.js'
import { decimal, file, text, toggle, whole } from '../../settings/kinds.js'
import { declared, setting } from '../../settings/setting.js'
import { CONFIG, JSON_SWITCH, OF_RUNS, PASSWORD, USERNAME } from '../shared/settings.js'

const PORTS = { atLeast: 0, atMost: 65535 }
const MOST = { atLeast: 1, atMost: 1000 }

/** The dialect of the mock Core: how it does what the reference leaves open. */
export const DIALECT = setting(
  'dialect',
  file(),
  'how it does what the reference leaves open: a dialect file, or the result.json of a run, to answer like that Core',
  { env: 'CORE_MOCK_DIALECT', file: ['defaults'] },
)
/** Endpoints that the mock Core serves beside those of the reference. */
export const ROUTES = setting(
  'routes',
  text('FILE'),
  'your own endpoints, behind its authentication: an OpenAPI document, or a short YAML file',
  { env: 'CORE_MOCK_ROUTES', file: OF_RUNS },
)

/** `core-conformance mock`. */
export const MOCK = command({
  name: 'mock',
  about: 'start a mock Core on this machine, until you stop it',
  settings: {
    port: setting('port', whole(PORTS), 'the HTTPS port (default: a free one)', {
      env: 'CORE_MOCK_PORT',
      file: ['defaults'],
    }),
    controlPort: setting('control-port', whole(PORTS), 'port of the control endpoint (default: a free one)', {
      env: 'CORE_MOCK_CONTROL_PORT',
      file: ['defaults'],
    }),
    username: declared({ ...USERNAME, default: 'admin', about: 'the user who may log on' }),
    idleLifetime: CONFIGURATION.idleLifetime,
    accessControl: CONFIGURATION.accessControl,
    dialect: DIALECT,
    maxTokens: setting(
      'max-tokens',
      whole(MOST),
      'most tokens that are valid at a time; further logons are refused (default: no limit)',
      { env: 'CORE_MOCK_MAX_TOKENS' },
    ),
    connections: setting(
      'connections',
      whole(MOST),
      'most connections that it serves at a time; others wait (default: no limit)',
      { env: 'CORE_MOCK_CONNECTIONS', file: OF_RUNS },
    ),
    routes: ROUTES,
    timeScale: setting(
      'time-scale',
      decimal({ atLeast: 1, atMost: 100_000 }),
      'how much faster than real time its clock runs',
      { env: 'CORE_MOCK_TIME_SCALE', default: '1', file: ['defaults'] },
    ),
    certificate: setting('certificate', file(), 'write its certificate here (PEM), for clients to trust', {
      env: 'CORE_MOCK_CERTIFICATE',
      file: ['defaults'],
    }),
    json: { ...JSON_SWITCH, about: 'print its address as one line of JSON, and log to stderr' },
    defect: setting('defect', text('NAME'), 'give it this defect', { env: 'CORE_MOCK_DEFECT', completes: 'defects' }),
    defects: setting('defects', toggle, 'list the defects, and exit', { env: 'CORE_MOCK_DEFECTS' }),
    config: CONFIG,
  },
  secrets: [PASSWORD],
})
