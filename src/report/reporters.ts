/** Registers the reports of a run. To add one, write its module and add its entry here. No other code names it. */
import type { RunResult } from '../result.js'
import type { Reporter } from './reporter.js'

/** The file of the whole run result. Every report can be made again from it. */
export const RESULT_FILE = 'result.json'

/** The formats that several subjects have, and where their texts go. */
export const FORMATS = {
  console: { name: 'console', about: 'text for a terminal or the log of a CI', stream: 'terminal' },
  junit: { name: 'junit', file: 'junit.xml', mark: '<testsuites name="core-conformance"' },
  html: { name: 'html', file: 'report.html', mark: '<meta name="generator" content="core-conformance"' },
  ctrf: { name: 'ctrf', file: 'ctrf.json', mark: '"core-conformance"' },
  github: {
    name: 'github',
    stream: 'commands',
    needs: { what: 'GitHub Actions', otherwise: 'use markdown, or leave it out, since it is made there by default' },
  },
  markdown: { name: 'markdown', about: 'for release notes', file: 'report.md', mark: '| suite | core-conformance ' },
  badge: { name: 'badge', file: 'badge.svg', mark: ' aria-label="Core API: ' },
} as const

/** All reporters, in the order in which the help shows them. Each module is loaded on first use. */
export const REPORTERS: readonly Reporter<RunResult>[] = [
  {
    ...FORMATS.console,
    byDefault: ['run', 'report'],
    render: async (result, options) => (await import('./run/render.js')).renderConsole(result, options),
  },
  {
    ...FORMATS.junit,
    about: 'for CI: what failed, what could not be tested, what was skipped',
    byDefault: ['run', 'report'],
    render: async result => (await import('./junit.js')).renderJunit(result),
  },
  {
    name: 'json',
    about: 'the whole result, from which every other report can be made',
    file: RESULT_FILE,
    mark: '"core-conformance"',
    // `report` reads this file, so it writes a copy only if the user asks for one.
    byDefault: ['run'],
    render: async result => (await import('./json.js')).renderJson(result),
  },
  {
    ...FORMATS.html,
    about: 'one page for people, to read offline, filter and print',
    byDefault: ['run', 'report'],
    render: async result => (await import('./html/page.js')).renderHtml(result),
  },
  {
    ...FORMATS.ctrf,
    about: 'Common Test Report Format, for dashboards and other tools',
    render: async result => (await import('./ctrf.js')).renderCtrf(result),
  },
  {
    ...FORMATS.github,
    about: 'annotations and the step summary',
    byDefault: ['run'],
    render: async result => (await import('./github.js')).annotations(result),
    summarize: async (result, summaryFile) => (await import('./github.js')).writeSummary(result, summaryFile),
  },
  {
    ...FORMATS.markdown,
    render: async result => (await import('./run/render.js')).renderMarkdown(result),
  },
  {
    ...FORMATS.badge,
    about: 'the verdict as an image, for a README',
    render: async result => (await import('./badge.js')).renderBadge(result),
  },
  {
    name: 'tap',
    about: 'for pipes: TAP 14',
    file: 'tap.txt',
    mark: '\n# suite: core-conformance ',
    stream: 'pipe',
    render: async result => (await import('./tap.js')).renderTap(result),
  },
]

/** The names of all reporters, in the order of the list. */
export const REPORTER_NAMES: readonly string[] = REPORTERS.map(({ name }) => name)

/** Lists the reporters that a command uses if the user names none. Leaves out reporters that need missing surroundings. */
export function defaultReporters(command: 'run' | 'report', isInGithub: boolean): string[] {
  return REPORTERS.filter(({ byDefault, needs }) => byDefault?.includes(command) && (!needs || isInGithub)).map(
    ({ name }) => name,
  )
}
