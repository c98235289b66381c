import { dirname } from 'node:path'
import type { ReporterName } from '../report/index.js'
import { reportersOf } from './run.js'
import type { GithubActions, Settings } from './settings.js'
import { isSet } from './values.js'

/** A `report`, as configured. */
export interface ReportConfig {
  /** The result file. */
  from: string
  outDir: string
  reporters: ReporterName[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
}

/** The result is there already; whoever wants a copy elsewhere says so. */
const DEFAULTS: ReporterName[] = ['console', 'junit', 'html']

/**
 * Makes a {@link ReportConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function reportConfig(settings: Settings): ReportConfig {
  const [from = 'reports/result.json'] = settings.operands
  return {
    from,
    outDir: settings.get('out')?.text ?? dirname(from),
    reporters: reportersOf(settings) ?? DEFAULTS,
    github: settings.github(),
    quiet: isSet(settings, 'quiet'),
  }
}
