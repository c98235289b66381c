import { DIFF_REPORTERS, type DiffReporterName } from '../report/diff.js'
import { hint } from '../suite/problem.js'
import { ConfigError, type Settings } from './settings.js'
import { list } from './values.js'

/** A `diff`, as configured. */
export interface DiffConfig {
  /** The result files, the oldest first. */
  files: string[]
  outDir: string
  reporters: DiffReporterName[]
}

const ALL = Object.keys(DIFF_REPORTERS) as DiffReporterName[]

/**
 * Makes a {@link DiffConfig} of the settings.
 * @throws ConfigError for a report that there is not
 */
export function diffConfig(settings: Settings): DiffConfig {
  const names = list(settings, 'reporter')
  const stranger = names.find(name => !(ALL as string[]).includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.get('reporter')?.label}: there is no report '${stranger}'${hint(stranger, ALL)}`)
  return {
    files: settings.operands,
    outDir: settings.get('out')?.text ?? 'reports',
    reporters: names.length ? ALL.filter(name => names.includes(name)) : ALL,
  }
}
