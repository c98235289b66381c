/**
 * Makes text from the wire safe to print. Characters that could move a cursor, recolour a terminal, reorder a line, hide, or
 * break an XML file become visible characters.
 */
import { randomUUID } from 'node:crypto'

/** Controls, format characters (bidi overrides among them), line separators, lone surrogates, noncharacters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

/** The same characters without tab and line feed. */
const UNSAFE_BUT_LAYOUT = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}]/gu

const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u

function visible(character: string, offset: number, text: string): string {
  const [before, after] = [text.slice(Math.max(0, offset - 2), offset), text.slice(offset + 1, offset + 3)]
  // A joiner between two emoji makes them one (👩‍🚀). Anywhere else it is invisible.
  if (character === '\u200d' && EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) return character
  const code = character.codePointAt(0) ?? 0
  // Control pictures (␛, ␍, ␀) are one column wide and cannot be mistaken for an escape that the sender wrote.
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  if (code === 0x7f) return '\u2421'
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`
}

/** Text that needs no look at each character: nearly all that a report writes. */
const PLAIN = /^[ -~]*$/

/** Returns any text as one inert line: controls become control pictures (`␛`, `␊`), other dangerous characters `<U+202E>`. */
export function inert(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, visible)
}

/** Returns any text as inert lines: line feeds and tabs stay, CR LF becomes LF. */
export function inertLines(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll('\r\n', '\n').replace(UNSAFE_BUT_LAYOUT, visible)
}

/**
 * Returns the first `length` UTF-16 units of a text, with `…` after them if there was more. Never splits a surrogate pair. It
 * limits work before a text is measured; `cut` in wrap.ts limits columns.
 */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Returns a text as one inert line with single spaces, of at most so many characters. */
export function oneLine(text: string, length = Number.POSITIVE_INFINITY): string {
  return inert(clip(text.replace(/\s+/g, ' ').trim(), length))
}

/** Makes the lines that switch workflow commands off and on, with a token that the text in between cannot know. */
export function fence(token: string = randomUUID()) {
  return { open: `::stop-commands::${token}\n`, close: `::${token}::\n` }
}

/** The lines to print before and after text that GitHub must not obey. */
export type Fence = ReturnType<typeof fence>

/** Fences a text, if GitHub reads it. @param text ends with a line end @param isRead whether GitHub reads the output */
export function unobeyed(text: string, isRead: boolean): string {
  if (!isRead) return text
  const { open, close } = fence()
  return open + text + close
}
