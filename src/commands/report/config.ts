import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { FLEET_FILE } from '../../fleet/types.js'
import { DEFAULT_OUT } from '../../ground/own-command.js'
import type { GithubActions } from '../../report/reporter.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { reportersOf } from '../shared/named-reporters.js'
import { QUIET, VERBOSE } from '../shared/settings.js'
import { REPORT_OUT } from './settings.js'

/** The configuration of a `report`. */
export interface ReportConfig {
  /** The result file of a run, or the fleet file. */
  from: string
  outDir: string
  /** Names of built-in reports, and paths of the user's own modules. */
  reporters: string[]
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  verbose: boolean
}

/** Returns the file of the last run in the default folder: the result of one Core, else the fleet file. */
export function defaultFile(): string {
  const [one, many] = [RESULT_FILE, FLEET_FILE].map(file => join(DEFAULT_OUT, file)) as [string, string]
  return !existsSync(one) && existsSync(many) ? many : one
}

/**
 * Reads a {@link ReportConfig} from the settings.
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
