/** Lays out console output on a page: paragraphs, labelled rows, and pieces side by side. */
import type pc from 'picocolors'
import { VERDICTS } from '../result/outcomes.js'
import type { Outcome, Verdict } from '../result.js'
import { clip, inert } from './inert.js'
import { displayWidth, wrap } from './wrap.js'

/** The width of the page in columns, and its colours. When colour is off, `paint` changes nothing. */
export interface Page {
  columns: number
  paint: ReturnType<typeof pc.createColors>
}

/** Turns plain text into coloured text, without changing its width. */
export type Style = (text: string) => string

/** One or more lines with a label before them: `expected  401 Unauthorized`. */
export interface Row {
  label: string
  text: string
  style?: Style
  /** Whether it is a command, which is broken so that it can still be copied. */
  isCommand?: boolean
}

/** Longest text on a console, in characters. result.json has all of it. */
const MAX_TEXT = 4000

/** Returns text from a result as one inert line of limited length, ready to be wrapped. */
export function plain(text: string): string {
  return inert(clip(text, MAX_TEXT)).trim()
}

/**
 * Wraps a text into indented lines in one style; no lines for a blank text.
 * @param lead text before the first line, for example a mark; the other lines align after it
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
 * Lays out labelled rows as two columns: dim labels, as wide as the widest one, then the wrapped texts.
 * @param maxLines most lines of one row
 */
export function rows(page: Page, indent: number, list: Row[], maxLines?: number): string[] {
  const labels = list.map(row => plain(row.label))
  const labelWidth = Math.min(Math.max(...labels.map(displayWidth)), Math.floor(page.columns / 3))
  const left = ' '.repeat(indent)
  return list.flatMap(({ text, style = String, isCommand = false }, index) => {
    const label = wrap(labels[index] ?? '', labelWidth)
    const room = page.columns - indent - labelWidth - 2
    const lines = isCommand ? commandLines(plain(text), room) : wrap(plain(text), room, maxLines)
    return Array.from({ length: Math.max(label.length, lines.length) }, (_, at) => {
      const name = label[at] ?? ''
      const gap = ' '.repeat(labelWidth - displayWidth(name) + 2)
      const value = lines[at] ?? ''
      return left + page.paint.dim(name) + (value === '' ? '' : gap + style(value))
    })
  })
}

/** Lays out short pieces side by side, two spaces apart, as many to a line as fit. */
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

/** Returns the colour of an outcome's mark. */
export function outcomeStyle({ paint }: Page, outcome: Outcome): Style {
  const styles: Record<Outcome, Style> = {
    passed: paint.green,
    failed: paint.red,
    'unexpected pass': paint.red,
    'known failure': paint.yellow,
    observed: paint.cyan,
    skipped: paint.dim,
    blocked: paint.yellow,
    inconclusive: paint.yellow,
    pending: paint.cyan,
  }
  return styles[outcome]
}

/** Returns the start of a headline, the verdict with its mark, and its colour. */
export function verdictHeadline(page: Page, verdict: Verdict): { text: string; style: Style } {
  const { word, mark, tone } = VERDICTS[verdict]
  const style = outcomeStyle(page, tone)
  return { text: `${mark} ${word}`, style: headline => page.paint.bold(style(headline)) }
}

/** The end of a shell line that goes on in the next one. */
const CONTINUED = ' \\'

/** Wraps a command so that it can still be copied. */
function commandLines(text: string, room: number): string[] {
  if (displayWidth(text) <= room) return [text]
  const parts = wrap(text, Math.max(8, room - CONTINUED.length))
  return parts.map((part, index) => (index < parts.length - 1 ? part + CONTINUED : part))
}
