/** What all texts for a terminal share: the page, its colours, and inert text. */
import type pc from 'picocolors'
import { colorOf } from '../result/outcomes.js'
import type { Outcome } from '../result.js'
import type { Tone } from './blocks.js'
import { clip, inert } from './inert.js'

/** Widest line, in columns: longer lines are hard to read, even in a wide window. */
export const MAX_COLUMNS = 120

/** The width of the page in columns, and its colours. When colour is off, `paint` changes nothing. */
export interface Page {
  columns: number
  paint: ReturnType<typeof pc.createColors>
}

/** Turns plain text into coloured text, without changing its width. */
export type Style = (text: string) => string

/** Longest text on a console, in characters. result.json has all of it. */
const MAX_TEXT = 4000

/** Returns text from a result as one inert line of limited length, ready to be wrapped. */
export function plain(text: string): string {
  return inert(clip(text, MAX_TEXT)).trim()
}

/** Returns the style of a tone: of an outcome the colour of its mark. */
export function styleOf({ paint }: Page, tone: Tone | undefined): Style {
  if (tone === undefined) return String
  return tone === 'strong' ? paint.bold : paint[tone === 'muted' ? 'dim' : colorOf(tone)]
}

/** Returns the style of a headline. */
export function headlineStyle(page: Page, tone: Outcome): Style {
  return text => page.paint.bold(styleOf(page, tone)(text))
}
