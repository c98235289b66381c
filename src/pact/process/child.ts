/** The child process for Pact. Only `PactProcess` starts it. */
import type { Answer, Task } from './task.js'

// A Ctrl-C reaches this process too, but its parent decides when it ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

process.once('disconnect', () => process.exit())
process.on('message', (task: Task) => void run(task))
if (!process.connected) {
  process.stderr.write('this is a part of core-conformance; to write contracts: core-conformance contracts generate\n')
  process.exit(1)
}

/** Only contracts need Pact, which is large and partly native. An installation may lack it. */
const MISSING =
  'Pact is not installed here: add it with npm install @pact-foundation/pact@16 @pact-foundation/pact-core@19 (it is left out by npm ci --omit=optional)'

async function run(task: Task): Promise<void> {
  try {
    tell({ type: 'done', text: await perform(task) })
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND'
    const message = isMissing ? MISSING : error instanceof Error ? error.message : String(error)
    tell({ type: 'failed', message: message.replace(/\s+/g, ' ').trim() })
  }
}

async function perform(task: Task): Promise<string> {
  if (task.type === 'generate') return (await import('./task-generate.js')).generate(task)
  return (await import('./task-verify.js')).verify(task)
}

/** Sends an answer to the parent. If the parent is gone, `disconnect` ends this process. */
function tell(answer: Answer): void {
  process.send?.(answer, () => {})
}
