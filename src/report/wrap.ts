/** Breaks text into lines by display width. Texts are inert, in one line, without colours; but {@link indented} takes any. */
import { inert } from './inert.js'

/** East Asian wide and fullwidth characters, and characters that are emoji by themselves. */
const WIDE =
  /[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u

/** Marks that combine with the character before them, and joiners. */
const ZERO = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]/u

/** The selector that turns a character such as ❤ into an emoji, two columns wide. */
const EMOJI_SELECTOR = '\ufe0f'

/**
 * Returns the columns that a text takes, counted by code point. For an emoji of several parts this may be more than a modern
 * terminal uses, never less.
 */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let width = 0
  let last = 0
  for (const character of text) {
    if (character === EMOJI_SELECTOR) {
      if (last === 1) width += 1
      last = 0
      continue
    }
    const own = ZERO.test(character) ? 0 : WIDE.test(character) ? 2 : 1
    width += own
    if (own > 0) last = own
  }
  return width
}

/** Fewest columns that must be left on a line for a word longer than a line to start there. */
const WORTHWHILE = 8

/** Characters after which a long word, mostly a URL, is preferably broken. */
const BREAK_AFTER = /[/?&=,;:._-]/

/** Made when it is needed first: that takes 15 ms, and most that is wrapped is ASCII. */
let graphemes: Intl.Segmenter | undefined

/** What a reader takes for one character each, with where it begins. In inert ASCII each stands alone. */
function segmentsOf(text: string): Iterable<{ segment: string; index: number }> {
  if (/^[ -~]*$/.test(text)) return Array.from(text, (segment, index) => ({ segment, index }))
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return graphemes.segment(text)
}

/** Splits a word so that its first part fits into `width` columns. The first part is never empty. */
function splitWord(word: string, width: number): [head: string, tail: string] {
  let head = 0
  let best = 0
  let used = 0
  for (const { segment, index } of segmentsOf(word)) {
    used += displayWidth(segment)
    if (used > width && index > 0) break
    head = index + segment.length
    if (BREAK_AFTER.test(segment) && used > width / 2) best = head
  }
  const at = head < word.length && best > 0 ? best : head
  return [word.slice(0, at), word.slice(at)]
}

/** Cuts a text to at most `width` columns, with `…` as its last column if something is left out. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let kept = ''
  let used = 0
  for (const { segment } of segmentsOf(text)) {
    used += displayWidth(segment)
    if (used > width - 1) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** Cuts a text to so many columns, or fills it up with spaces. */
export function padded(text: string, width: number): string {
  const shown = cut(text, width)
  return shown + ' '.repeat(Math.max(0, width - displayWidth(shown)))
}

/**
 * Wraps a text into lines of at most `width` columns, broken at spaces, and inside words that are longer than a line. Keeps all
 * spaces between words, except where a line ends. An empty text is one empty line.
 * @param maxLines when the text needs more lines, the last one ends with `…`
 */
export function wrap(text: string, width: number, maxLines = Number.POSITIVE_INFINITY): string[] {
  const lines: string[] = []
  let line = ''
  let gap = ''
  for (const token of text.match(/ +|[^ ]+/g) ?? []) {
    if (lines.length > maxLines) break
    if (token.startsWith(' ')) {
      gap = line === '' ? '' : token
      continue
    }
    if (displayWidth(line + gap + token) <= width) {
      line += gap + token
      continue
    }
    let word = token
    if (line !== '') {
      const room = width - displayWidth(line + gap)
      if (displayWidth(word) > width && room >= WORTHWHILE) {
        const [head, tail] = splitWord(word, room)
        line += gap + head
        word = tail
      }
      lines.push(line)
    }
    while (displayWidth(word) > width && lines.length <= maxLines) {
      const [head, tail] = splitWord(word, width)
      if (tail === '') break
      lines.push(head)
      word = tail
    }
    line = word
    gap = ''
  }
  if (line !== '' || lines.length === 0) lines.push(line)
  if (lines.length <= maxLines) return lines
  const kept = lines.slice(0, maxLines)
  // With extra columns, `cut` ends the line with `…`.
  kept.push(cut(`${kept.pop() ?? ''}${' '.repeat(width)}…`, width))
  return kept
}

/** Wraps a text of any kind into lines of at most so many columns, with as many spaces before each line. */
export function indented(text: string, by: number, columns: number): string[] {
  return wrap(inert(text), columns - by).map(line => ' '.repeat(by) + line)
}
