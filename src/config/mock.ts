import { idleLifetimeOf } from './pacing.js'
import type { Settings } from './settings.js'
import { choice, decimal, isSet, whole } from './values.js'

/** A `mock`, as configured. Ports of 0 mean a free one. */
export interface MockConfig {
  port: number
  controlPort: number
  username: string
  password: string | undefined
  idleLifetimeMs: number
  accessControl: 'on' | 'off'
  /** A dialect file, or the result of a run. */
  dialectFile: string | undefined
  /** An OpenAPI document or a short YAML file with endpoints of the user's own. */
  routesFile: string | undefined
  /** The name of a defect; whether there is one of that name, the mock Core knows. */
  defect: string | undefined
  /** Tokens that may be valid at a time; undefined: as the dialect says. */
  maxTokens: number | undefined
  /** Connections that are served at a time; undefined: as the dialect says. */
  connections: number | undefined
  timeScale: number
  /** The file that the certificate is written to. */
  certificateFile: string | undefined
  /** Tell where it is as JSON. */
  json: boolean
  /** List the defects instead of serving. */
  lists: boolean
}

/**
 * Makes a {@link MockConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function mockConfig(settings: Settings): MockConfig {
  const port = (flag: string) => whole(settings, flag, 0, { atLeast: 0, atMost: 65535 })
  const most = (flag: string) =>
    settings.get(flag) ? whole(settings, flag, 1, { atLeast: 1, atMost: 1000 }) : undefined
  return {
    port: port('port'),
    controlPort: port('control-port'),
    username: settings.get('username')?.text ?? 'admin',
    password: settings.secret('CORE_PASSWORD'),
    idleLifetimeMs: idleLifetimeOf(settings),
    accessControl: choice(settings, 'access-control', ['on', 'off'], 'on'),
    routesFile: settings.get('routes')?.text,
    dialectFile: settings.get('dialect')?.text,
    defect: settings.get('defect')?.text,
    maxTokens: most('max-tokens'),
    connections: most('connections'),
    timeScale: decimal(settings, 'time-scale', 1, { atLeast: 1, atMost: 100_000 }),
    certificateFile: settings.get('certificate')?.text,
    json: isSet(settings, 'json'),
    lists: isSet(settings, 'defects'),
  }
}
