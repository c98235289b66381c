/** What a Core answers may hold a workflow command, which GitHub would obey wherever it is printed. */
import { randomUUID } from 'node:crypto'

/** What is to be printed before and after what GitHub shall not obey. */
export interface Fence {
  open: string
  close: string
}

/** @param token of random letters, which nothing in between can know */
export function fence(token: string = randomUUID()): Fence {
  return { open: `::stop-commands::${token}\n`, close: `::${token}::\n` }
}

/**
 * Text that ends with a line end, to be printed.
 * @param isRead whether GitHub reads it
 */
export function unobeyed(text: string, isRead: boolean): string {
  if (!isRead) return text
  const { open, close } = fence()
  return open + text + close
}
