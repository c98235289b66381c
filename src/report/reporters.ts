/** Registers the reports of a run. To add one, write its module and add its entry here. No other code names it. */
import type { RunResult } from '../result.js'
import type { Reporter } from './reporter.js'

/** The file of the whole run result. Every report can be made again from it. */
export const RESULT_FILE = 'result.json'

/** All reporters, in the order in which the help shows them. Each module is loaded on first use. */
export const REPORTERS: readonly Reporter<RunResult>[] = [
  {
    name: 'console',
    about: 'text for a terminal or the log of a CI',
    stream: 'terminal',
    byDefault: ['run', 'report'],
    render: async (result, options) => (await import('./run/render.js')).renderConsole(result, options),
  },
  {
    name: 'junit',
    about: 'for CI: what failed, what could not be tested, what was skipped',
    file: 'junit.xml',
    mark: '<testsuites name="core-conformance"',
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
    name: 'html',
    about: 'one page for people, to read offline, filter and print',
    file: 'report.html',
    mark: '<meta name="generator" content="core-conformance"',
    byDefault: ['run', 'report'],
    render: async result => (await import('./html/page.js')).renderHtml(result),
  },
  {
    name: 'ctrf',
    about: 'Common Test Report Format, for dashboards and other tools',
    file: 'ctrf.json',
    mark: '"core-conformance"',
    render: async result => (await import('./ctrf.js')).renderCtrf(result),
  },
  {
    name: 'github',
    about: 'annotations and the step summary',
    stream: 'commands',
    needs: { what: 'GitHub Actions', otherwise: 'use markdown, or leave it out, since it is made there by default' },
    byDefault: ['run'],
    render: async result => (await import('./github.js')).annotations(result),
    summarize: async (result, summaryFile) => (await import('./github.js')).writeSummary(result, summaryFile),
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'report.md',
    mark: '| suite | core-conformance ',
    render: async result => (await import('./run/render.js')).renderMarkdown(result),
  },
  {
    name: 'badge',
    about: 'the verdict as an image, for a README',
    file: 'badge.svg',
    mark: ' aria-label="Core API: ',
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
