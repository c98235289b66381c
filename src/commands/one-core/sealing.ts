import { Seal } from '../../journal/seal.js'

/** The key of a journal and its salt, under way. */
export interface Sealing {
  salt: string
  seal: Promise<Seal>
}

/** Derives the key of a journal: it takes a while, so this is begun as soon as the password is known, and awaited late. */
export function sealing(password: string): Sealing {
  const salt = Seal.salt()
  const seal = Seal.of(password, salt)
  // Whoever awaits it is told; until then nobody listens.
  seal.catch(() => {})
  return { salt, seal }
}

/** The seal of a run against the embedded mock Core, which has no password to keep. */
export function embeddedSealing(): Sealing {
  const salt = Seal.salt()
  return { salt, seal: Promise.resolve(Seal.embedded(salt)) }
}
