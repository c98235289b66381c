/** The child process for Pact. Only `PactProcess` starts it. */
import { workForParent } from '../../ground/child-process.js'
import type { Task } from './model.js'

/** Only contracts need Pact, which is large and partly native. An installation may lack it. */
const MISSING =
  'Pact is not installed here: add it with npm install @pact-foundation/pact@16 @pact-foundation/pact-core@19 (it is left out by npm ci --omit=optional)'

workForParent(async (task: Task) => {
  try {
    if (task.type === 'generate') return await (await import('./task-generate.js')).generate(task)
    return await (await import('./task-verify.js')).verify(task)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ERR_MODULE_NOT_FOUND'
    const message = isMissing ? MISSING : error instanceof Error ? error.message : String(error)
    throw new Error(message.replace(/\s+/g, ' ').trim())
  }
}, 'to write contracts: core-conformance contracts generate')
