import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ConfigError } from './config/error.js'
import { systemReason } from './suite/problem.js'

/** A stream that may be a terminal, such as `process.stdout`; where it is none, `isTTY` and the size are undefined. */
export interface Output extends NodeJS.WritableStream {
  isTTY?: boolean | undefined
  columns?: number | undefined
  rows?: number | undefined
}

/** What a command has of the world around it: that of a process, or what stands in its place. */
export interface Io {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean | undefined }
  stdout: Output
  stderr: Output
  /** The environment: settings, and whether to use colours. */
  env: Readonly<Record<string, string | undefined>>
  /** The working folder, where `.env` and the configuration file are looked for. */
  cwd: string
  /** Stops the command when it is aborted. SIGINT and SIGTERM of this process do, where it is not given. */
  signal?: AbortSignal
}

/** Where a command reads and writes. */
export interface Terminal extends Pick<Io, 'stdin' | 'stdout' | 'stderr' | 'signal'> {
  /** Whether stdout is to be coloured. */
  color: boolean
  /** Whether stderr can be redrawn in place, so not in the log of a CI job even if it looks like a terminal, and be coloured. */
  progress: { live: boolean; color: boolean }
  /** Whether a part of stdout could not be written, other than to a reader that went away. */
  readonly isLost: boolean
}

/** The terminal that these streams make. */
export function terminalOf({ stdin, stdout, stderr, env, signal }: Io): Terminal {
  let isLost = false
  // A reader that goes away (`| head`) must not end the run: tokens are to be given back, and reports written.
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  stdout.once('error', error => {
    isLost = tellLost(error, stderr)
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

/**
 * Tells that output is lost. A reader that went away has what it wanted; anything else, such as a full disk, leaves a part of
 * what was asked for.
 */
function tellLost(error: NodeJS.ErrnoException, stderr: Output): boolean {
  if (error.code === 'EPIPE') return false
  stderr.write(`core-conformance: cannot write to stdout: ${systemReason(error, 'file')}\n`)
  return true
}

/** Colours as FORCE_COLOR and NO_COLOR (https://no-color.org) ask, else on a terminal only. */
function isColored({ isTTY }: Output, env: Io['env']): boolean {
  if (env.FORCE_COLOR) return isOn(env.FORCE_COLOR)
  return !env.NO_COLOR && isTTY === true && env.TERM !== 'dumb'
}

function isOn(value = ''): boolean {
  return value !== '' && !/^(0|false)$/i.test(value)
}

/**
 * Asks for a password on the terminal, without showing it.
 * @throws ConfigError where there is no terminal to ask on
 */
export function askPassword({ stdin, stderr }: Terminal, question: string): Promise<string> {
  if (!stdin.isTTY) throw new ConfigError('no password: set CORE_PASSWORD, in the environment or in .env')
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

// A terminal that goes away asks for the same as SIGTERM: tokens are to be given back, and reports written.
process.on('SIGHUP', () => {
  if (!process.emit('SIGTERM', 'SIGTERM')) process.kill(process.pid, 'SIGTERM')
})

/** What a shell expects of a process that was stopped for good. */
const STOPPED_EXIT_CODE = 3

/**
 * A signal that is aborted by the first SIGINT or SIGTERM, or by the signal of the terminal where there is one; a second one
 * ends the process at once.
 * @param message told at the first
 */
export function untilSignal({ stderr, signal }: Terminal, message?: string): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(STOPPED_EXIT_CODE)
    // What is live on the terminal is taken away at the abort, before there is a message below it.
    controller.abort()
    if (message) stderr.write(`\n${message}\n`)
  }
  if (!signal) process.on('SIGINT', stop).on('SIGTERM', stop)
  else if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return controller.signal
}
