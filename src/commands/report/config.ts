import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { FLEET_FILE } from '../../fleet/types.js'
import type { GithubActions } from '../../report/reporter.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { reportersOf } from '../shared/named-reporters.js'
import { DEFAULT_OUT, QUIET, VERBOSE } from '../shared/settings.js'
import { REPORT_OUT } from './settings.js'

/** A `report`, as configured. */
export interface ReportConfig {
  /** The result file, or that of a fleet. */
  from: string
  outDir: string
  /** Names, and paths of the user's own modules. */
  reporters: string[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  verbose: boolean
}

/** What the last run left where nothing else was said: the result of one Core, or that of a fleet. */
export function defaultFile(): string {
  const [one, many] = [RESULT_FILE, FLEET_FILE].map(file => join(DEFAULT_OUT, file)) as [string, string]
  return !existsSync(one) && existsSync(many) ? many : one
}

/**
 * Makes a {@link ReportConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function reportConfig(settings: Settings): ReportConfig {
  const [from = defaultFile()] = settings.operands
  return {
    from,
    outDir: settings.value(REPORT_OUT) ?? dirname(from),
    reporters: reportersOf(settings, 'report'),
    github: settings.github(),
    quiet: settings.value(QUIET),
    verbose: settings.value(VERBOSE),
  }
}
