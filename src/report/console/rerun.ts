/** Shows a command line that can be copied. */
import { type Page, plain, type Row } from '../layout.js'
import { displayWidth } from '../width.js'
import { wrap } from '../wrap.js'

/** Width of the widest label beside it, `expected`, with its gap; and the end of a shell line that goes on in the next one. */
const [LABEL_COLUMNS, CONTINUED] = [10, ' \\']

/**
 * Shows the command that repeats a failure, wrapped so that it can still be copied.
 * @param indent columns before the labels
 */
export function rerunRows(page: Page, line: string, indent: number): Row[] {
  const room = page.columns - indent - LABEL_COLUMNS
  const text = plain(line)
  const parts = displayWidth(text) <= room ? [text] : wrap(text, Math.max(8, room - CONTINUED.length))
  return parts.map((part, index) => ({
    label: index === 0 ? 'rerun' : '',
    text: index < parts.length - 1 ? `${part}${CONTINUED}` : part,
    style: page.paint.bold,
  }))
}
