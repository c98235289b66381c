/** Measures the columns of text on a terminal. Node has such a function (`getStringWidth`) but does not export it. */

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
 * @param text inert text in one line, without colours
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
