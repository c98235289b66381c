import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { FLEET_REPORTERS } from '../../report/fleet/reporters.js'
import type { GithubActions } from '../../report/reporter.js'
import { hint } from '../../suite/problem.js'
import { SINCE } from '../fleet/settings.js'
import { OUT, QUIET } from '../shared/settings.js'
import { MERGE_REPORTER } from './settings.js'

/** The configuration of a `merge`. */
export interface MergeConfig {
  /** Folders with reports, or folders that hold such folders. */
  folders: string[]
  outDir: string
  /** Names of the reports of the fleet. */
  reporters: string[]
  since: string | undefined
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
}

/**
 * Reads a {@link MergeConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function mergeConfig(settings: Settings): MergeConfig {
  const github = settings.github()
  const all = FLEET_REPORTERS.filter(({ needs }) => !needs || github).map(({ name }) => name)
  const named = settings.value(MERGE_REPORTER)
  const stranger = named.find(name => !all.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.label('reporter')}: there is no report '${stranger}' here${hint(stranger, all)}`)
  return {
    folders: settings.operands,
    outDir: settings.value(OUT),
    reporters: named.length ? all.filter(name => named.includes(name)) : all,
    since: settings.value(SINCE),
    github,
    quiet: settings.value(QUIET),
  }
}
