/** Defines the messages between a run and the thread of the user's own reporter. */

/** The task of the thread. */
export interface OwnTask {
  /** The URL of the module. */
  url: string
  /** The run result to render, as JSON; absent: only check that the module can be used. */
  result?: string
}

/** The answer of the thread: the file that the module names, or the text of the report, or why there is none. */
export type OwnAnswer = { file?: string } | { text: string } | { problem: string }

/** Names the kind of a value, in a few words. */
export function kindOf(value: unknown): string {
  return value === undefined ? 'nothing' : value === null ? 'null' : `a value of type ${typeof value}`
}

/**
 * Says in a line why a module failed: the name and message of the error, and the line in the module if known. No stack trace.
 * @param url the URL of the module
 */
export function whyOf(error: unknown, url: string): string {
  if (!(error instanceof Error)) return `it threw ${kindOf(error)}`
  const { name, message, stack = '' } = error
  const [, line] = stack.split(`${url}:`)[1]?.match(/^(\d+)/) ?? []
  return `${name}: ${message.split('\n')[0]}${line === undefined ? '' : ` (line ${line})`}`
}
