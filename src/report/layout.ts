/** The page that console output is laid out on: its width, its colours, and the few shapes that lines come in. */
import type pc from 'picocolors'
import { clip, inert } from './inert.js'
import { displayWidth } from './width.js'
import { wrap } from './wrap.js'

/** Columns to lay out for, and the colours, which do nothing when colour is off. */
export interface Page {
  columns: number
  paint: ReturnType<typeof pc.createColors>
}

/** Turns plain text into coloured text, without changing its width. */
export type Style = (text: string) => string

/** A line or more with a label before it: `expected  401 Unauthorized`. */
export interface Row {
  label: string
  text: string
  style?: Style
}

/** More of a text than this is never shown on a console; result.json has all of it. */
const MAX_TEXT = 4000

/** Text from a result as one inert line of bounded length, ready to be wrapped. */
export function plain(text: string): string {
  return inert(clip(text, MAX_TEXT)).trim()
}

/**
 * Indented lines in one style; none for a blank text.
 * @param lead stands before the first line, for example a mark; the others align after it
 */
export function paragraph(page: Page, indent: number, text: string, style: Style, lead = ''): string[] {
  const line = plain(text)
  if (line === '') return []
  const hang = displayWidth(lead)
  return wrap(line, page.columns - indent - hang).map(
    (part, index) => ' '.repeat(indent) + style((index === 0 ? lead : ' '.repeat(hang)) + part),
  )
}

/**
 * Labelled rows as two columns: dim labels, as wide as the widest one, then the wrapped texts.
 * @param maxLines how many lines one row may take
 */
export function rows(page: Page, indent: number, list: Row[], maxLines?: number): string[] {
  const labels = list.map(row => plain(row.label))
  const labelWidth = Math.min(Math.max(...labels.map(displayWidth)), Math.floor(page.columns / 3))
  const left = ' '.repeat(indent)
  return list.flatMap(({ text, style = String }, index) => {
    const label = wrap(labels[index] ?? '', labelWidth)
    const lines = wrap(plain(text), page.columns - indent - labelWidth - 2, maxLines)
    return Array.from({ length: Math.max(label.length, lines.length) }, (_, at) => {
      const name = label[at] ?? ''
      const gap = ' '.repeat(labelWidth - displayWidth(name) + 2)
      const value = lines[at] ?? ''
      return left + page.paint.dim(name) + (value === '' ? '' : gap + style(value))
    })
  })
}

/** Short pieces side by side, two spaces apart, as many to a line as fit. */
export function flow(page: Page, indent: number, pieces: { text: string; style: Style }[]): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const { text, style } of pieces) {
    const width = displayWidth(text)
    if (used > 0 && indent + used + 2 + width > page.columns) {
      lines.push(line)
      line = ''
      used = 0
    }
    line += (used > 0 ? '  ' : '') + style(text)
    used += (used > 0 ? 2 : 0) + width
  }
  if (used > 0) lines.push(line)
  return lines.map(text => ' '.repeat(indent) + text)
}
