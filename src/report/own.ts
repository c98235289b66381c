/**
 * A reporter of the user's own: a module that exports `render`, which takes the run result and gives the text of the report,
 * and may export the name of its `file`. It runs in a thread of its own, so that it can neither change what other reports
 * show, nor end or hold up the run; and without our variables, so that it meets no password by accident.
 */
import { statSync } from 'node:fs'
import { parse, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { RunResult } from '../result.js'
import { systemReason } from '../suite/problem.js'
import { clip, inert } from './inert.js'
import { type OwnAnswer, type OwnTask, whyOf } from './own-answer.js'
import type { Reporter } from './reporter.js'

/** A module that cannot be used as a reporter: the message says which and why. Exit code 2. */
export class OwnReporterError extends Error {}

/** How a module is run. */
export interface OwnOptions {
  /** How long loading may take, and rendering. */
  deadlineMs?: number
  /** Takes what the module prints, which is for its author. */
  tell?(text: string): void
}

/** Far more than rendering a result takes, which is some MB; a run must not hang over its last step. */
const DEADLINE_MS = 60_000
/** Of what a module says of its own fault. */
const MOST_TOLD = 300

/**
 * Loads a module, so that what is wrong with it is known before anything is sent.
 * @param path absolute or relative to the working directory; the name of the reporter too
 * @returns its reporter. Without a `file` its text goes to a pipe, or to a file that is called like the module
 * @throws OwnReporterError for a module that is not there, cannot be loaded, or exports something else
 */
export async function ownReporter(path: string, options: OwnOptions = {}): Promise<Reporter<RunResult>> {
  const refuse = (why: string): never => {
    throw new OwnReporterError(`the reporter ${inert(path)} cannot be used: ${inert(clip(why, MOST_TOLD))}`)
  }
  try {
    const found = statSync(path)
    if (found.isDirectory()) refuse('it is a folder: name the module in it')
    // To load a pipe is to wait for who writes it, and nothing ends that.
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
  if (!isFileName(file))
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

function isFileName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,99}$/u.test(name)
}

/** Runs the module in a thread, and ends that. */
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
      timer = setTimeout(
        () => resolve({ problem: `it did not come to an end within ${deadlineMs / 1000} s` }),
        deadlineMs,
      )
    })
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}
