import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'

/**
 * What scrypt (RFC 7914) costs: 16 MB and some 0.2 s for each password that somebody tries. Of the settings that the OWASP
 * Password Storage Cheat Sheet calls equal in their defence, this one takes the least but one of a processor's time: every run
 * derives a key, and one with N 131072 and p 1 took half of all that a run of six requests costs.
 */
export const SCRYPT = { N: 16_384, r: 8, p: 5 }
/** The memory of a derivation, in bytes (RFC 7914 2). */
const SCRYPT_BYTES = 128 * SCRYPT.N * SCRYPT.r
/** One half encrypts, the other authenticates. */
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Thrown when something cannot be opened: another password, or it was changed. */
export class SealBroken extends Error {}

/** One derivation at a time: each takes 16 MB and a thread, and several Cores may be met at once. */
let turn: Promise<unknown> = Promise.resolve()

/**
 * Seals texts so that only whoever knows the password can read them, and nobody can change them unseen (AES-256-GCM); and
 * authenticates what may be read by anybody (HMAC-SHA-256).
 */
export class Seal {
  private readonly key: Buffer
  private readonly macKey: Buffer

  private constructor(keys: Buffer) {
    this.key = keys.subarray(0, KEY_BYTES)
    this.macKey = keys.subarray(KEY_BYTES)
  }

  /** As secret as the password: for {@link Seal.ofKeys} in another thread of this process, and for nothing else. */
  get keys(): Uint8Array {
    return Buffer.concat([this.key, this.macKey])
  }

  /** The seal that has these keys. */
  static ofKeys(keys: Uint8Array): Seal {
    return new Seal(Buffer.from(keys))
  }

  /** @param salt 16 random bytes, hex; not secret. @throws Error where there is no memory for it */
  static of(password: string, salt: string): Promise<Seal> {
    const cost = { ...SCRYPT, maxmem: 2 * SCRYPT_BYTES }
    const derive = () =>
      new Promise<Seal>((resolve, reject) => {
        scrypt(password, Buffer.from(salt, 'hex'), 2 * KEY_BYTES, cost, (error, keys) =>
          error
            ? reject(new Error(`the key of the journal cannot be derived (it takes 16 MB of memory): ${error.message}`))
            : resolve(new Seal(keys)),
        )
      })
    const made = turn.then(derive)
    turn = made.catch(() => {})
    return made
  }

  /**
   * The seal of a run against the embedded mock Core, whose password is nobody's. Anybody could make it, so it keeps out
   * mistakes and no attacker; nothing that it guards ever reached a Core.
   */
  static embedded(salt: string): Seal {
    const info = 'core-conformance: the embedded mock Core'
    return new Seal(Buffer.from(hkdfSync('sha256', info, Buffer.from(salt, 'hex'), info, 2 * KEY_BYTES)))
  }

  /** A salt for {@link Seal.of}. */
  static salt(): string {
    return randomBytes(16).toString('hex')
  }

  /**
   * @param context what the text is; it can be opened as nothing else
   * @returns base64 of nonce, tag and ciphertext
   */
  close(text: string | Buffer, context: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(Buffer.from(text)), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  /** @throws SealBroken */
  open(sealed: string, context: string): string {
    return this.openBytes(sealed, context).toString('utf8')
  }

  /** The same for what is no text. @throws SealBroken */
  openBytes(sealed: string, context: string): Buffer {
    const bytes = Buffer.from(sealed, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
    } catch (cause) {
      throw new SealBroken('it was sealed with another password, or changed', { cause })
    }
  }

  /**
   * The code that authenticates a text.
   * @param before the code of what stands before it, or what the text is
   * @returns base64, 44 characters
   */
  mac(before: string, text: string): string {
    return createHmac('sha256', this.macKey).update(`${before}\n${text}`).digest('base64')
  }
}
