import { ConfigError } from '../../config/error.js'
import type { ControlEndpoint } from '../../engine/clock.js'
import { type CoreUnderTest, embeddedMock, type MockSettings } from '../../runner/embedded.js'
import { askPassword, type Terminal } from '../../terminal.js'
import type { TargetConfig } from './target.js'

/** Settings that decide which Core a command talks to. */
export interface CoreConfig extends MockSettings {
  target: TargetConfig | undefined
  username: string | undefined
  password: string | undefined
  control: ControlEndpoint | undefined
}

/**
 * Returns the Core that a command talks to: the user's own, or without a target a mock Core in a child process.
 * @throws ConfigError if credentials are missing
 */
export async function coreUnderTest(config: CoreConfig, terminal: Terminal): Promise<CoreUnderTest> {
  if (!config.target) return embeddedMock(config)
  const credentials = await credentialsOf(config, terminal)
  return { target: { ...config.target, ...credentials }, control: config.control, kind: 'core', close: async () => {} }
}

async function credentialsOf({ username, password, accessControl }: CoreConfig, terminal: Terminal) {
  // An open Core needs no logon: the run tries one only where both were given, and asks for neither.
  if (accessControl === 'off') return { username: username ?? '', password: password ?? '' }
  if (username === undefined) throw new ConfigError('no user name: set CORE_USERNAME, or pass --username')
  return { username, password: password ?? (await askPassword(terminal, `Password of ${username}: `)) }
}
