import { once } from 'node:events'
import { createRequire } from 'node:module'
import { Writable } from 'node:stream'
import { ConfigError } from './ground/config-error.js'
import { systemReason } from './suite/problem.js'

/** A stream that may be a terminal, such as `process.stdout`. If it is not, `isTTY` and the size are undefined. */
export interface Output extends NodeJS.WritableStream {
  isTTY?: boolean | undefined
  columns?: number | undefined
  rows?: number | undefined
}

/** The surroundings of a command: those of a process, or replacements for them. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean | undefined }
  stdout: Output
  stderr: Output
  /** The environment: settings, and whether to use colours. */
  env: Readonly<Record<string, string | undefined>>
  /** The working folder: `.env` and the configuration file are read from it. */
  cwd: string
  /** Stops the command when aborted. Absent: SIGINT and SIGTERM of this process stop it. */
  signal?: AbortSignal
}

/** Where a command writes. */
export interface Outputs {
  stdout: Output
  stderr: Output
  /** Whether to colour stdout. */
  color: boolean
}

/** Where a command reads and writes. */
export interface Terminal extends Outputs {
  stdin: Io['stdin']
  signal?: AbortSignal
  /** Whether stderr can be redrawn in place (`live`), and whether to colour it. The log of a CI job is never live. */
  progress: { live: boolean; color: boolean }
  /** Whether a part of stdout could not be written. A reader that went away does not count. */
  readonly isLost: boolean
}

/** Makes a terminal of streams, and keeps errors of the streams from ending the process. */
export function terminalOf({ stdin, stdout, stderr, env, signal }: Io): Terminal {
  let isLost = false
  // A reader that goes away (`| head`) must not end the run: it still has to revoke tokens and write reports.
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  stdout.once('error', (error: NodeJS.ErrnoException) => {
    // A reader that went away has all it wanted. Any other error, such as a full disk, loses output that the user asked for.
    isLost = error.code !== 'EPIPE'
    if (isLost) stderr.write(`core-conformance: cannot write to stdout: ${systemReason(error, 'file')}\n`)
  })
  const live = stderr.isTTY === true && env.TERM !== 'dumb' && !isOn(env.CI)
  return {
    stdin,
    stdout,
    stderr,
    ...(signal && { signal }),
    color: isColored(stdout, env),
    progress: { live, color: isColored(stderr, env) },
    get isLost() {
      return isLost
    },
  }
}

/** Whether to use colours: as FORCE_COLOR and NO_COLOR (https://no-color.org) say, else on a terminal only. */
function isColored({ isTTY }: Output, env: Io['env']): boolean {
  if (env.FORCE_COLOR) return isOn(env.FORCE_COLOR)
  return !env.NO_COLOR && isTTY === true && env.TERM !== 'dumb'
}

function isOn(value = ''): boolean {
  return value !== '' && !/^(0|false)$/i.test(value)
}

/**
 * Asks for a password on the terminal, without showing it.
 * @returns the password
 * @throws ConfigError where stdin is no terminal, or the user gives no password
 */
export function askPassword({ stdin, stderr }: Terminal, question: string): Promise<string> {
  if (!stdin.isTTY) throw new ConfigError('no password: set CORE_PASSWORD, in the environment or in .env')
  // Few runs ask, and loading it takes longer than a request.
  const { createInterface } = createRequire(import.meta.url)('node:readline') as typeof import('node:readline')
  stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: true })
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new ConfigError('no password was given'))
    lines.once('SIGINT', () => lines.close())
    lines.once('close', () => {
      stderr.write('\n')
      cancel()
    })
    lines.once('line', answer => {
      if (answer) resolve(answer)
      lines.close()
    })
  })
}

// Treat a closed terminal like SIGTERM: the run still has to revoke tokens and write reports.
process.on('SIGHUP', () => {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.kill(process.pid, 'SIGTERM')
})

/** The exit code after a second signal: the run was not finished. */
const STOPPED_EXIT_CODE = 3

/**
 * Returns a signal that is aborted by the first SIGINT or SIGTERM. If the terminal has a signal, that signal takes their
 * place. A second SIGINT or SIGTERM ends the process at once.
 * @param message a line for stderr at the first signal
 */
export function untilSignal({ stderr, signal }: Terminal, message?: string): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(STOPPED_EXIT_CODE)
    // The abort clears the live display. The message must come after that.
    controller.abort()
    if (message) stderr.write(`\n${message}\n`)
  }
  if (!signal) process.on('SIGINT', stop).on('SIGTERM', stop)
  else if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return controller.signal
}

/** Waits until a signal is aborted. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
