/** Registers the reports of the changes between two fleets. */
import pc from 'picocolors'
import type { Since } from '../../fleet/types.js'
import { consoleColumns } from '../console/console.js'
import type { Page } from '../layout.js'
import type { Reporter } from '../reporter.js'
import { changeLines } from './console.js'
import { since as sinceText } from './markdown.js'

/** All formats of the changes, with the same names as those of a diff. Each module is loaded on first use. */
export const FLEET_DIFF_REPORTERS: readonly Reporter<Since>[] = [
  {
    name: 'console',
    about: 'text for a terminal or the log of a CI',
    stream: 'terminal',
    render: async (since, { columns, color }) => {
      const page: Page = { columns: consoleColumns(columns), paint: pc.createColors(color) }
      return changeLines(page, { since })
        .map(line => `${line}\n`)
        .join('')
    },
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'fleet-diff.md',
    render: async since => `#${sinceText({ since }).replace(/^##/, '')}\n`,
  },
  {
    name: 'json',
    about: 'all changes, for scripts',
    file: 'fleet-diff.json',
    render: async since => `${JSON.stringify(since, null, 2)}\n`,
  },
]
