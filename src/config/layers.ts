/** Settings as the configuration file says them: for a target, for a profile, for every run. */
import { PROFILES } from '../settings/configuration.js'
import { hint } from '../suite/problem.js'
import { ConfigError } from './error.js'
import type { ConfigFile, FileSetting, Layer } from './file.js'
import type { Given, Origin } from './origin.js'

/** The flags that say how a Core is trusted. */
const TRUST: readonly string[] = ['insecure', 'ca-file', 'fingerprint']

/** The target and the profile in use, as flags and variables name them. */
export interface InUse {
  target: string | undefined
  profile: string | undefined
}

/** Finds a setting in the file: of the target in use first, then of the profile in use, then for every run. */
export function settingIn(file: ConfigFile, flag: string, inUse: InUse): Given | undefined {
  const target = file.targets.get(inUse.target ?? '')
  const first = (layers: (Layer | undefined)[], name: string) =>
    layers.map(layer => layer?.get(name)).find(found => found !== undefined)
  if (flag === 'profile') {
    const setting = first([target, file.defaults], flag)
    return setting && withOrigin('file', setting)
  }
  const profile = inUse.profile ?? first([target, file.defaults], 'profile')?.text ?? ''
  // A Core that says how it is trusted is not trusted in another way, too.
  const isOwnTrust = TRUST.includes(flag) && TRUST.some(each => target?.has(each))
  const setting = first(isOwnTrust ? [target] : [target, file.profiles.get(profile), file.defaults], flag)
  return setting && withOrigin('file', setting)
}

/** Explains a name: of a target its URL, of a profile the built-in one that it starts from. Any other setting is as it was given. */
export function explained(file: ConfigFile, flag: string, setting: Given): Given {
  const meant =
    flag === 'target'
      ? file.targets.get(setting.text)?.get('url')
      : flag === 'profile'
        ? profileNamed(file, setting.text)
        : undefined
  return meant ? withOrigin(setting.origin, meant) : setting
}

/** What a named profile says of the profile proper: `full` unless it says otherwise. */
function profileNamed({ profiles }: ConfigFile, name: string): FileSetting | undefined {
  const profile = profiles.get(name)
  return profile && (profile.get('profile') ?? { text: 'full', label: `profile ${name}` })
}

/**
 * Checks a target: one that is no URL is the name of one, and has to be in the file.
 * @param isList whether there may be several, each of which is looked up where they are told apart
 * @throws ConfigError for a name that the file has not
 */
export function checkTarget({ path, targets }: ConfigFile, name: string | undefined, isList: boolean): void {
  if (name === undefined || name.includes('://') || targets.has(name)) return
  if (isList && /[,*?]/.test(name)) return
  // What is no name may hold credentials, and is not repeated.
  const isName = /^[\w.-]+$/.test(name)
  throw new ConfigError(
    `there is no target ${isName ? `'${name}'` : 'of that name'} in ${path}${isName ? hint(name, targets.keys()) : ''}; a URL begins with https://`,
  )
}

/**
 * Checks a profile: it is a built-in one, or has to be in the file.
 * @throws ConfigError for one that there is not
 */
export function checkProfile({ profiles }: ConfigFile, setting: Given | undefined): void {
  const known = [...PROFILES, ...profiles.keys()]
  if (!setting || known.includes(setting.text)) return
  throw new ConfigError(`${setting.label}: there is no profile '${setting.text}'${hint(setting.text, known)}`)
}

/** A setting with its origin. How messages call it is looked up when it is told: in a large file that takes a while. */
function withOrigin(origin: Origin, setting: FileSetting): Given {
  return {
    text: setting.text,
    origin,
    get label() {
      return setting.label
    },
  }
}
