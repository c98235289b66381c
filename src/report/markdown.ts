/** Renders blocks as GitHub Flavored Markdown. No text of a Core acts as markup. */
import { MARKS } from '../result/outcomes.js'
import { withLimits } from '../result/scope.js'
import type { Outcome } from '../result.js'
import { type Block, type Cell, type Report, textOf } from './blocks.js'
import { clip, inertLines, oneLine } from './inert.js'

/** The icons of headlines: the only colour that Markdown has. */
const ICONS: Partial<Record<Outcome, string>> = { passed: '✅', failed: '❌', pending: '⏳' }

/** Renders the report of a subject, its head first. */
export function renderMarkdown({ verdict: { tone, text, limits = [] }, head, sections }: Report): string {
  const parts = [
    `# ${withLimits(`${ICONS[tone] ?? '⚠️'} ${text}`, limits.map(md))}`,
    ...partsOf([...head, ...sections], 2, false),
  ]
  return `${parts.join('\n\n')}\n`
}

/** Returns the first text that has room in so many bytes of UTF-8, each made when the one before has none; '' where none has. */
export function firstThatFits(mostBytes: number, texts: readonly (() => string)[]): string {
  for (const make of texts) {
    const text = make()
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  return ''
}

/** Renders blocks that are a text of their own. */
export function markdownOf(blocks: readonly Block[]): string {
  return `${partsOf(blocks, 1, false).join('\n\n')}\n`
}

/** Renders blocks as parts with a blank line between them. @param level of the next heading */
function partsOf(blocks: readonly Block[], level: number, isInner: boolean): string[] {
  return blocks.flatMap(block => partOf(block, level, isInner)).filter(part => part !== '')
}

function partOf(block: Block, level: number, isInner: boolean): string | string[] {
  const heading = '#'.repeat(level)
  if ('section' in block) {
    const parts = partsOf(block.blocks, level + 1, isInner)
    return parts.length > 0 ? [`${heading} ${lineOf(block.section)}`, ...parts] : []
  }
  if ('item' in block)
    return [`${heading} ${MARKS[block.tone]} ${lineOf(block.item)}`, ...partsOf(block.blocks, level + 1, true)]
  if ('rows' in block) {
    const told = block.rows.map(([label, text]) => [md(label), label === 'rerun' ? code(textOf(text)) : lineOf(text)])
    if (!isInner) return told.length > 0 ? table(['', ''], told) : ''
    return told.map(([label, text]) => (label === '' ? `  - ${text}` : `- ${label}: ${text}`)).join('\n')
  }
  if ('list' in block)
    return block.list.map(({ text, mark }) => `- ${mark === undefined ? '' : `${mark} `}${lineOf(text)}`).join('\n')
  if ('table' in block) {
    const lines = block.cells.map(({ cells, mark }) =>
      cells.map((cell, at) => `${at === 0 && mark !== undefined ? `${mark} ` : ''}${lineOf(cell)}`),
    )
    return table(block.table.map(md), lines)
  }
  if ('tally' in block)
    return `${md(block.all)} ${block.tally.map(({ mark, text }) => `${mark} ${md(text)}`).join(', ')}`
  if ('details' in block) {
    // The title of what is folded is HTML.
    const title = oneLine(textOf(block.details), LENGTH).replaceAll('@', NO_MENTION).replace(/[&<>]/g, entityOf)
    const body = partsOf(block.blocks, level, isInner).join('\n\n')
    return `<details><summary>${title}</summary>\n\n${body}\n\n</details>`
  }
  if ('code' in block) return fenced(block.code)
  if ('only' in block) return /^(file|markdown|text)$/.test(block.only) ? partsOf(block.blocks, level, isInner) : ''
  const { text, tone, mark } = block
  const told = tone === 'strong' ? `**${lineOf(text)}**` : lineOf(text)
  if (mark === undefined) return told
  return tone === 'strong' ? `${mark} ${told}` : `- ${mark} ${told}`
}

function lineOf(line: Cell): string {
  if (typeof line === 'object' && 'blocks' in line) return ''
  if (typeof line === 'string') return md(line)
  const pieces = line.map(piece => {
    if (typeof piece === 'string') return inLine(piece)
    return piece.as === 'code' ? code(piece.text) : inLine(piece.text)
  })
  return pieces.join('')
}

/** Escapes a part of a line, and keeps the spaces around it. */
function inLine(text: string): string {
  const [, before = '', inside = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? []
  return `${before ? ' ' : ''}${md(inside)}${inside !== '' && after ? ' ' : ''}`
}

/** Longest text in a sentence or a table, in characters. */
const LENGTH = 500

const entityOf = (character: string) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? ''

/** An @ with a zero-width space: it mentions nobody. No escape of Markdown does that. */
const NO_MENTION = '@\u200b'

/**
 * Escapes a text for a line of Markdown: one line of limited length, without meaning to CommonMark, GitHub or GitLab. It makes
 * no markup, HTML, link, table cell, formula or mention.
 */
function md(text: string): string {
  return (
    oneLine(text, LENGTH)
      .replace(/[!#$*[\\\]^_`{|}~]/g, character => `\\${character}`)
      // At the start of a line, these characters make a list, a rule or a heading.
      .replace(/^[-+=]/, character => `\\${character}`)
      .replace(/^(\d+)([.)])/, '$1\\$2')
      // These make a link of an address.
      .replaceAll('://', '\\://')
      .replace(/www\./gi, address => address.replace('.', '\\.'))
      .replace(/[&<>]/g, entityOf)
      .replaceAll('@', NO_MENTION)
  )
}

/** Makes a fenced code block of a text of several lines. The text cannot end the block. */
function fenced(text: string): string {
  const inside = inertLines(clip(text, 20_000))
  const longest = Math.max(0, ...(inside.match(/`+/g) ?? []).map(run => run.length))
  const fence = '`'.repeat(Math.max(3, longest + 1))
  return `${fence}text\n${inside}\n${fence}`
}

/** Makes a span of code. The text cannot end the span or a table cell. */
function code(text: string): string {
  return `\`${oneLine(text, LENGTH).replace(/[`|]/g, "'")}\``
}

/** Makes a table. The cells are already Markdown. */
function table(head: string[], body: string[][]): string {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [row(head), row(head.map(() => '---')), ...body.map(row)].join('\n')
}
