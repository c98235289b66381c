import { count } from '../../ground/count.js'
import { renderPage } from '../../report/html/frame.js'
import type { Diff } from '../types.js'
import { diffReport } from './blocks.js'

/** Renders a diff as an HTML page that loads nothing and has no script, with the table of firmware by requirement. */
export function renderDiffHtml(diff: Diff): string {
  const report = diffReport(diff)
  const runs = diff.runs.map(({ name }) => name)
  return renderPage(report, {
    title: `${report.verdict.text}: ${runs.join(' → ')}`,
    footer: `Made from the results of ${count(runs.length, 'run')}. diff.json holds every difference in full, with the rule that says what it means for clients.`,
  })
}
