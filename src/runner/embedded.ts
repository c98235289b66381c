import { randomBytes } from 'node:crypto'
import type { Target } from '../core/target.js'
import type { ControlEndpoint } from '../engine/clock.js'

/** What an embedded mock Core has to be like. */
export interface MockSettings {
  accessControl: 'on' | 'off'
  idleLifetimeMs: number
}

/** The Core that a run meets. */
export interface CoreUnderTest {
  target: Target
  control: ControlEndpoint | undefined
  kind: 'core' | 'mock'
  /** Ends the mock Core, where it is one. */
  close(): Promise<void>
}

/** A mock Core in a child process, with a password that nobody knows. */
export async function embeddedMock({ idleLifetimeMs, accessControl }: MockSettings): Promise<CoreUnderTest> {
  const { forkMockCore } = await import('../mock/index.js')
  const username = 'admin'
  const password = randomBytes(12).toString('hex')
  const mock = await forkMockCore({ username, password, idleLifetimeMs, accessControl })
  const trust = { kind: 'fingerprint' as const, sha256: mock.certificateFingerprint }
  const target = { url: new URL(mock.url), trust, username, password }
  return { target, control: mock.control, kind: 'mock', close: () => mock.close() }
}
