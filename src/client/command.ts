import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { ClientEnd } from './result.js'

/** How long a command may take to end after it was asked to. */
const GRACE_MS = 2_000

/** A command under way. */
export interface RunningCommand {
  /** Settles when it has ended. Never rejects. */
  ended: Promise<ClientEnd>
  /** Ends it, with all its processes, for this reason. */
  end(kind: 'flood' | 'hang' | 'interrupted'): void
}

/**
 * Runs a command in a process group of its own; what it prints goes to stderr, and it can read nothing.
 *
 * @param env its whole environment
 * @param timeoutMs after which it is killed
 */
export function runCommand(
  [file = '', ...args]: readonly string[],
  env: Record<string, string>,
  timeoutMs: number,
): RunningCommand {
  // Not in this process group, or Ctrl-C would end it before its record is told to be a part only.
  const child = spawn(file, args, { env, stdio: ['ignore', 2, 2], detached: process.platform !== 'win32' })
  let why: 'timeout' | 'flood' | 'hang' | 'interrupted' | undefined
  let killing: NodeJS.Timeout | undefined
  const end = (kind: typeof why) => {
    if (why !== undefined) return
    why = kind
    killGroup(child, 'SIGTERM')
    killing = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE_MS)
  }
  const timer = setTimeout(() => end('timeout'), timeoutMs)
  const ended = new Promise<ClientEnd>(resolve => {
    const settle = (how: ClientEnd) => {
      clearTimeout(timer)
      clearTimeout(killing)
      // Whoever of the group is left would go on, and nobody would end it.
      if (why !== undefined) killGroup(child, 'SIGKILL')
      resolve(why === undefined ? how : { kind: why })
    }
    child.once(
      'error',
      error => child.pid === undefined && settle({ kind: 'not started', message: whyNot(error, file) }),
    )
    child.once('exit', (code, signal) =>
      settle(code === null ? { kind: 'signal', signal: signal ?? 'a signal' } : { kind: 'exit', code }),
    )
  })
  return { ended, end }
}

function whyNot({ code, message }: NodeJS.ErrnoException, file: string): string {
  if (code === 'ENOENT') return `there is no command '${file}'`
  return code === 'EACCES' ? `'${file}' is not a program that this user may run` : (code ?? message)
}

function killGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    if (process.platform === 'win32') spawnSync('taskkill', ['/PID', String(pid), '/T', '/F'])
    else process.kill(-pid, signal)
  } catch {
    // it is gone already
  }
}
