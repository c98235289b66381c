/** Registers the reports of a diff: console, Markdown, HTML and JSON, each made from one {@link Diff}. */

import { count } from '../../ground/count.js'
import type { ConsoleOptions, Reporter } from '../../report/reporter.js'
import { FORMATS } from '../../report/reporters.js'
import type { Diff } from '../types.js'

const reportOf = async (diff: Diff, { quiet }: Partial<ConsoleOptions> = {}) =>
  (await import('./blocks.js')).diffReport(diff, quiet)

/** All formats of a diff, in the order in which the help shows them. Each module is loaded on first use. */
export const DIFF_REPORTERS: readonly Reporter<Diff>[] = [
  {
    ...FORMATS.console,
    render: async (diff, options) =>
      (await import('../../report/terminal.js')).renderTerminal(await reportOf(diff, options), options),
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'diff.md',
    render: async diff => (await import('../../report/markdown.js')).renderMarkdown(await reportOf(diff)),
  },
  {
    name: 'html',
    about: 'for people: one page, offline, without script',
    file: 'diff.html',
    render: renderDiffHtml,
  },
  {
    name: 'json',
    about: 'the whole diff, for scripts',
    file: 'diff.json',
    render: async diff => `${JSON.stringify(diff, null, 2)}\n`,
  },
]

/** Renders a diff as an HTML page that loads nothing and has no script, with the table of firmware by requirement. */
export async function renderDiffHtml(diff: Diff): Promise<string> {
  const { renderPage } = await import('../../report/html/frame.js')
  const report = await reportOf(diff)
  const runs = diff.runs.map(({ name }) => name)
  return renderPage(report, {
    title: `${report.verdict.text}: ${runs.join(' → ')}`,
    footer: `Made from the results of ${count(runs.length, 'run')}. diff.json holds every difference in full, with the rule that says what it means for clients.`,
  })
}
