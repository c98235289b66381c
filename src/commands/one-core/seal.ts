/** The seals of journals: with a key of their own, or with one that is made of the password. */
import type { Settings } from '../../config/settings.js'
import { ownFolder } from '../../ground/own-files.js'
import { OwnKey } from '../../journal/own-key.js'
import { type OpenJournal, sealOf } from '../../journal/read.js'
import { Seal } from '../../journal/seal.js'

/** The seal of a new journal, and the salt of its key. */
export interface NewSeal {
  salt: string
  seal: Seal
  /** The key, where it is not made of the password. */
  own?: OwnKey
}

/** Returns the folder where keys of this user's journals are kept; undefined where the system has none. */
export function keyFolder(settings: Settings): string | undefined {
  return ownFolder(name => settings.surrounding(name))
}

/**
 * Makes the seal of a journal. Its key is made of the password, which takes a while, only where no key can be kept.
 * @param password undefined: the run is against the embedded mock Core, and has none to keep secret
 * @param folder keeps keys for this user alone; undefined: there is none
 */
export async function newSeal(password: string | undefined, folder?: string): Promise<NewSeal> {
  const own = password === undefined ? undefined : OwnKey.make(password, folder)
  if (own) return { salt: own.salt, seal: own.seal, own }
  const salt = Seal.salt()
  return { salt, seal: password === undefined ? Seal.embedded(salt) : await Seal.of(password, salt) }
}

/**
 * Returns the seal of an unfinished run.
 * @param password the password of the run
 * @throws ConfigError if the password is not that of the run, or if its key is somewhere else
 */
export function sealOfRun(journal: OpenJournal, password: string, settings: Settings): Promise<Seal> {
  return sealOf(journal, password, keyFolder(settings))
}
