/** Runs Pact in a child process. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Answer, Task } from './task.js'

/**
 * Runs Pact in a child process, because its native part cannot be interrupted, may crash, and prints at will (even tokens).
 * The child's output is dropped. It inherits no environment, which holds the password and perhaps a proxy that would
 * disturb local connections. It is killed when it takes too long.
 */
export class PactProcess {
  private child: ChildProcess | undefined
  private folder: string | undefined

  private async started(): Promise<ChildProcess> {
    if (this.child) return this.child
    this.folder ??= await mkdtemp(join(tmpdir(), 'core-conformance-pact-'))
    const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)), [], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      env: { PACT_DO_NOT_TRACK: 'true' },
      cwd: this.folder,
    })
    this.child = child
    child.on('error', () => {}) // `run` waits for the end, which follows
    child.once('exit', () => {
      if (this.child === child) this.child = undefined
    })
    return child
  }

  /**
   * Runs a task; one at a time.
   * @param deadlineMs after this time the process is killed
   * @param signal kills the process, too
   * @throws Error when the task fails, or when the process ends during the task
   */
  async run(task: Task, deadlineMs: number, signal?: AbortSignal): Promise<string> {
    const child = await this.started()
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        child.off('message', onMessage).off('exit', onExit)
        end()
      }
      const onMessage = (answer: Answer) =>
        settle(() => (answer.type === 'done' ? resolve(answer.text) : reject(new Error(answer.message))))
      const onExit = (code: number | null, killed: string | null) =>
        settle(() => reject(new Error(`Pact's process ended ${killed ? `by ${killed}` : `with exit code ${code}`}`)))
      const kill = (why: string) =>
        settle(() => {
          this.kill()
          reject(new Error(why))
        })
      const onAbort = () => kill('interrupted')
      const timer = setTimeout(() => kill(`Pact did not finish within ${deadlineMs / 1000} s`), deadlineMs)
      child.once('message', onMessage).once('exit', onExit)
      signal?.addEventListener('abort', onAbort, { once: true })
      if (signal?.aborted) onAbort()
      else child.send(task, error => error && kill("Pact's process does not listen"))
    })
  }

  /** Ends the process and removes its files. */
  async close(): Promise<void> {
    const { child, folder } = this
    this.kill()
    if (child && child.exitCode === null && child.signalCode === null) {
      await new Promise(resolve => child.once('exit', resolve))
    }
    if (folder) await rm(folder, { recursive: true, force: true }).catch(() => {})
    this.folder = undefined
  }

  private kill(): void {
    // The process has nothing to finish, and its native part may be the one that hangs.
    this.child?.kill('SIGKILL')
    this.child = undefined
  }
}
