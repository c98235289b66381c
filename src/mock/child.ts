/**
 * The process of an embedded mock Core, started by `forkMockCore` and only by it: it takes its options from an IPC message,
 * not from argv or env, where a password could be read by others, and ends with its parent.
 */
import type { ChildMessage, StartMessage } from './types.js'

// A Ctrl-C, a hang-up or a kill of the whole process group reaches this process too; the runner must still be able to
// revoke its tokens here. Nothing is loaded before this is said.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.once('disconnect', () => process.exit())
process.once('message', (message: StartMessage) => void run(message))
if (!process.connected) {
  process.stderr.write('this is a part of core-conformance; to start a mock Core: core-conformance mock\n')
  process.exit(1) // or the parent has died meanwhile
}

async function run({ options }: StartMessage): Promise<void> {
  try {
    const { start } = await import('./start.js')
    const { url, certificateFingerprint, certificatePem, control } = await start(options)
    tell({ type: 'ready', url, certificateFingerprint, certificatePem, control })
  } catch (error) {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

/** To the parent; when it is gone meanwhile, `disconnect` ends this process. */
function tell(message: ChildMessage): void {
  process.send?.(message, () => {})
}
