import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { ownFolder } from '../../ground/own-files.js'
import { JournalError, type OpenJournal, OwnKey, Seal, sealOf } from '../../journal/index.js'

/** The seal of a new journal, and the salt of its key. */
export interface Sealing {
  salt: string
  seal: Promise<Seal>
  /** The key, where it is not made of the password. */
  own?: OwnKey
}

/** Returns the folder where keys of this user's journals are kept; undefined where the system has none. */
export function keyFolder(settings: Settings): string | undefined {
  return ownFolder(name => settings.surrounding(name))
}

/** Makes the seal of a journal. Its key is made of the password only where no key can be kept for this user alone. */
export function sealing(password: string, folder: string | undefined): Sealing {
  const own = OwnKey.make(password, folder)
  return own ? { salt: own.salt, seal: Promise.resolve(own.seal), own } : sealingOf(password)
}

/** Makes the seal of journals whose key is made of the password. That takes a while. */
export function sealingOf(password: string): Sealing {
  const salt = Seal.salt()
  const seal = Seal.of(password, salt)
  // The caller awaits the key later, and sees the error then. Until then the rejection must not end the process.
  seal.catch(() => {})
  return { salt, seal }
}

/** Returns the seal of a run against the embedded mock Core. Such a run has no password to keep secret. */
export function embeddedSealing(): Sealing {
  const salt = Seal.salt()
  return { salt, seal: Promise.resolve(Seal.embedded(salt)) }
}

/**
 * Returns the seal of an unfinished run.
 * @param password the password of the run
 * @throws ConfigError if the password is not that of the run, or if its key is somewhere else
 */
export async function sealOfRun(journal: OpenJournal, password: string, settings: Settings): Promise<Seal> {
  try {
    return await sealOf(journal, password, keyFolder(settings))
  } catch (error) {
    throw error instanceof JournalError ? new ConfigError(error.message) : error
  }
}
