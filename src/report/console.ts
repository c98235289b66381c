/** The console report. */
import pc from 'picocolors'
import type { Outcome, RunResult } from '../result.js'
import { areaLines } from './console-areas.js'
import { failureLines } from './console-failures.js'
import { summaryLines } from './console-summary.js'
import { treeLines } from './console-tree.js'
import type { Page } from './layout.js'
import type { ConsoleOptions } from './reporter.js'

/** What a quiet report tells of. */
const WRONG: ReadonlySet<Outcome> = new Set<Outcome>(['failed', 'unexpected pass', 'blocked', 'inconclusive'])

/** Lines longer than this tire the eye, however wide the window is. */
const MAX_COLUMNS = 120
const MIN_COLUMNS = 20

/**
 * The run result for people at a terminal: a line for each area (verbose: for each spec), what failed by its causes, then the summary.
 * No line is wider than the columns, no cursor is moved, and text from the wire is made inert.
 * @returns lines, each ended by a line feed
 */
export function renderConsole(
  result: RunResult,
  { columns, color, quiet = false, verbose = false }: ConsoleOptions,
): string {
  const page: Page = { columns: consoleColumns(columns), paint: pc.createColors(color) }
  const specs = quiet ? result.specs.filter(({ outcome }) => WRONG.has(outcome)) : result.specs
  const tree = verbose ? treeLines : areaLines
  const lines = [...tree(page, { ...result, specs }), ...failureLines(page, result), ...summaryLines(page, result)]
  return lines.map(line => `${line}\n`).join('')
}

/** The columns that are used of those that a terminal has; of what is no number, 80. Without an end where there is no terminal. */
export function consoleColumns(columns: number): number {
  if (columns === Number.POSITIVE_INFINITY) return columns
  const wanted = Number.isFinite(columns) && columns > 0 ? Math.floor(columns) : 80
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, wanted))
}
