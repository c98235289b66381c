import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { ClientEnd } from './result.js'

/** Longest wait after SIGTERM. Then the command gets SIGKILL. */
const GRACE_MS = 2_000

/** A command that is running. */
export interface RunningCommand {
  /** Settles when the command has ended. Never rejects. */
  ended: Promise<ClientEnd>
  /** Ends the command and all its processes, for this reason. */
  end(kind: 'flood' | 'hang' | 'interrupted'): void
  /** Whether this program ends the command. What its connections do from then on says nothing of the command. */
  isBeingEnded(): boolean
}

/**
 * Runs a command in a process group of its own. All its output goes to stderr. Its input is empty.
 *
 * @param env the whole environment of the command
 * @param timeoutMs time after which the command is killed
 */
export function runCommand(
  [file = '', ...args]: readonly string[],
  env: Record<string, string>,
  timeoutMs: number,
): RunningCommand {
  // A group of its own: Ctrl-C must not end the command before this program marks its record as interrupted.
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
      // Processes of the group that are left would run on for ever.
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
  return { ended, end, isBeingEnded: () => why !== undefined }
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
    // the group has ended already
  }
}
