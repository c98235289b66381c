/** Registers the reports of a diff: console, Markdown, HTML and JSON, each made from one {@link Diff}. */
import type { Diff } from '../diff/types.js'
import type { Reporter } from './reporter.js'

/** All formats of a diff, in the order in which the help shows them. Each module is loaded on first use. */
export const DIFF_REPORTERS: readonly Reporter<Diff>[] = [
  {
    name: 'console',
    about: 'for people at a terminal or in the log of a CI',
    stream: 'terminal',
    render: async (diff, options) => (await import('./diff-console.js')).renderDiffConsole(diff, options),
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'diff.md',
    render: async diff => (await import('./diff-markdown.js')).renderDiffMarkdown(diff),
  },
  {
    name: 'html',
    about: 'for people: one page, offline, without script',
    file: 'diff.html',
    render: async diff => (await import('./html/diff-render.js')).renderDiffHtml(diff),
  },
  {
    name: 'json',
    about: 'the whole diff, for scripts',
    file: 'diff.json',
    render: async diff => `${JSON.stringify(diff, null, 2)}\n`,
  },
]
