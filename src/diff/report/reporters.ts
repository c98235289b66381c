/** Registers the reports of a diff: console, Markdown, HTML and JSON, each made from one {@link Diff}. */

import type { ConsoleOptions, Reporter } from '../../report/reporter.js'
import type { Diff } from '../types.js'

const reportOf = async (diff: Diff, { quiet }: Partial<ConsoleOptions> = {}) =>
  (await import('./blocks.js')).diffReport(diff, quiet)

/** All formats of a diff, in the order in which the help shows them. Each module is loaded on first use. */
export const DIFF_REPORTERS: readonly Reporter<Diff>[] = [
  {
    name: 'console',
    about: 'text for a terminal or the log of a CI',
    stream: 'terminal',
    render: async (diff, options) =>
      (await import('../../report/terminal.js')).renderTerminal(await reportOf(diff, options), options),
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'diff.md',
    render: async diff => (await import('../../report/markdown/blocks.js')).renderMarkdown(await reportOf(diff)),
  },
  {
    name: 'html',
    about: 'for people: one page, offline, without script',
    file: 'diff.html',
    render: async diff => (await import('./page.js')).renderDiffHtml(diff),
  },
  {
    name: 'json',
    about: 'the whole diff, for scripts',
    file: 'diff.json',
    render: async diff => `${JSON.stringify(diff, null, 2)}\n`,
  },
]
