import { existsSync } from 'node:fs'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { DIFF_REPORTERS } from '../../diff/report/reporters.js'
import { ownCommand, quoted } from '../../ground/own-command.js'
import { hint } from '../../suite/problem.js'
import { OUT, QUIET } from '../shared/settings.js'
import { DIFF_REPORTER } from './settings.js'

/** The configuration of a `diff`. */
export interface DiffConfig {
  /** The files to compare, the oldest first. */
  files: string[]
  outDir: string
  /** Names of reports. */
  reporters: string[]
  /** Leave harmless changes out on the console. */
  quiet: boolean
}

const ALL = DIFF_REPORTERS.map(({ name }) => name)

/**
 * Reads a {@link DiffConfig} from the settings.
 * @throws ConfigError for the first value that cannot be used, and for an operand that is no file
 */
export function diffConfig(settings: Settings): DiffConfig {
  const names = settings.value(DIFF_REPORTER)
  const stranger = names.find(name => !ALL.includes(name))
  if (stranger !== undefined)
    throw new ConfigError(`${settings.get('reporter')?.label}: there is no report '${stranger}'${hint(stranger, ALL)}`)
  for (const [place, text] of settings.operands.entries()) refuseNoFile(text, place, settings)
  return {
    files: settings.operands,
    outDir: settings.value(OUT),
    reporters: names.length ? ALL.filter(name => names.includes(name)) : ALL,
    quiet: settings.value(QUIET),
  }
}

/** Refuses an operand that is no file. Tells how to get the result of a Core. Repeats no URL, since it may hold credentials. */
function refuseNoFile(text: string, place: number, { configFile }: Settings): void {
  if (existsSync(text)) return
  const isUrl = text.includes('://')
  if (isUrl || configFile?.targets.has(text)) {
    const [which, named] = isUrl ? [`operand ${place + 1}`, 'URL'] : [`'${text}'`, text]
    throw new ConfigError(
      `${which} is a Core, and diff compares results: run it first (${ownCommand(`run ${quoted(named)} --out FOLDER`)}), and give the result.json in that folder`,
    )
  }
  const shown = text.includes('@') ? `operand ${place + 1}` : `'${text}'`
  throw new ConfigError(`${shown} is nothing to compare: there is no such file; give a result.json, or a fleet.json`)
}
