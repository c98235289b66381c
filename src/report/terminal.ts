/** Renders blocks for people at a terminal. No line is wider than the columns, and text from the wire is inert. */
import pc from 'picocolors'
import { MARKS } from '../result/outcomes.js'
import { withLimits } from '../result/scope.js'
import {
  type Block,
  LABELS,
  type Paragraph,
  type Report,
  type Row,
  row,
  type Table,
  type Tone,
  textOf,
} from './blocks.js'
import { headlineStyle, MAX_COLUMNS, type Page, plain, type Style, styleOf } from './layout.js'
import type { ConsoleOptions } from './reporter.js'
import { displayWidth, padded, wrap } from './wrap.js'

const MIN_COLUMNS = 20

/** Most lines of a row within an item. An answer may be a whole body, and the files have it. */
const MAX_ROW_LINES = 6

/** Longest cell, in characters, that is repeated in the row below it. */
const SHORT = 20

/** Most lines of a list. The files have all. */
const MAX_LISTED = 30

/** Makes the page of a terminal. Infinity means no limit of its columns, anything else that is no positive number means 80. */
export function pageOf({ columns, color }: ConsoleOptions): Page {
  const paint = pc.createColors(color)
  if (columns === Number.POSITIVE_INFINITY) return { columns, paint }
  const wanted = Number.isFinite(columns) && columns > 0 ? Math.floor(columns) : 80
  return { columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, wanted)), paint }
}

/** Renders the report of a subject: its sections, then its headline and its head. */
export function renderTerminal({ sections, verdict, head }: Report, options: ConsoleOptions): string {
  const page = pageOf(options)
  const { mark, tone, text, limits = [] } = verdict
  return linesText([
    ...blockLines(page, sections),
    '',
    ...paragraph(page, 0, withLimits(`${mark} ${text}`, limits), headlineStyle(page, tone)),
    // Without blank lines, the report of a Core in which all went well fits on one screen.
    ...blockLines(page, head, 2).filter(line => line !== '' || tone !== 'passed'),
  ])
}

/** Ends each line, without the blank ones before and after them. */
export function linesText(lines: readonly string[]): string {
  const single = lines.filter((line, index) => line !== '' || (lines[index - 1] ?? '') !== '')
  while (single.at(-1) === '') single.pop()
  return single.map(line => `${line}\n`).join('')
}

/** Makes the lines of blocks. A blank line follows what stands by itself. */
export function blockLines(page: Page, blocks: readonly Block[], indent = 0, isInner = false): string[] {
  let before: Block | undefined
  return blocks.flatMap(block => {
    const lines = linesOf(page, block, indent, isInner)
    // Rows after rows tell of another thing.
    const gap = isInner && before && 'rows' in before && 'rows' in block ? [''] : []
    if (lines.length > 0) before = block
    return [...gap, ...lines]
  })
}

function linesOf(page: Page, block: Block, indent: number, isInner: boolean): string[] {
  const { paint } = page
  if ('section' in block) {
    const style = block.tone ? styleOf(page, block.tone) : String
    const lines = blockLines(page, block.blocks, indent)
    if (lines.length === 0) return []
    return ['', ...paragraph(page, indent, textOf(block.section), text => paint.bold(style(text))), '', ...lines, '']
  }
  if ('item' in block) {
    const head = paragraph(page, indent, textOf(block.item), styleOf(page, block.tone), `${MARKS[block.tone]} `)
    return ['', ...head, ...blockLines(page, block.blocks, indent + (page.columns < 60 ? 0 : 2), true), '']
  }
  if ('rows' in block) return [...(isInner ? [] : ['']), ...rowLines(page, block.rows, indent, isInner)]
  if ('list' in block) {
    const more = block.list.length - MAX_LISTED
    const shown = block.list.slice(0, MAX_LISTED).flatMap(each => textLines(page, each, indent + (isInner ? 2 : 0)))
    return [...shown, ...(more > 0 ? [`${' '.repeat(indent)}and ${more} more, in the files`] : [])]
  }
  if ('table' in block) return [...tableLines(page, block, indent), ...(block.isCut ? [] : [''])]
  if ('tally' in block) return ['', ...flow(page, indent, [{ text: block.all }, ...block.tally]), '']
  if ('details' in block) return paragraph(page, indent + 2, textOf(block.details), paint.dim)
  if ('code' in block) return []
  if ('only' in block)
    return /^(terminal|text)$/.test(block.only) ? blockLines(page, block.blocks, indent, isInner) : []
  return textLines(page, block, indent)
}

function textLines(page: Page, { text, tone, mark }: Paragraph, indent: number) {
  const [style, lead] = [styleOf(page, tone), mark === undefined ? '' : `${mark} `]
  // A long list of what went well would be all green: the mark has the colour.
  const ofMark: Style = line => (line.startsWith(lead) ? style(lead) + line.slice(lead.length) : line)
  const isWhole = lead === '' || tone === undefined || tone === 'strong' || tone === 'muted'
  return paragraph(page, indent, textOf(text), isWhole ? style : ofMark, lead)
}

/**
 * Wraps a text into indented lines in one style; no lines for a blank text.
 * @param lead text before the first line, for example a mark; the other lines align after it
 */
function paragraph(page: Page, indent: number, text: string, style: Style, lead = ''): string[] {
  const line = plain(text)
  if (line === '') return []
  const hang = displayWidth(lead)
  return wrap(line, page.columns - indent - hang).map(
    (part, index) => ' '.repeat(indent) + style((index === 0 ? lead : ' '.repeat(hang)) + part),
  )
}

/** Lays out rows as two columns: dim labels, as wide as the widest one, then the wrapped texts. */
function rowLines(page: Page, all: readonly Row[], indent: number, isInner: boolean): string[] {
  const left = ' '.repeat(indent + (isInner ? 2 : 0))
  const labels = all.map(([label]) => plain(label))
  const labelWidth = Math.min(Math.max(...labels.map(displayWidth)), Math.floor(page.columns / 3))
  const room = page.columns - left.length - labelWidth - 2
  return all.flatMap(([name, value, tone], index) => {
    const style = styleOf(page, tone ?? LABELS[name])
    const text = plain(textOf(value))
    const label = wrap(labels[index] ?? '', labelWidth)
    // The lines of a command end so that they can still be copied.
    const isBroken = name === 'rerun' && displayWidth(text) > room
    const parts = wrap(
      text,
      isBroken ? Math.max(8, room - 2) : room,
      isInner && name !== 'rerun' ? MAX_ROW_LINES : undefined,
    )
    const lines = isBroken ? parts.map((part, at) => (at < parts.length - 1 ? `${part} \\` : part)) : parts
    return Array.from({ length: Math.max(label.length, lines.length) }, (_, at) => {
      const [first, rest] = [label[at] ?? '', lines[at] ?? '']
      const gap = ' '.repeat(labelWidth - displayWidth(first) + 2)
      return left + page.paint.dim(first) + (rest === '' ? '' : gap + style(rest))
    })
  })
}

/** Lays out short texts side by side, two spaces apart, as many to a line as fit. */
function flow(page: Page, indent: number, all: readonly { text: string; mark?: string; tone?: Tone }[]): string[] {
  const lines: string[] = []
  let used = 0
  for (const { text, mark, tone } of all) {
    const told = mark === undefined ? text : `${mark} ${text}`
    const width = displayWidth(told)
    const shown = styleOf(page, tone)(told)
    if (used > 0 && indent + used + 2 + width <= page.columns) {
      lines.push(`${lines.pop()}  ${shown}`)
      used += 2 + width
    } else if (width > 0) {
      lines.push(' '.repeat(indent) + shown)
      used = width
    }
  }
  return lines
}

function tableLines(page: Page, { table, cells: all, isCut }: Table, indent: number): string[] {
  const texts = all.map(({ cells, mark }) =>
    cells.map((cell, at) => `${at === 0 && mark !== undefined ? `${mark} ` : ''}${plain(textOf(cell))}`),
  )
  const widest = (at: number) => Math.max(0, ...texts.map(cells => displayWidth(cells[at] ?? '')))
  const widths = table.map((head, at) => (isCut ? widest(at) : Math.max(displayWidth(head), widest(at))))
  const room = page.columns - indent
  if (isCut) return texts.map((cells, at) => cutLine(page, cells, widths, styleOf(page, all[at]?.tone)))
  if (widths.reduce((sum, width) => sum + width + 2, -2) <= room) {
    const line = (cells: readonly string[]) => cells.map((cell, at) => padded(cell, widths[at] ?? 0)).join('  ')
    const left = ' '.repeat(indent)
    return [left + page.paint.bold(line(table).trimEnd()), ...texts.map(cells => left + line(cells).trimEnd())]
  }
  return all.flatMap(({ cells: [first = '', ...others], tone, mark }, index) => {
    const before = all[index - 1]?.cells ?? []
    const labelled = others.flatMap((cell, at): Row[] => {
      const isSame = textOf(cell).length > SHORT && textOf(cell) === textOf(before[at + 1] ?? '')
      return row(table[at + 1]?.toLowerCase() ?? '', isSame ? 'the same' : textOf(cell))
    })
    const head = { text: textOf(first), ...(mark !== undefined && { mark }), tone: tone ?? ('strong' as const) }
    return [...textLines(page, head, indent), ...rowLines(page, labelled, indent + 2, true)]
  })
}

/** Makes one line of a row: its first two cells in its colour, at least these, and the others as far as there is room. */
function cutLine({ columns, paint }: Page, cells: readonly string[], widths: readonly number[], style: Style): string {
  const most = Math.max(12, Math.floor(columns / 3))
  let text = ''
  let used = 0
  for (const [at, cell] of cells.entries()) {
    const gap = at === 0 ? '' : '  '
    const width = Math.min(at === 0 ? Math.min(widths[at] ?? 0, most) : (widths[at] ?? 0), columns - used - gap.length)
    if (width < 4 || (at > 1 && width < displayWidth(cell))) break
    const shown = gap + padded(cell, width)
    text += at <= 1 ? style(shown) : at === 2 ? shown : paint.dim(shown)
    used += gap.length + width
  }
  return text.trimEnd()
}
