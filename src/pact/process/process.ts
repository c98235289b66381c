/** Runs Pact in a child process. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askChild } from '../../ground/child-process.js'
import type { Task } from './model.js'

/**
 * Runs Pact in a child process, because its native part cannot be interrupted, may crash, and prints at will (even tokens).
 * The child's output is dropped. It inherits no environment, which holds the password and perhaps a proxy that would
 * disturb local connections. It is killed when it takes too long.
 */
export class PactProcess {
  private running: { child: ChildProcess; ended: Promise<string> } | undefined
  private folder: string | undefined
  /** The tasks: Pact does one at a time. */
  private turn: Promise<unknown> = Promise.resolve()

  private async started() {
    if (this.running) return this.running
    this.folder ??= await mkdtemp(join(tmpdir(), 'core-conformance-pact-'))
    const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)), [], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      execArgv: [],
      env: { PACT_DO_NOT_TRACK: 'true' },
      cwd: this.folder,
    })
    const ended = new Promise<string>(resolve => {
      const end = (how: string) => {
        if (this.running?.child === child) this.running = undefined
        resolve(`Pact's process ${how}`)
      }
      child.on('error', () => child.pid === undefined && end('does not listen'))
      child.once('exit', (code, killed) => end(`ended ${killed ? `by ${killed}` : `with exit code ${code}`}`))
    })
    this.running = { child, ended }
    return this.running
  }

  /**
   * Runs a task, after those before it.
   * @param deadlineMs after this time the process is killed
   * @param signal kills the process, too
   * @throws Error when the task fails, or when the process ends during the task
   */
  run(task: Task, deadlineMs: number, signal?: AbortSignal): Promise<string> {
    const done = this.turn.then(() => this.perform(task, deadlineMs, signal))
    this.turn = done.catch(() => {})
    return done
  }

  private async perform(task: Task, deadlineMs: number, signal?: AbortSignal): Promise<string> {
    const { child, ended } = await this.started()
    const late = AbortSignal.timeout(deadlineMs)
    try {
      return await askChild<string>(child, task, ended, signal ? AbortSignal.any([late, signal]) : late)
    } catch (error) {
      if (!late.aborted && !signal?.aborted) throw error
      this.kill()
      throw new Error(signal?.aborted ? 'interrupted' : `Pact did not finish within ${deadlineMs / 1000} s`)
    }
  }

  /** Ends the process and removes its files. */
  async close(): Promise<void> {
    const { running, folder } = this
    this.kill()
    await running?.ended
    if (folder) await rm(folder, { recursive: true, force: true }).catch(() => {})
    this.folder = undefined
  }

  private kill(): void {
    // The process has nothing to finish, and its native part may be the one that hangs.
    this.running?.child.kill('SIGKILL')
    this.running = undefined
  }
}
