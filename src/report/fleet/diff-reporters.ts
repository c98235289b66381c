/** Registers the reports of the changes between two fleets. */
import type { Since } from '../../fleet/types.js'
import { markdownOf } from '../markdown/blocks.js'
import type { Reporter } from '../reporter.js'
import { blockLines, linesText, pageOf } from '../terminal.js'
import { sinceSection } from './blocks.js'

/** All formats of the changes, with the same names as those of a diff. Each module is loaded on first use. */
export const FLEET_DIFF_REPORTERS: readonly Reporter<Since>[] = [
  {
    name: 'console',
    about: 'text for a terminal or the log of a CI',
    stream: 'terminal',
    render: async (since, options) => linesText(blockLines(pageOf(options), sinceSection({ since }))),
  },
  {
    name: 'markdown',
    about: 'for release notes',
    file: 'fleet-diff.md',
    render: async since => markdownOf(sinceSection({ since })),
  },
  {
    name: 'json',
    about: 'all changes, for scripts',
    file: 'fleet-diff.json',
    render: async since => `${JSON.stringify(since, null, 2)}\n`,
  },
]
