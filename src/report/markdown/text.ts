/** Makes text from the wire safe in Markdown: readers see it unchanged, and nothing in it acts as markup. */
import { clip, inert, inertLines } from '../inert.js'

/** Longest text in a sentence or a table, in characters. */
const LENGTH = 500

/** An @ with a zero-width space: it mentions nobody. No escape of Markdown does that. */
const NO_MENTION = '@\u200b'

/**
 * Escapes a text for a line of Markdown: one line of limited length, without meaning to CommonMark, GitHub or GitLab. It makes
 * no markup, HTML, link, table cell, formula or mention.
 */
export function md(text: string): string {
  const line = inert(clip(text.replace(/\s+/g, ' ').trim(), LENGTH))
  return (
    line
      .replace(/[!#$*[\\\]^_`{|}~]/g, character => `\\${character}`)
      // At the start of a line, these characters make a list, a rule or a heading.
      .replace(/^[-+=]/, character => `\\${character}`)
      .replace(/^(\d+)([.)])/, '$1\\$2')
      // These make a link of an address.
      .replaceAll('://', '\\://')
      .replace(/www\./gi, address => address.replace('.', '\\.'))
      .replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
      .replaceAll('@', NO_MENTION)
  )
}

/** Escapes a text for the title of what is folded, which is HTML. */
export function summaryText(text: string): string {
  const line = inert(clip(text.replace(/\s+/g, ' ').trim(), LENGTH)).replaceAll('@', NO_MENTION)
  return line.replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
}

/** Makes a fenced code block of a text of several lines. The text cannot end the block. */
export function fenced(text: string): string {
  const inside = inertLines(clip(text, 20_000))
  const longest = Math.max(0, ...(inside.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${inside}\n${fence}`
}

/** Makes a span of code. The text cannot end the span or a table cell. */
export function code(text: string): string {
  return `\`${inert(clip(text.replace(/\s+/g, ' ').trim(), LENGTH)).replace(/[`|]/g, "'")}\``
}

/** Makes a table. The cells are already Markdown. */
export function table(head: string[], body: string[][]): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...body.map(row)].join('\n')
}

/**
 * Folds a body below a title. A click opens it.
 * @param title a text of ours, or a {@link summaryText}: it is not escaped here
 */
export function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`
}
