/** Characters that no report may pass on: C0 except tab and line feed, C1, bidi and other format characters, broken Unicode. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const DANGEROUS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cs}\ufffe\uffff]/u

/**
 * Asserts that a text has no character that a terminal, a browser or a parser would obey.
 * @param name where the text comes from, for the message
 */
export function assertInert(text: string, name = 'the text'): void {
  const found = DANGEROUS.exec(text)
  if (!found) return
  const code = found[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  const before = JSON.stringify(text.slice(Math.max(0, found.index - 40), found.index))
  throw new Error(
    `${name} holds U+${code} after ${before}: text of a Core passes inert(), and lines end with a line feed alone`,
  )
}
