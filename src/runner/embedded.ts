import { randomBytes } from 'node:crypto'
import type { Target } from '../core/target.js'
import type { ControlEndpoint } from '../engine/clock.js'
import type { ConfigurationRecord } from '../settings/record.js'

/** The Core that a run tests. */
export interface CoreUnderTest {
  target: Target
  control: ControlEndpoint | undefined
  kind: 'core' | 'mock'
  /** Ends the mock Core; does nothing for a real Core. */
  close(): Promise<void>
}

/** Returns a Core of the user's own. @param control where it is a mock Core whose clock is advanced */
export function ownCore(target: Target, control: ControlEndpoint | undefined): CoreUnderTest {
  return { target, control, kind: 'core', close: async () => {} }
}

/** Starts a mock Core in a child process, with a random password. */
export async function embeddedMock({ idleLifetimeMs, accessControl }: ConfigurationRecord): Promise<CoreUnderTest> {
  const { forkMockCore } = await import('../mock/index.js')
  const username = 'admin'
  const password = randomBytes(12).toString('hex')
  const mock = await forkMockCore({ username, password, idleLifetimeMs, accessControl })
  const trust = { kind: 'fingerprint' as const, sha256: mock.certificateFingerprint }
  const target = { url: new URL(mock.url), trust, username, password }
  return { target, control: mock.control, kind: 'mock', close: () => mock.close() }
}
