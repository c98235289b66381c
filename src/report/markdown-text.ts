/** Makes text from the wire safe in Markdown: it is shown as it is, and does nothing. */
import { clip, inert, inertLines } from './inert.js'

/** Of a text in a sentence or in a table. */
const LENGTH = 500

/** A zero-width space after an @ keeps it from calling somebody, which no escape does. */
const NO_MENTION = '@\u200b'

/**
 * Text within a line of Markdown: one line of bounded length, without meaning to CommonMark, GitHub or GitLab: no markup, no
 * HTML, no link, no table cell, no formula, no mention.
 */
export function md(text: string): string {
  const line = inert(clip(text.replace(/\s+/g, ' ').trim(), LENGTH))
  return (
    line
      .replace(/[!#$*[\\\]^_`{|}~]/g, character => `\\${character}`)
      // What makes a list, a rule or a heading of a line that begins with it.
      .replace(/^[-+=]/, character => `\\${character}`)
      .replace(/^(\d+)([.)])/, '$1\\$2')
      // What makes a link of an address.
      .replaceAll('://', '\\://')
      .replace(/www\./gi, address => address.replace('.', '\\.'))
      .replace(/[&<>]/g, character => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? '')
      .replaceAll('@', NO_MENTION)
  )
}

/** A fenced code block of text of several lines; what stands in it cannot end it. */
export function fenced(text: string, length: number): string {
  const inside = inertLines(clip(text, length))
  const longest = Math.max(0, ...(inside.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${inside}\n${fence}`
}

/** A span of code; what stands in it cannot end it, and is no cell of a table. */
export function code(text: string): string {
  return `\`${inert(clip(text.replace(/\s+/g, ' ').trim(), LENGTH)).replace(/[`|]/g, "'")}\``
}

/** A table of Markdown; the cells are Markdown already. */
export function table(head: string[], body: string[][]): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...body.map(row)].join('\n')
}

/** What is there for whoever asks: closed until it is clicked. @param title of ours */
export function folded(title: string, body: string): string {
  return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`
}
