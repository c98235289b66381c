/** Redraws lines in place on a terminal. */
import { stripVTControlCharacters } from 'node:util'
import pc from 'picocolors'
import { MAX_COLUMNS, type Page } from './layout.js'
import { displayWidth } from './wrap.js'

const ESC = '\u001b['
const ERASE_LINE = `${ESC}K`
const ERASE_BELOW = `${ESC}J`
/** Hides the cursor while lines are drawn, and makes the terminal cut a line that it finds too wide instead of wrapping it. */
const BEGIN = `${ESC}?25l${ESC}?7l`
const END = `${ESC}?7h${ESC}?25h`

/** The stream that progress is written to, for example `process.stderr`. */
export interface ProgressStream {
  write(text: string): unknown
  isTTY?: boolean | undefined
  /** The size of the terminal, read at each drawing; default 80 columns and 24 rows. */
  columns?: number | undefined
  rows?: number | undefined
  /** Listens for a change of the terminal's size. */
  on?(event: 'resize', listener: () => void): unknown
  off?(event: 'resize', listener: () => void): unknown
}

/** Returns the columns that a line takes: of inert text, and of colours, which take none. */
export function widthOf(line: string): number {
  return displayWidth(stripVTControlCharacters(line))
}

/**
 * Makes a place for changing lines, from the line of the cursor on, which are drawn again where the size of the terminal changes.
 *
 * Between drawings the cursor is visible below the lines, so that a killed process leaves the terminal in order. Each drawing
 * is one write that overwrites before it erases, so that nothing flickers.
 * @param lines makes the lines, none wider than the page, and no more than rows
 */
export function redrawn(
  stream: ProgressStream,
  color: boolean,
  lines: (page: Page, rows: number) => readonly string[],
) {
  const paint = pc.createColors(color)
  const columns = () => stream.columns || 80
  let drawn: readonly string[] = []
  let drawnText = ''
  let isListening = false

  /** Returns the escape that moves the cursor to the first line. A terminal that became narrower has wrapped lines. */
  function back(): string {
    const height = drawn.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns())), 0)
    return height > 0 ? `\r${ESC}${height}A` : '\r'
  }

  function draw(): void {
    if (!isListening) stream.on?.('resize', draw)
    isListening = true
    // Use half of the terminal. A terminal that becomes narrower wraps lines before we hear of it, and lines that it pushes out
    // at the top cannot be erased.
    const rows = Math.floor(((stream.rows || 24) - 1) / 2)
    const next = lines({ columns: Math.min(MAX_COLUMNS, columns() - 1), paint }, rows)
    const text = next.map(line => `${line}${ERASE_LINE}\n`).join('')
    if (text === drawnText) return
    stream.write(`${BEGIN}${back()}${text}${ERASE_BELOW}${END}`)
    drawn = next
    drawnText = text
  }

  return {
    /** Draws the lines of this moment in place of the last ones. Writes nothing if they are unchanged. */
    draw,
    /** Erases the lines, and draws no more. */
    stop() {
      stream.off?.('resize', draw)
      // In two steps: tmux copies to its history what is erased from the very first column of its first line.
      if (drawn.length > 0) stream.write(`${back()}${ERASE_LINE} ${ERASE_BELOW}\r`)
      drawn = []
    },
  }
}
