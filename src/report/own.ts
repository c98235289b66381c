/**
 * Runs the user's own reporter: a module that exports `render`, which turns the run result into the text of the report. The
 * module may also export the name of its `file`. It runs in a thread of its own, so that it cannot change other reports, and
 * cannot end or delay the run. The thread does not get our environment variables, so it cannot leak the password by accident.
 */

import { statSync } from 'node:fs'
import { parse, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { ConfigError } from '../ground/config-error.js'
import type { RunResult } from '../result.js'
import { systemReason } from '../suite/problem.js'
import { clip, inert } from './inert.js'
import { type OwnAnswer, type OwnTask, whyOf } from './own-answer.js'
import type { Reporter } from './reporter.js'

/** Thrown for a module that cannot be used as a reporter. The message says which module and why. Exit code 2. */
export class OwnReporterError extends ConfigError {}

/** How to run a module. */
export interface OwnOptions {
  /** Longest time for loading, and for rendering. */
  deadlineMs?: number
  /** Takes what the module prints. It is meant for the author of the module. */
  tell?(text: string): void
}

/** Default deadline: far more than rendering a result of some MB takes. A run must not hang in its last step. */
const DEADLINE_MS = 60_000
/** Longest text about a module's error, in characters. */
const MOST_TOLD = 300

/**
 * Loads a module before the run sends anything, so that a faulty module is found at once.
 * @param path absolute or relative to the working directory; also the name of the reporter
 * @returns the reporter. If the module names no `file`, its text goes to a pipe, or to a file with the name of the module
 * @throws OwnReporterError for a module that does not exist, cannot be loaded, or exports no `render`
 */
export async function ownReporter(path: string, options: OwnOptions = {}): Promise<Reporter<RunResult>> {
  const refuse = (why: string): never => {
    throw new OwnReporterError(`the reporter ${inert(path)} cannot be used: ${inert(clip(why, MOST_TOLD))}`)
  }
  try {
    const found = statSync(path)
    if (found.isDirectory()) refuse('it is a folder: name the module in it')
    // Loading a pipe would wait for its writer for ever.
    if (!found.isFile()) refuse('it is a device or a pipe, and not a file')
  } catch (error) {
    if (error instanceof OwnReporterError) throw error
    refuse(systemReason(error, 'file'))
  }
  const url = pathToFileURL(resolve(path)).href
  const found = await inThread({ url }, options)
  if ('problem' in found) return refuse(found.problem)
  const named = 'file' in found ? found.file : undefined
  const file = named ?? `${parse(path).name}.txt`
  if (!/^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,99}$/u.test(file))
    refuse(
      `'${file}' is no name for its file: export one of letters, digits, spaces, '.', '_' and '-', without a folder`,
    )
  return {
    name: path,
    about: 'of your own',
    file,
    ...(named === undefined && { stream: 'pipe' as const }),
    render: async result => {
      const made = await inThread({ url, result: JSON.stringify(result) }, options)
      if ('text' in made) return made.text
      const why = 'problem' in made ? made.problem : 'it gave no text'
      throw new Error(`Cannot make the report ${inert(path)}: ${inert(clip(why, MOST_TOLD))}. Mend the module.`)
    },
  }
}

async function inThread(task: OwnTask, { deadlineMs = DEADLINE_MS, tell }: OwnOptions): Promise<OwnAnswer> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^core_/i.test(name)))
  const worker = new Worker(new URL('./own-thread.js', import.meta.url), {
    workerData: task,
    env,
    // stdout is for reports.
    stdout: true,
    stderr: true,
  })
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', chunk => tell?.(String(chunk)))
  let timer: NodeJS.Timeout | undefined
  try {
    return await new Promise<OwnAnswer>(resolve => {
      worker.once('message', resolve)
      worker.once('error', error => resolve({ problem: whyOf(error, task.url) }))
      worker.once('exit', () => resolve({ problem: 'it ended before it had answered' }))
      const problem = `it did not come to an end within ${deadlineMs / 1000} s`
      timer = setTimeout(() => resolve({ problem }), deadlineMs)
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
