/** Registers the reports of a diff: console, Markdown, HTML and JSON, each made from one {@link Diff}. */

import type { Reporter } from '../../report/reporter.js'
import type { Diff } from '../types.js'

/** All formats of a diff, in the order in which the help shows them. Each module is loaded on first use. */
export const DIFF_REPORTERS: readonly Reporter<Diff>[] = [
  {
    name: 'console',
    about: 'text for a terminal or the log of a CI',
    stream: 'terminal',
    render: async (diff, options) => (await import('./console.js')).renderDiffConsole(diff, options),
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'diff.md',
    render: async diff => (await import('./markdown.js')).renderDiffMarkdown(diff),
  },
  {
    name: 'html',
    about: 'for people: one page, offline, without script',
    file: 'diff.html',
    render: async diff => (await import('./html/page.js')).renderDiffHtml(diff),
  },
  {
    name: 'json',
    about: 'the whole diff, for scripts',
    file: 'diff.json',
    render: async diff => `${JSON.stringify(diff, null, 2)}\n`,
  },
]
