/** What is said between a run and the thread of a reporter of the user's own. */

/** What the thread is to do. */
export interface OwnTask {
  /** The URL of the module. */
  url: string
  /** The run result as JSON, to be rendered; absent: only look whether the module can be used. */
  result?: string
}

/** What came of it: the file that the module names, or the text of the report, or why there is none. */
export type OwnAnswer = { file?: string } | { text: string } | { problem: string }

/** What a value is, in a few words. */
export function kindOf(value: unknown): string {
  return value === undefined ? 'nothing' : value === null ? 'null' : `a value of type ${typeof value}`
}

/**
 * Why a module failed, in a line: the error's name and message, and the line of the module where that is known. No stack trace.
 * @param url of the module
 */
export function whyOf(error: unknown, url: string): string {
  if (!(error instanceof Error)) return `it threw ${kindOf(error)}`
  const { name, message, stack = '' } = error
  const [, line] = stack.split(`${url}:`)[1]?.match(/^(\d+)/) ?? []
  return `${name}: ${message.split('\n')[0]}${line === undefined ? '' : ` (line ${line})`}`
}
