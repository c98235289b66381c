/** Hands the subjects of the matrix to its workers. */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { SubjectResult } from './matrix-judge.js'
import { labelOf, type Subject } from './matrix-subjects.js'

/** More than one: a worker with a slow subject hardly uses its processor. */
const WORKERS_PER_PROCESSOR = 3
/** A worker takes as long to load and warm up as for three later subjects. */
const SUBJECTS_PER_WORKER = 6
/** How often the matrix says how far it is: the whole takes half an hour. */
const TOLD_EVERY_MS = 60_000

/**
 * Runs the suite on each subject.
 *
 * @param atMost how many workers at a time
 * @returns the findings by the subject's label
 * @throws Error when a worker fails
 */
export async function examineAll(
  subjects: readonly Subject[],
  atMost = WORKERS_PER_PROCESSOR * availableParallelism(),
): Promise<SubjectResult[]> {
  const results: SubjectResult[] = []
  const waiting = [...subjects]
  const running = new Map<ChildProcess, Subject>()
  const work = (worker: ChildProcess) =>
    new Promise<void>((resolve, reject) => {
      const next = () => {
        const subject = waiting.shift()
        if (subject) {
          running.set(worker, subject)
          worker.send(subject)
        } else {
          running.delete(worker)
          worker.disconnect()
          resolve()
        }
      }
      worker.on('message', (message: SubjectResult | { subject: Subject; error: string }) => {
        if ('error' in message) return reject(new Error(`${labelOf(message.subject)}: ${message.error}`))
        results.push(message)
        next()
      })
      worker.on('exit', code => code && reject(new Error(`a worker ended with ${code}`)))
      next()
    })
  const most = Math.min(atMost, Math.ceil(subjects.length / SUBJECTS_PER_WORKER))
  // compiled or not, like this file
  const file = fileURLToPath(import.meta.url.replace('matrix-workers', 'matrix-worker'))
  const workers = Array.from({ length: most }, () => fork(file))
  const tell = () =>
    process.stderr.write(
      `${results.length} of ${subjects.length}, now ${[...running.values()].map(labelOf).sort().join(', ')}\n`,
    )
  const telling = setInterval(tell, TOLD_EVERY_MS)
  try {
    await Promise.all(workers.map(work))
  } finally {
    clearInterval(telling)
    for (const worker of workers) if (worker.connected) worker.disconnect()
  }
  const labels = new Map(results.map(result => [result, labelOf(result.subject)]))
  return results.sort((a, b) => ((labels.get(a) ?? '') < (labels.get(b) ?? '') ? -1 : 1))
}
