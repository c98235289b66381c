/** Redraws lines in place on a terminal. */

const ESC = '\u001b['
const ERASE_LINE = `${ESC}K`
const ERASE_BELOW = `${ESC}J`
/** Hides the cursor while lines are drawn, and makes the terminal cut a line that it finds too wide instead of wrapping it. */
const BEGIN = `${ESC}?25l${ESC}?7l`
const END = `${ESC}?7h${ESC}?25h`

/** A line with its width in columns. */
export interface DrawnLine {
  /** Inert text, with colours. */
  text: string
  width: number
}

/** A place on a terminal for lines that change. `columns` is the current width of the terminal. */
export interface Redrawn {
  /** Draws these lines in place of the last ones. Writes nothing if they are unchanged. */
  draw(lines: readonly DrawnLine[], columns: number): void
  /** Erases the lines. */
  clear(columns: number): void
}

/**
 * Makes a place for changing lines, from the line of the cursor on. The lines must be narrower, and fewer, than the terminal.
 *
 * Between drawings the cursor is visible below the lines, so that a killed process leaves the terminal in order. Each drawing
 * is one write that overwrites before it erases, so that nothing flickers.
 */
export function redrawn(stream: { write(text: string): unknown }): Redrawn {
  let drawn: readonly DrawnLine[] = []
  let drawnText = ''

  /** Returns the escape that moves the cursor to the first line. A terminal that became narrower has wrapped lines. */
  function back(columns: number): string {
    const height = drawn.reduce((sum, { width }) => sum + Math.max(1, Math.ceil(width / columns)), 0)
    return height > 0 ? `\r${ESC}${height}A` : '\r'
  }

  return {
    draw(lines, columns) {
      const text = lines.map(line => `${line.text}${ERASE_LINE}\n`).join('')
      if (text === drawnText) return
      stream.write(`${BEGIN}${back(columns)}${text}${ERASE_BELOW}${END}`)
      drawn = lines
      drawnText = text
    },
    clear(columns) {
      // In two steps: tmux copies to its history what is erased from the very first column of its first line.
      if (drawn.length > 0) stream.write(`${back(columns)}${ERASE_LINE} ${ERASE_BELOW}\r`)
      drawn = []
      drawnText = ''
    },
  }
}
