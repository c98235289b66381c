import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { GithubActions } from '../../report/reporter.js'
import { namedReporters } from '../shared/named-reporters.js'
import { ABANDON, DETACH, OUT, QUIET, VERBOSE } from '../shared/settings.js'
import { type Begun, refuseOther } from './given.js'

/** A `resume`, as configured. */
export interface ResumeConfig {
  /** @throws ConfigError where what is said now is not what the run was begun with; see `given.ts` */
  refuseOther(begun: Begun): void
  /** The password for the Core at a URL. */
  password(url: string): string | undefined
  /** The key of the control endpoint that the run of the Core at a URL used, if it did. */
  controlKey(url: string): string | undefined
  outDir: string
  /** Undefined: those of the run. */
  reporters: string[] | undefined
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  /** Every spec on the console. */
  verbose: boolean
  detach: boolean
  abandon: boolean
}

/**
 * Makes a {@link ResumeConfig} of the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function resumeConfig(settings: Settings): ResumeConfig {
  const outDir = folderOf(settings)
  return {
    refuseOther: begun => refuseOther(settings, begun, `the run in ${outDir}`),
    password: url => settings.secretAt('CORE_PASSWORD', url),
    controlKey: url => settings.secretAt('CORE_CONTROL_KEY', url),
    outDir,
    // The file says what runs leave behind; this run has begun, with flags of its own perhaps.
    reporters: settings.get('reporter')?.origin === 'file' ? undefined : namedReporters(settings),
    github: settings.github(),
    quiet: settings.value(QUIET),
    verbose: settings.value(VERBOSE),
    detach: settings.value(DETACH),
    abandon: settings.value(ABANDON),
  }
}

/** The folder of a run, by its place or by `--out`. */
function folderOf(settings: Settings): string {
  const [folder] = settings.operands
  const [flag] = settings.givenIn('out').filter(({ origin }) => origin === 'flag')
  if (folder !== undefined && flag && flag.text !== folder)
    throw new ConfigError(`${flag.label} says ${flag.text}, and ${folder} is named beside it: name one folder`)
  return folder ?? settings.value(OUT)
}
