/** Names the variables for secrets of single targets. */
import { hint } from '../suite/problem.js'
import type { ConfigFile } from './file.js'

/** Variables that each target may have for itself. */
const SECRETS = ['CORE_PASSWORD', 'CORE_CONTROL_KEY'] as const
const TARGET_SECRET = /^CORE_(PASSWORD|CONTROL_KEY)_[A-Z0-9_]+$/

/** Returns the variable for a secret of one target: `CORE_PASSWORD_LAB_2` for `lab-2`. */
export function targetSecret(env: string, target: string): string {
  return `${env}_${target.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`
}

/** Whether a variable has the form of a secret of one target. */
export function isTargetSecret(name: string): boolean {
  return TARGET_SECRET.test(name)
}

/**
 * Returns a warning for each secret of a target that does not exist.
 * @param names the variables that are set
 * @param file the configuration file; undefined where there is none
 */
export function strayTargetSecrets(names: string[], file: ConfigFile | undefined): string[] {
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
