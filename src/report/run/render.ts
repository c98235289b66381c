/** Renders the report of a run for a terminal and as Markdown. Its page is made by `html/page.tsx`. */
import type { RunResult } from '../../result.js'
import { renderMarkdown as asMarkdown, firstThatFits } from '../markdown.js'
import type { ConsoleOptions } from '../reporter.js'
import { renderTerminal } from '../terminal.js'
import { runReport } from './blocks.js'
import type { Shown } from './failures.js'

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
  const report = (shown: Shown) => runReport(result, { ...shown, isFile: true })
  const shorter: Shown[] = [
    {},
    { hasEvidence: false },
    { hasEvidence: false, most: FEW },
    { hasEvidence: false, most: 0 },
  ]
  return firstThatFits(mostBytes, [
    ...shorter.map(shown => () => asMarkdown(report(shown))),
    () => asMarkdown({ ...report({ most: 0 }), sections: [] }),
  ])
}
