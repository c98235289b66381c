/** Lines on a terminal that are redrawn in place. */

const ESC = '\u001b['
const ERASE_LINE = `${ESC}K`
const ERASE_BELOW = `${ESC}J`
/** The cursor does not run about while a frame is drawn, and a line that the terminal finds wider than we do is cut, not wrapped. */
const BEGIN = `${ESC}?25l${ESC}?7l`
const END = `${ESC}?7h${ESC}?25h`

/** A line with its width in columns. */
export interface DrawnLine {
  /** Inert but for colours. */
  text: string
  width: number
}

/** A place on a terminal for lines that change; `columns` are those of the terminal now. */
export interface Redrawn {
  /** The lines now are these. Writes nothing if they are as before. */
  draw(lines: readonly DrawnLine[], columns: number): void
  /** Takes the lines away. */
  clear(columns: number): void
}

/**
 * A place for changing lines, from the line of the terminal's cursor on. Lines must be narrower, and fewer, than the terminal.
 *
 * Between drawings the cursor rests, visible, below the lines, so that a process that is killed or stopped leaves the
 * terminal in order. Each drawing is one write that overwrites before it erases, so that nothing flickers.
 */
export function redrawn(stream: { write(text: string): unknown }): Redrawn {
  let drawn: readonly DrawnLine[] = []
  let drawnText = ''

  /** To where the lines begin. A terminal that became narrower has made several lines of one. */
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
      // In two steps, since tmux keeps a copy in its history of what is erased from the first column of its first line on.
      if (drawn.length > 0) stream.write(`${back(columns)}${ERASE_LINE} ${ERASE_BELOW}\r`)
      drawn = []
      drawnText = ''
    },
  }
}
