/** A mock Core within this process, and how a run reaches it: no port, no TLS, and a clock that nobody waits for. */
import { leapingClock } from '../dist/engine/clock.js'
import { startMemoryCore } from '../dist/mock/index.js'
import { memoryConnection } from './memory-connection.js'

type CoreOptions = Parameters<typeof startMemoryCore>[0]

/**
 * Starts a mock Core in memory. Suite and mock Core still share bytes only.
 *
 * @returns the mock Core, and the parts of a run's options that say where its Core is, and how time passes
 * @throws Error when no defect has that name
 */
export async function coreInMemory(options: CoreOptions) {
  const { username, password } = options
  const core = await startMemoryCore(options)
  const reached = {
    target: { url: new URL('https://mock-core'), trust: { kind: 'insecure' as const }, username, password },
    clock: leapingClock(ms => core.advance(ms)),
    async connect() {
      const [client, server] = memoryConnection()
      core.serve(server)
      return client
    },
  }
  return { core, reached }
}
