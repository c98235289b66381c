/** Registers the reports of a fleet. To add one, write its module and add its entry here. */

import { patternsOf } from '../../fleet/patterns.js'
import { FLEET_FILE, type Since } from '../../fleet/types.js'
import type { Report } from '../blocks.js'
import type { ConsoleOptions, Reporter } from '../reporter.js'
import { FORMATS } from '../reporters.js'
import type { FleetSource } from './blocks.js'

/** Makes the report of a fleet, with an example of each failed requirement. */
async function reportOf(source: FleetSource, { quiet }: Partial<ConsoleOptions> = {}): Promise<Report> {
  const { examplesOf, fleetReport } = await import('./blocks.js')
  return fleetReport(source, await examplesOf(source.resultOf, patternsOf(source.fleet)), quiet)
}

/** All formats of a fleet, in the order in which the help shows them. Each module is loaded on first use. */
export const FLEET_REPORTERS: readonly Reporter<FleetSource>[] = [
  {
    ...FORMATS.console,
    about: 'the Cores with their verdicts, and what failed where',
    render: async (source, options) =>
      (await import('../terminal.js')).renderTerminal(await reportOf(source, options), options),
  },
  {
    ...FORMATS.junit,
    about: 'the test cases of all Cores, in suites named after them',
    render: async source => (await import('./cases.js')).renderFleetJunit(source),
  },
  {
    name: 'json',
    about: 'the fleet, from which the other reports are made, with the results of its Cores',
    file: FLEET_FILE,
    mark: '"core-conformance"',
    render: async ({ fleet }) => `${JSON.stringify(fleet, null, 2)}\n`,
  },
  {
    ...FORMATS.html,
    about: 'one page: a table of Cores and requirements, with links to the pages of the Cores',
    render: async ({ fleet }) => (await import('../html/fleet-page.js')).renderFleetHtml(fleet),
  },
  {
    ...FORMATS.ctrf,
    about: 'the tests of all Cores in the Common Test Report Format',
    render: async source => (await import('./cases.js')).renderFleetCtrfOf(source),
  },
  {
    ...FORMATS.github,
    about: 'an annotation for each Core that is not conformant, and the summary of the step',
    render: async ({ fleet }) => (await import('./github.js')).fleetAnnotations(fleet),
    summarize: async (source, summaryFile) => (await import('./github.js')).writeFleetSummary(source, summaryFile),
  },
  {
    ...FORMATS.markdown,
    render: async source => (await import('../markdown.js')).renderMarkdown(await reportOf(source)),
  },
  {
    ...FORMATS.badge,
    about: 'the verdict of the fleet as an image',
    render: async ({ fleet }) => (await import('../badge.js')).renderFleetBadge(fleet),
  },
]

/** All formats of the changes between two fleets, with the same names as those of a diff. */
export const FLEET_DIFF_REPORTERS: readonly Reporter<Since>[] = [
  {
    ...FORMATS.console,
    render: async (since, options) => {
      const { blockLines, linesText, pageOf } = await import('../terminal.js')
      return linesText(blockLines(pageOf(options), (await import('./blocks.js')).sinceSection({ since })))
    },
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'fleet-diff.md',
    render: async since =>
      (await import('../markdown.js')).markdownOf((await import('./blocks.js')).sinceSection({ since })),
  },
  {
    name: 'json',
    about: 'all changes, for scripts',
    file: 'fleet-diff.json',
    render: async since => `${JSON.stringify(since, null, 2)}\n`,
  },
]
