/**
 * The child process of an embedded mock Core. Only `forkMockCore` starts it. It takes its options from an IPC message: other
 * users could read a password in argv or env. It ends when its parent ends.
 */
import { optimizeLater } from '../ground/optimize-later.js'
import type { ChildMessage, StartMessage } from './types.js'

// Ignores Ctrl-C, a hang-up and a kill of the whole process group: the runner must still revoke its tokens here.
// The signal handlers come before everything else that is loaded.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.once('disconnect', () => process.exit())
process.once('message', (message: StartMessage) => void run(message))
if (!process.connected) {
  process.stderr.write('this is a part of core-conformance; to start a mock Core: core-conformance mock\n')
  process.exit(1) // the parent ended meanwhile
}

async function run({ options }: StartMessage): Promise<void> {
  try {
    optimizeLater()
    const { start } = await import('./start.js')
    const { url, certificateFingerprint, certificatePem, control } = await start(options)
    tell({ type: 'ready', url, certificateFingerprint, certificatePem, control })
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

/** Sends a message to the parent. If the parent is gone, `disconnect` ends this process. */
function tell(message: ChildMessage): void {
  process.send?.(message, () => {})
}
