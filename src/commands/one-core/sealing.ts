import { Seal } from '../../journal/seal.js'

/** The key of a journal, still being derived, and its salt. */
export interface Sealing {
  salt: string
  seal: Promise<Seal>
}

/** Starts to derive the key of a journal. That takes a while: start as soon as the password is known, and await it late. */
export function sealing(password: string): Sealing {
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
