import { type ChildProcess, fork as forkProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { askChild } from '../ground/child-process.js'
import type { ForkedMockCore, ForkOptions, Started } from './types.js'

/** Longest start, in milliseconds; far longer than a start takes on a busy machine. */
const START_DEADLINE_MS = 30_000
/** Longest end, in milliseconds. The child has nothing to finish; after this time it is taken to hang. */
const END_DEADLINE_MS = 5_000

/** Starts a mock Core in a child process. See `forkMockCore`. */
export async function fork(options: ForkOptions): Promise<ForkedMockCore> {
  // No execArgv: a --inspect or a loader of the parent is not meant for the child.
  const child = forkProcess(fileURLToPath(new URL('./child.js', import.meta.url)), [], {
    stdio: 'ignore',
    execArgv: [],
  })
  const ended = endOf(child)
  const { username, password, idleLifetimeMs, accessControl, dialect, defect } = options
  // Sends only the known options: a caller may have added others. Undefined values do not pass through IPC.
  const sent = { username, password, idleLifetimeMs, accessControl, dialect, defect }
  const late = AbortSignal.timeout(START_DEADLINE_MS)
  try {
    const started = await askChild<Started>(child, sent, ended, late)
    child.unref()
    child.channel?.unref()
    let closed: Promise<void> | undefined
    return {
      ...started,
      pid: child.pid ?? -1,
      ended,
      close() {
        closed ??= end(child, ended)
        return closed
      },
    }
  } catch (error) {
    const why = late.aborted ? ` within ${START_DEADLINE_MS / 1000} s` : `: ${(error as Error).message}`
    await end(child, ended)
    throw new Error(`the mock Core did not start${why}`)
  }
}

/** Settles when the child has ended, with a description of the end. */
function endOf(child: ChildProcess): Promise<string> {
  return new Promise(resolve => {
    child.once(
      'error',
      error => child.pid === undefined && resolve(`its process could not be started: ${error.message}`),
    )
    child.once('exit', (code, signal) =>
      resolve(signal === null ? `its process ended with exit code ${code}` : `its process was ended by ${signal}`),
    )
  })
}

/** Disconnects the child and waits for its end. Kills it if it does not end. */
async function end(child: ChildProcess, ended: Promise<string>): Promise<void> {
  child.ref()
  if (child.connected) child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), END_DEADLINE_MS)
  await ended
  clearTimeout(timer)
}
