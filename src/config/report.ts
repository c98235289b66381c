import { dirname } from 'node:path'
import type { GithubActions } from '../report/reporter.js'
import { reportersOf } from './reporters.js'
import type { Settings } from './settings.js'
import { isSet } from './values.js'

/** A `report`, as configured. */
export interface ReportConfig {
  /** The result file. */
  from: string
  outDir: string
  /** Names, and paths of the user's own modules. */
  reporters: string[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  verbose: boolean
}

/**
 * Makes a {@link ReportConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function reportConfig(settings: Settings): ReportConfig {
  const [from = 'reports/result.json'] = settings.operands
  return {
    from,
    outDir: settings.get('out')?.text ?? dirname(from),
    reporters: reportersOf(settings, 'report'),
    github: settings.github(),
    quiet: isSet(settings, 'quiet'),
    verbose: isSet(settings, 'verbose'),
  }
}
