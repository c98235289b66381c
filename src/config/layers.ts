/** Looks up settings in the configuration file: of a target, of a profile, and the defaults. */

import { ConfigError } from '../ground/config-error.js'
import { PROFILES } from '../settings/configuration.js'
import { hint } from '../suite/problem.js'
import { MOCK_TARGET, TRUST_FLAGS } from './command.js'
import type { ConfigFile, Layer } from './file.js'
import type { Given } from './origin.js'

/**
 * Finds a setting in the file: first in the target in use, then in the profile in use, then in the defaults.
 * @param targetName the target, as flags and variables give it; the same for the profile
 */
export function settingIn(file: ConfigFile, flag: string, targetName = '', profileName?: string): Given | undefined {
  const target = file.targets.get(targetName)
  const first = (layers: (Layer | undefined)[], name: string) =>
    layers.map(layer => layer?.get(name)).find(found => found !== undefined)
  if (flag === 'profile') return first([target, file.defaults], flag)
  const profile = profileName ?? first([target, file.defaults], 'profile')?.text ?? ''
  // A target with a trust of its own takes no other trust from the profile or the defaults.
  const isOwnTrust = TRUST_FLAGS.some(each => each === flag) && TRUST_FLAGS.some(each => target?.has(each))
  return first(isOwnTrust ? [target] : [target, file.profiles.get(profile), file.defaults], flag)
}

/** Replaces the name of a target by its URL, and that of a profile by its built-in profile. Keeps other settings. */
export function explained(file: ConfigFile, flag: string, setting: Given): Given {
  const meant =
    flag === 'target'
      ? file.targets.get(setting.text)?.get('url')
      : flag === 'profile'
        ? profileNamed(file, setting.text)
        : undefined
  if (!meant) return setting
  return {
    text: meant.text,
    origin: setting.origin,
    // Looked up on demand, since that takes a while in a large file.
    get label() {
      return meant.label
    },
  }
}

/** Returns the built-in profile that a named profile starts from; default `full`. */
function profileNamed({ profiles }: ConfigFile, name: string): Given | undefined {
  const profile = profiles.get(name)
  return profile && (profile.get('profile') ?? { text: 'full', origin: 'file', label: `profile ${name}` })
}

/**
 * Checks a target: a URL, the name of a target in the file, or the word for the embedded mock Core.
 * @param isList whether the command takes several targets; a list or pattern is checked later, name by name
 * @throws ConfigError for a name that is not in the file
 */
export function checkTarget({ path, targets }: ConfigFile, name: string | undefined, isList: boolean): void {
  if (name === undefined || name === MOCK_TARGET || name.includes('://') || targets.has(name)) return
  if (isList && /[,*?]/.test(name)) return
  // Other text may contain credentials, so the message does not repeat it.
  const isName = /^[\w.-]+$/.test(name)
  throw new ConfigError(
    `there is no target ${isName ? `'${name}'` : 'of that name'} in ${path}${isName ? hint(name, targets.keys()) : ''}; a URL begins with https://`,
  )
}

/** Checks a profile: either a built-in one or one of the file. @throws ConfigError for an unknown profile */
export function checkProfile({ profiles }: ConfigFile, setting: Given | undefined): void {
  const known = [...PROFILES, ...profiles.keys()]
  if (!setting || known.includes(setting.text)) return
  throw new ConfigError(`${setting.label}: there is no profile '${setting.text}'${hint(setting.text, known)}`)
}
