/** Keeps GitHub from obeying workflow commands in printed text: the answer of a Core may contain one. */
import { randomUUID } from 'node:crypto'

/** The lines to print before and after text that GitHub must not obey. */
export interface Fence {
  open: string
  close: string
}

/**
 * Makes the lines that switch workflow commands off and on.
 * @param token random letters, which the text in between cannot know
 */
export function fence(token: string = randomUUID()): Fence {
  return { open: `::stop-commands::${token}\n`, close: `::${token}::\n` }
}

/**
 * Fences a text, if GitHub reads it.
 * @param text ends with a line end
 * @param isRead whether GitHub reads the output
 */
export function unobeyed(text: string, isRead: boolean): string {
  if (!isRead) return text
  const { open, close } = fence()
  return open + text + close
}
