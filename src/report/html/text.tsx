/** Prepares text from a result for the page: limits its length, and makes hidden characters visible. The renderer escapes it. */
import { clip, inert } from '../inert.js'

/** Longest text, in characters. A message that quotes a body may be longer, and is cut. */
const SENTENCE = 600

/** Returns the text on one line, of limited length; `(blank)` where there would be nothing to see or click. */
export function shown(text: string, length = SENTENCE): string {
  const line = inert(clip(text, length))
  return line.trim() === '' ? '(blank)' : line
}

/** Keeps each number and its unit on one line: `6 s`, `1 h 4 min`, `5 %`. */
export function unbroken(text: string): string {
  return text.replace(/(\d) (?=(?:ms|s|min|h|d|%|kB|MB)(?![\w-]))/g, '$1\u00a0')
}

/** Returns the text with a capital first letter, unless it begins with a name such as a path. */
export function sentence(text: string): string {
  const line = unbroken(shown(text.trim()))
  return /^[a-z]+[ ,:]/.test(line) ? line.charAt(0).toUpperCase() + line.slice(1) : line
}

/** Shows a sentence of ours. Text between backticks becomes code. */
export function Prose({ text }: { text: string }) {
  const parts = text.split('`')
  // An odd number of backticks: show them as they are.
  if (parts.length % 2 === 0) return <>{text}</>
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>
}
