import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import type { Printed } from './printed.js'
import type { ClientEnd } from './result.js'

/** Longest wait after SIGTERM. Then the command gets SIGKILL. */
const GRACE_MS = 2_000

/** Longest wait for the rest of the output. Processes that a command left behind may hold its output open for ever. */
const REST_MS = 1_000

/** A command that is running. */
export interface RunningCommand {
  /** Settles when the command has ended. Never rejects. */
  ended: Promise<ClientEnd>
  /** Ends the command and all its processes, for this reason. */
  end(kind: 'flood' | 'hang' | 'interrupted'): void
  /** Whether this program ends the command. What its connections do from then on says nothing of the command. */
  isBeingEnded(): boolean
}

/** How a command is run. */
export interface CommandOptions {
  /** The whole environment of the command. */
  env: Record<string, string>
  /** Time after which the command is killed. */
  timeoutMs: number
  /** Gets all its output. */
  printed: Printed
}

/** Runs a command in a process group of its own. Its input is empty. */
export function runCommand(
  [file = '', ...args]: readonly string[],
  { env, timeoutMs, printed }: CommandOptions,
): RunningCommand {
  // A group of its own: Ctrl-C must not end the command before this program marks its record as interrupted.
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' })
  const printing = Promise.all([printed.take(child.stdout, 'stdout'), printed.take(child.stderr, 'stderr')])
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
      const late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, REST_MS)
      printing.then(() => {
        clearTimeout(late)
        resolve(why === undefined ? how : { kind: why })
      })
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
