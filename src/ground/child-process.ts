/** A process of ours and its parent, which talk over IPC: what each of them does. */
import type { ChildProcess, Serializable } from 'node:child_process'
import { once } from 'node:events'

/** The answer of a child to a task. */
type Answer<T> = { done: T } | { failed: string }

/**
 * Lets this process serve its parent. A Ctrl-C, a hang-up or a kill of the whole process group reaches it too, but its parent decides
 * when it ends, and it ends with its parent. Call it before anything else is loaded.
 *
 * @param instead what to do, where somebody else starts this process: `to run a fleet: core-conformance run`
 */
export function serveParent<T>(take: (message: T) => void, instead: string): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  process.once('disconnect', () => process.exit())
  process.on('message', take)
  if (process.connected) return
  process.stderr.write(`this is a part of core-conformance; ${instead}\n`)
  process.exit(1) // the parent may have ended meanwhile
}

/** Sends a message to the parent. If the parent is gone, this process is about to end. */
export function tellParent(message: object): void {
  process.send?.(message, () => {})
}

/** Lets this process do tasks for its parent, as {@link serveParent} does. @param perform returns the answer to a task */
export function workForParent<T>(perform: (task: T) => Promise<unknown>, instead: string): void {
  const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
  serveParent<T>(task => {
    perform(task).then(
      done => tellParent({ done }),
      error => tellParent({ failed: messageOf(error) }),
    )
  }, instead)
}

/**
 * Has a child do a task.
 *
 * @param ended settles with the end of the child, and says how it ended
 * @throws Error of the task, or of the end of the child; any other where `signal` is aborted
 */
export async function askChild<T>(
  child: ChildProcess,
  task: Serializable,
  ended: Promise<string>,
  signal: AbortSignal,
): Promise<T> {
  const answered = once(child, 'message', { signal }).then(([answer]) => answer as Answer<T>)
  const over = ended.then((failed): Answer<T> => ({ failed }))
  child.send(task, () => {}) // if sending fails, the child has ended, and its end is told
  const answer = await Promise.race([answered, over]).catch(error => {
    if (signal.aborted) throw error
    return over
  })
  if ('failed' in answer) throw new Error(answer.failed)
  return answer.done
}
