import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import type { RunLine } from '../../journal/index.js'
import type { KnownBeforehand } from '../../known/known-beforehand.js'
import { generateOptions } from '../contracts/config.js'
import { configurationOf, coreConfig } from '../shared/core-under-test.js'
import { namedReporters, reportersOf } from '../shared/named-reporters.js'
import { ABANDON, BASELINE, DETACH, NAMES, OUT, PIN, QUIET, SPECS, TOKEN_FIELD, VERBOSE } from '../shared/settings.js'
import { refuseOther } from './given.js'

/** The settings of a `run`. */
export type RunConfig = ReturnType<typeof runConfig>

/**
 * Reads the settings of a `run`.
 * @throws ConfigError for the first value that cannot be used
 */
export function runConfig(settings: Settings) {
  const core = coreConfig(settings)
  const { target, control } = core
  const shown = shownSettings(settings)
  if (shown.detach && (!target || control)) {
    throw new ConfigError(
      target
        ? `${settings.label('detach')} and ${settings.label('control-url')} exclude each other: the clock of the mock Core is advanced, so no spec waits`
        : `${settings.label('detach')} needs a target: the embedded mock Core ends with the run`,
    )
  }
  return {
    ...core,
    ...shown,
    ...settings.values({ tokenField: TOKEN_FIELD, specFolders: SPECS, outDir: OUT }),
    configuration: configurationOf(settings),
    known: knownBeforehand(settings, target !== undefined),
    reporters: reportersOf(settings, 'run'),
    contracts: generateOptions(settings),
  }
}

/** Reads how a run is shown, and whether it leaves the specs that wait to `resume`. */
function shownSettings(settings: Settings) {
  return { github: settings.github(), ...settings.values({ quiet: QUIET, verbose: VERBOSE, detach: DETACH }) }
}

/**
 * Reads a {@link KnownBeforehand} from the settings.
 * @param isOfCore false for the embedded mock Core: the pins of a Core, from a variable or the configuration file, say nothing of it
 */
function knownBeforehand(settings: Settings, isOfCore: boolean): KnownBeforehand {
  const [pins, baseline, firmware] = [PIN, BASELINE, NAMES.firmware].map(each => settings.value(each))
  return {
    ...(pins !== undefined && isOfCore && { pins }),
    ...(baseline !== undefined && { baseline }),
    ...(firmware !== undefined && { firmware }),
  }
}

/** The settings of a `resume`. */
export type ResumeConfig = ReturnType<typeof resumeConfig>

/**
 * Reads the settings of a `resume`.
 * @throws ConfigError for the first value that cannot be used
 */
export function resumeConfig(settings: Settings) {
  const outDir = folderOf(settings)
  return {
    /** @throws ConfigError if the settings differ from those that the run was begun with; see `given.ts` */
    refuseOther: (begun: RunLine) => refuseOther(settings, begun, `the run in ${outDir}`),
    /** Returns the password for the Core at a URL. */
    password: (url: string) => settings.secretAt('CORE_PASSWORD', url),
    /** Returns the key of the control endpoint for the Core at a URL, if the user gave one. */
    controlKey: (url: string) => settings.secretAt('CORE_CONTROL_KEY', url),
    outDir,
    // The configuration file names reporters for new runs. This run may have been begun with other ones.
    reporters: settings.get('reporter')?.origin === 'file' ? undefined : namedReporters(settings),
    ...shownSettings(settings),
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
