import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { type CoreUnderTest, embeddedMock, ownCore } from '../../runner/embedded.js'
import { type ConfigurationRecord, recordOf } from '../../settings/record.js'
import { askPassword, type Terminal } from '../../terminal.js'
import { USERNAME } from '../settings/shared.js'
import { controlOf, targetOf } from './target.js'

/** The Core of a command, as its settings name it; its `target` is undefined for the embedded mock Core. */
export type CoreConfig = ReturnType<typeof coreConfig>

/** Reads which Core a command talks to, and as whom. */
export function coreConfig(settings: Settings) {
  return {
    target: targetOf(settings),
    username: settings.value(USERNAME),
    password: settings.secret('CORE_PASSWORD'),
    control: controlOf(settings),
  }
}

/** Reads the settings that decide how a run goes, as the result records them. */
export function configurationOf(settings: Settings): ConfigurationRecord {
  const lifetime = settings.get('idle-lifetime')
  return { ...recordOf(each => settings.value(each)), ...(lifetime && { idleLifetimeFrom: lifetime.label }) }
}

/**
 * Returns the Core that a command talks to: the user's own, or without a target a mock Core in a child process.
 * @throws ConfigError if credentials are missing
 */
export async function coreUnderTest(
  config: CoreConfig & ConfigurationRecord,
  terminal: Terminal,
): Promise<CoreUnderTest> {
  if (!config.target) return embeddedMock(config)
  return ownCore({ ...config.target, ...(await credentialsOf(config, terminal)) }, config.control)
}

async function credentialsOf(
  { username, password, accessControl }: CoreConfig & ConfigurationRecord,
  terminal: Terminal,
) {
  // An open Core needs no logon: the run tries one only where both were given, and asks for neither.
  if (accessControl === 'off') return { username: username ?? '', password: password ?? '' }
  if (username === undefined) throw new ConfigError('no user name: set CORE_USERNAME, or pass --username')
  return { username, password: password ?? (await askPassword(terminal, `Password of ${username}: `)) }
}
