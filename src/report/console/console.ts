/** Renders the console report. */
import pc from 'picocolors'
import { isBreach, isHindered } from '../../result/outcomes.js'
import type { RunResult } from '../../result.js'
import type { Page } from '../layout.js'
import type { ConsoleOptions } from '../reporter.js'
import { areaLines } from './areas.js'
import { failureLines } from './failures.js'
import { summaryLines } from './summary.js'
import { treeLines } from './tree.js'

/** Widest line, in columns: longer lines are hard to read, even in a wide window. */
const MAX_COLUMNS = 120
const MIN_COLUMNS = 20

/**
 * Renders the run result for people at a terminal: a line for each area (verbose: for each spec), the failures by cause, then
 * the summary. No line is wider than the columns. The report moves no cursor, and text from the wire is inert.
 * @returns lines, each ended by a line feed
 */
export function renderConsole(
  result: RunResult,
  { columns, color, quiet = false, verbose = false }: ConsoleOptions,
): string {
  const page: Page = { columns: consoleColumns(columns), paint: pc.createColors(color) }
  const specs = quiet ? result.specs.filter(spec => isBreach(spec) || isHindered(spec)) : result.specs
  const tree = verbose ? treeLines : areaLines
  const lines = [...tree(page, { ...result, specs }), ...failureLines(page, result), ...summaryLines(page, result)]
  return lines.map(line => `${line}\n`).join('')
}

/**
 * Returns how many columns a report uses.
 * @param columns those of the terminal; infinity means no limit, anything else that is no positive number means 80
 */
export function consoleColumns(columns: number): number {
  if (columns === Number.POSITIVE_INFINITY) return columns
  const wanted = Number.isFinite(columns) && columns > 0 ? Math.floor(columns) : 80
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, wanted))
}
