/** The secrets of targets by their names. */
import { hint } from '../suite/problem.js'
import type { ConfigFile } from './file.js'

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
