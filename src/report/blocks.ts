/**
 * Blocks: what a subject (a run, a fleet, a difference, a client) has to say, said once. A renderer for each format shows them:
 * `terminal.ts`, `markdown.ts` and `html/blocks.tsx`.
 */
import { MARKS } from '../result/outcomes.js'
import type { Outcome } from '../result.js'

/** The meaning of a colour. That of an outcome stands for what is as good or bad as this outcome. */
export type Tone = Outcome | 'strong' | 'muted'

/** A part of a line. The text may be hostile: each renderer makes it inert. */
export type Piece =
  | string
  | {
      text: string
      /** In a table, the colour of the cell. */
      tone?: Tone
      /** Where a page leads to; an address of ours. */
      href?: string | undefined
      as?: 'name' | 'code'
      /** What a screen reader says in place of a mark. */
      said?: string
      /** Whether a table shows that the cell differs from the one before. */
      isChanged?: boolean
    }

/** A line of text, broken by the renderer where it is too long. */
export type Line = string | readonly Piece[]

/** A value with its label. A label of {@link LABELS} has a style of its own. A blank label continues the row before. */
export type Row = readonly [label: string, text: Line, tone?: Tone]

/** A line after a mark, where it has one. */
export interface Paragraph {
  text: Line
  tone?: Tone
  mark?: string
}

/** One block. */
export type Block =
  | Paragraph
  | { rows: readonly Row[] }
  /** Marked lines. A terminal shows the first ones of a long list. */
  | { list: readonly Paragraph[] }
  | Table
  /** Numbers side by side that add up to `all`, each with the mark and the colour of an outcome. */
  | { tally: readonly { tone: Outcome; mark: string; text: string }[]; all: string }
  /** A thing that was found, with what belongs to it. */
  | { item: Line; tone: Outcome; blocks: readonly Block[] }
  /** Lines to copy, as they are. A terminal has no room for them. */
  | { code: string }
  /** More about what stands above. A terminal shows only the summary. */
  | { details: Line; blocks: readonly Block[] }
  | Section
  /** Blocks for some formats only. A file is Markdown or a page, and has room for more; a text is Markdown, or for a terminal. */
  | { only: 'terminal' | 'markdown' | 'page' | 'file' | 'text'; blocks: readonly Block[] }

/** A table. Where it has no room for its columns, each row becomes its first cell with the others as labelled rows below. */
export interface Table {
  table: readonly string[]
  cells: readonly TableRow[]
  /** Whether a terminal shows each row as one line, without the cells for which there is no room. */
  isCut?: true
  /** The class of the table on a page, where it scrolls. */
  class?: 'versions' | 'matrix'
}

/** A row of a table. */
export interface TableRow {
  cells: readonly Cell[]
  tone?: Outcome
  mark?: string
  /** The anchor on a page. */
  id?: string | undefined
  /** The heading of the rows from here on, in place of cells. */
  group?: string
  /** For the filter of a page: what it chooses by, and the words in which it looks. */
  outcome?: string
  words?: string
}

/** A cell. Blocks in it are for pages only. */
export type Cell = Line | { blocks: readonly Block[] }

/** Blocks below a heading. */
export interface Section {
  section: Line
  /** The anchor on a page, which also stands in its navigation. */
  id?: string
  tone?: Outcome
  blocks: readonly Block[]
}

/** The report of a subject. Files begin with the head; a terminal ends with it, since that is where people look. */
export interface Report {
  /** The subject, above the headline of a page. */
  kicker: string
  /** The headline: the verdict, with its limits in the same line. */
  verdict: { mark: string; tone: Outcome; text: string; limits?: readonly string[] }
  head: readonly Block[]
  sections: readonly Block[]
}

/** The styles of labels: the same in every subject. */
export const LABELS: Readonly<Record<string, Tone>> = {
  expected: 'passed',
  got: 'failed',
  rerun: 'strong',
  spec: 'muted',
  specs: 'muted',
  of: 'muted',
}

/** Returns the text of a line, as it is. */
export function textOf(line: Cell): string {
  if (typeof line === 'object' && 'blocks' in line) return ''
  return typeof line === 'string' ? line : line.map(piece => (typeof piece === 'string' ? piece : piece.text)).join('')
}

/** Puts commas between pieces. */
export function commas(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap((piece, at) => (at > 0 ? [', ', piece] : [piece]))
}

/** Lists names. */
export function names(all: readonly string[]): Piece[] {
  return commas(all.map(text => ({ text, as: 'name' })))
}

/** Gives a line the mark and the colour of an outcome. */
export function marked<T extends Line>(tone: Outcome, text: T) {
  return { text, tone, mark: MARKS[tone] }
}

/** Says what to do next; no block where there is nothing to do. */
export function next(text: string | undefined): Block[] {
  return text === undefined ? [] : [{ text, tone: 'strong', mark: '→' }]
}

/** Makes a row; none where its value is not known. */
export function row(label: string, text: Line | undefined, tone?: Tone): Row[] {
  return text === undefined || text === '' ? [] : [tone === undefined ? [label, text] : [label, text, tone]]
}

/** Makes a section; none without blocks. */
export function section(title: Line, blocks: readonly Block[], id?: string): Section[] {
  return blocks.length > 0 ? [{ section: title, blocks, ...(id !== undefined && { id }) }] : []
}

/** Makes a list of sentences; no block without sentences. */
export function list(texts: readonly Line[], tone?: Outcome): Block[] {
  return texts.length > 0 ? [{ list: texts.map(text => (tone ? marked(tone, text) : { text })) }] : []
}
