import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret that can be compared with and not be read again. */
export class Secret {
  readonly #key = randomBytes(32)
  readonly #digest: Buffer

  constructor(value: string) {
    this.#digest = this.#digestOf(value)
  }

  /** Whether `guess` is the secret. Takes as long for a near miss as for a far one. */
  equals(guess: string): boolean {
    return timingSafeEqual(this.#digest, this.#digestOf(guess))
  }

  #digestOf(value: string): Buffer {
    return createHmac('sha256', this.#key).update(value).digest()
  }
}

/** The name and password of the one user who can log on. */
export class Credentials {
  readonly #username: Secret
  readonly #password: Secret

  constructor(username: string, password: string) {
    this.#username = new Secret(username)
    this.#password = new Secret(password)
  }

  /** Whether both are right; both are always compared, so that the time taken does not tell which one was wrong. */
  match(username: string, password: string): boolean {
    const rightUsername = this.#username.equals(username)
    const rightPassword = this.#password.equals(password)
    return rightUsername && rightPassword
  }
}
