import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { GithubActions } from '../../report/reporter.js'
import { namedReporters } from '../shared/named-reporters.js'
import { ABANDON, DETACH, OUT, QUIET, VERBOSE } from '../shared/settings.js'
import { type Begun, refuseOther } from './given.js'

/** The configuration of a `resume`. */
export interface ResumeConfig {
  /** @throws ConfigError if the settings differ from those that the run was begun with; see `given.ts` */
  refuseOther(begun: Begun): void
  /** Returns the password for the Core at a URL. */
  password(url: string): string | undefined
  /** Returns the key of the control endpoint for the Core at a URL, if the user gave one. */
  controlKey(url: string): string | undefined
  outDir: string
  /** Undefined: the reporters that the run was begun with. */
  reporters: string[] | undefined
  /** See `RunConfig`. */
  github: GithubActions | undefined
  quiet: boolean
  /** Show print every spec, also those that passed. */
  verbose: boolean
  detach: boolean
  abandon: boolean
}

/**
 * Reads a {@link ResumeConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used
 */
export function resumeConfig(settings: Settings): ResumeConfig {
  const outDir = folderOf(settings)
  return {
    refuseOther: begun => refuseOther(settings, begun, `the run in ${outDir}`),
    password: url => settings.secretAt('CORE_PASSWORD', url),
    controlKey: url => settings.secretAt('CORE_CONTROL_KEY', url),
    outDir,
    // The configuration file names reporters for new runs. This run may have been begun with other ones.
    reporters: settings.get('reporter')?.origin === 'file' ? undefined : namedReporters(settings),
    github: settings.github(),
    quiet: settings.value(QUIET),
    verbose: settings.value(VERBOSE),
    detach: settings.value(DETACH),
    abandon: settings.value(ABANDON),
  }
}

/** Returns the folder of a run: the operand, else `--out`. */
function folderOf(settings: Settings): string {
  const [folder] = settings.operands
  const [flag] = settings.givenIn('out').filter(({ origin }) => origin === 'flag')
  if (folder !== undefined && flag && flag.text !== folder)
    throw new ConfigError(`${flag.label} says ${flag.text}, and ${folder} is named beside it: name one folder`)
  return folder ?? settings.value(OUT)
}
