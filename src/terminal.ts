import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { ConfigError } from './config/error.js'
import { systemReason } from './suite/problem.js'

/** Of a process whose output is not whole, where nothing worse is to be said. */
const LOST_EXIT_CODE = 3

/** Where a command reads and writes. */
export interface Terminal {
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Whether stdout is to be coloured. */
  color: boolean
  /** Whether stderr can be redrawn in place, so not in the log of a CI job even if it looks like a terminal, and be coloured. */
  progress: { live: boolean; color: boolean }
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const { stdin, stdout, stderr, env } = process
  // A reader that goes away (`| head`) must not end the run: tokens are to be given back, and reports written.
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  stdout.once('error', error => tellLost(error, stderr))
  const live = stderr.isTTY === true && env.TERM !== 'dumb' && !isOn(env.CI)
  return { stdin, stdout, stderr, color: isColored(stdout, env), progress: { live, color: isColored(stderr, env) } }
}

/** A reader that went away has what it wanted; anything else, such as a full disk, leaves a part of what was asked for. */
function tellLost(error: NodeJS.ErrnoException, stderr: NodeJS.WriteStream): void {
  if (error.code === 'EPIPE') return
  stderr.write(`core-conformance: cannot write to stdout: ${systemReason(error, 'file')}\n`)
  process.once('exit', () => {
    process.exitCode ||= LOST_EXIT_CODE
  })
}

/** Colours as FORCE_COLOR and NO_COLOR (https://no-color.org) ask, else on a terminal only. */
function isColored({ isTTY }: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
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
 * A signal that is aborted by the first SIGINT or SIGTERM; a second one ends the process at once.
 * @param message told at the first
 */
export function untilSignal({ stderr }: Terminal, message?: string): AbortSignal {
  const controller = new AbortController()
  const stop = () => {
    if (controller.signal.aborted) process.exit(STOPPED_EXIT_CODE)
    // What is live on the terminal is taken away at the abort, before there is a message below it.
    controller.abort()
    if (message) stderr.write(`\n${message}\n`)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
  return controller.signal
}
