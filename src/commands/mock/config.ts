import type { Settings } from '../../config/settings.js'
import type { Setting } from '../../settings/setting.js'
import { MOCK_SETTINGS } from './settings.js'

/** The configuration of a `mock`. Port 0 means any free port. */
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
  /** The name of a defect. The command checks it against the defects of the mock Core. */
  defect: string | undefined
  /** How many tokens may be valid at a time; undefined: as the dialect says. */
  maxTokens: number | undefined
  /** How many connections are served at a time; undefined: as the dialect says. */
  connections: number | undefined
  timeScale: number
  /** The file to write the certificate to. */
  certificateFile: string | undefined
  /** Print the addresses as JSON. */
  json: boolean
  /** List the defects instead of serving. */
  lists: boolean
}

/**
 * Reads a {@link MockConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function mockConfig(settings: Settings): MockConfig {
  const value = <S extends Setting>(setting: S) => settings.value(setting)
  const { port, controlPort, username, idleLifetime, accessControl, routes, dialect, defect } = MOCK_SETTINGS
  return {
    port: value(port) ?? 0,
    controlPort: value(controlPort) ?? 0,
    username: value(username),
    password: settings.secret('CORE_PASSWORD'),
    idleLifetimeMs: value(idleLifetime),
    accessControl: value(accessControl),
    routesFile: value(routes),
    dialectFile: value(dialect),
    defect: value(defect),
    maxTokens: value(MOCK_SETTINGS.maxTokens),
    connections: value(MOCK_SETTINGS.connections),
    timeScale: value(MOCK_SETTINGS.timeScale),
    certificateFile: value(MOCK_SETTINGS.certificate),
    json: value(MOCK_SETTINGS.json),
    lists: value(MOCK_SETTINGS.defects),
  }
}
