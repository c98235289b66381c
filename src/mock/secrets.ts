import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret that can be compared but not read. */
export class Secret {
  readonly #key = randomBytes(32)
  readonly #digest: Buffer

  constructor(value: string) {
    this.#digest = this.#digestOf(value)
  }

  /** Tells whether `guess` is the secret. A near miss takes as long as a far one. */
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

  /** Tells whether both are right. Always compares both, so that the duration does not show which one was wrong. */
  match(username: string, password: string): boolean {
    const rightUsername = this.#username.equals(username)
    const rightPassword = this.#password.equals(password)
    return rightUsername && rightPassword
  }
}
