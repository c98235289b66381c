/** What is each Core's own where a command meets several, and the secrets of targets by their names. */
import { count, numbered } from '../ground/count.js'
import { hint } from '../suite/problem.js'
import { ConfigError } from './error.js'
import type { ConfigFile } from './file.js'
import type { Setting } from './setting.js'

/** The flags of which each of several Cores may have its own value. */
export const OF_ONE_CORE = ['username', 'ca-file', 'fingerprint', 'label', 'firmware', 'control-url'] as const

/** One Core of several that a command meets. */
export interface OneCore {
  /** The base URL, or the name in the configuration file. */
  target: string
  /** How messages call it. */
  label: string
  /** Its place among the Cores, from 0, and how many there are. */
  index: number
  count: number
  /** Flags that are not the user's, such as the folder of its reports. */
  flags: Readonly<Record<string, string>>
}

/**
 * Of several values, with commas between them, that of this Core; one is for all.
 * @throws ConfigError where there are as many neither as Cores nor one
 */
export function ofCore(core: OneCore | undefined, flag: string, setting: Setting | undefined): Setting | undefined {
  if (!core || !setting?.text || !(OF_ONE_CORE as readonly string[]).includes(flag)) return setting
  const values = setting.text.split(',')
  if (values.length === 1) return setting
  if (values.length !== core.count) {
    const cores = numbered(core.count, 'is one Core', `are ${core.count} Cores`)
    throw new ConfigError(
      `${setting.label} has ${count(values.length, 'value')}, and there ${cores} to run: give one for each, in the order of the operands, or one for all`,
    )
  }
  return { ...setting, text: values[core.index]?.trim() ?? '' }
}

/** The variables of which each target may have its own. */
const SECRETS = ['CORE_PASSWORD', 'CORE_CONTROL_KEY'] as const
const TARGET_SECRET = /^CORE_(PASSWORD|CONTROL_KEY)_[A-Z0-9_]+$/

/** The variable of a secret of one target: `CORE_PASSWORD_LAB_2` for `lab-2`. */
export function targetSecret(env: string, target: string): string {
  return `${env}_${target.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
}

/** Whether a variable may be the secret of a target. */
export function isTargetSecret(name: string): boolean {
  return TARGET_SECRET.test(name)
}

/**
 * Warnings about the secrets of targets that there are not.
 * @param names the variables that are set
 * @param file undefined: there is none
 */
export function strayTargetSecrets(names: string[], file: Pick<ConfigFile, 'path' | 'targets'> | undefined): string[] {
  const given = [...new Set(names)].filter(isTargetSecret)
  if (!given.length) return []
  const targets = [...(file?.targets.keys() ?? [])]
  const known = new Set(targets.flatMap(target => SECRETS.map(env => targetSecret(env, target))))
  return given
    .filter(name => !known.has(name))
    .sort()
    .map(name =>
      file
        ? `${name} means nothing here: ${file.path} has no such target${hint(name, known)}`
        : `${name} means nothing here: there is no configuration file that names a target`,
    )
}
