import { randomBytes } from 'node:crypto'
import { ConfigError } from '../config/error.js'
import type { TargetConfig } from '../config/target.js'
import type { Target } from '../core/target.js'
import type { ControlEndpoint } from '../engine/clock.js'
import { inert } from '../report/inert.js'
import { askPassword, type Terminal } from '../terminal.js'

/** What says which Core a command meets. */
export interface OpponentConfig extends MockSettings {
  target: TargetConfig | undefined
  username: string | undefined
  password: string | undefined
  control: ControlEndpoint | undefined
}

/** What an embedded mock Core has to be like. */
export interface MockSettings {
  accessControl: 'on' | 'off'
  idleLifetimeMs: number
}

/** The Core that a command meets. */
export interface Opponent {
  target: Target
  control: ControlEndpoint | undefined
  kind: 'core' | 'mock'
  /** Ends the mock Core, where it is one. */
  close(): Promise<void>
}

/**
 * The user's own Core, or a mock Core in a child process.
 * @param name which of several Cores it is, for the question about its password
 * @throws ConfigError where credentials are missing
 */
export async function opponent(config: OpponentConfig, terminal: Terminal, name?: string): Promise<Opponent> {
  if (!config.target) return embeddedMock(config)
  const credentials = await credentialsOf(config, terminal, name === undefined ? '' : ` on ${inert(name)}`)
  return { target: { ...config.target, ...credentials }, control: config.control, kind: 'core', close: async () => {} }
}

/** A mock Core in a child process, with a password that nobody knows. */
export async function embeddedMock({ idleLifetimeMs, accessControl }: MockSettings): Promise<Opponent> {
  const { forkMockCore } = await import('../mock/index.js')
  const username = 'admin'
  const password = randomBytes(12).toString('hex')
  const mock = await forkMockCore({ username, password, idleLifetimeMs, accessControl })
  const trust = { kind: 'fingerprint' as const, sha256: mock.certificateFingerprint }
  const target = { url: new URL(mock.url), trust, username, password }
  return { target, control: mock.control, kind: 'mock', close: () => mock.close() }
}

async function credentialsOf({ username, password, accessControl }: OpponentConfig, terminal: Terminal, where: string) {
  // An open Core needs no logon, and none is tried.
  if (accessControl === 'off') return { username: username ?? '', password: password ?? '' }
  if (username === undefined) throw new ConfigError(`no user name${where}: set CORE_USERNAME, or pass --username`)
  return { username, password: password ?? (await askPassword(terminal, `Password of ${username}${where}: `)) }
}
