/** Text from a result, made ready for the page. The renderer escapes it; this bounds it, and makes visible what would hide. */
import { clip, inert, inertLines } from '../inert.js'

/** A sentence is never longer; a message that quotes a body may be. */
const SENTENCE = 600

/** The text on one line, of bounded length; `(blank)` where there would be nothing to see, or to click. */
export function shown(text: string, length = SENTENCE): string {
  const line = inert(clip(text, length))
  return line.trim() === '' ? '(blank)' : line
}

/** The text with its line feeds, of bounded length. */
export function shownLines(text: string, length: number): string {
  return inertLines(clip(text, length))
}

/** A sentence that stands alone begins with a capital letter, unless it begins with a name such as a path. */
export function sentence(text: string): string {
  const line = shown(text.trim())
  return /^[a-z]+[ ,:]/.test(line) ? line.charAt(0).toUpperCase() + line.slice(1) : line
}
