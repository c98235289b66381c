/** Renders the report of a run for a terminal and as Markdown. Its page is made by `html/page.tsx`. */
import type { RunResult } from '../../result.js'
import { renderMarkdown as asMarkdown } from '../markdown.js'
import type { ConsoleOptions } from '../reporter.js'
import { renderTerminal } from '../terminal.js'
import { runReport } from './blocks.js'

/**
 * Renders the run result for people at a terminal: a line for each area (verbose: for each spec), the failures by cause, then
 * the summary.
 */
export function renderConsole(result: RunResult, options: ConsoleOptions): string {
  return renderTerminal(runReport(result, options), options)
}

/** Most causes that are told where there is no room for all. */
const FEW = 20

/**
 * Renders the run result as GitHub Flavored Markdown. No text of the Core acts as markup.
 * @param mostBytes largest size in UTF-8. Without room, the report leaves out the evidence first, then causes, then its end
 */
export function renderMarkdown(result: RunResult, mostBytes = Number.POSITIVE_INFINITY): string {
  for (const shown of [
    {},
    { hasEvidence: false },
    { hasEvidence: false, most: FEW },
    { hasEvidence: false, most: 0 },
  ]) {
    const text = asMarkdown(runReport(result, { ...shown, isFile: true }))
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  const start = asMarkdown({ ...runReport(result, { isFile: true, most: 0 }), sections: [] })
  return Buffer.byteLength(start) <= mostBytes ? start : ''
}
