import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/**
 * Cost of Argon2id (RFC 9106): 7 MB and some 0.07 s for each guessed password. The OWASP Password Storage Cheat Sheet lists
 * settings of equal strength; of these, this one takes the least processor time: scrypt of equal strength takes thrice as
 * much.
 */
const ARGON2 = { memorySize: 7168, iterations: 5, parallelism: 1 }
/** Bytes of each half: one half encrypts, the other authenticates. */
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A text that cannot be opened: the password differs, or the text was changed. */
export class SealBroken extends Error {}

/**
 * Seals texts (AES-256-GCM): only a holder of the password can read them, and every change shows. Also authenticates
 * texts that anybody may read (HMAC-SHA-256).
 */
export class Seal {
  private readonly key: Buffer
  private readonly macKey: Buffer

  private constructor(keys: Buffer) {
    this.key = keys.subarray(0, KEY_BYTES)
    this.macKey = keys.subarray(KEY_BYTES)
  }

  /** The keys, as secret as the password. Only for {@link Seal.ofKeys} in another thread of this process. */
  get keys(): Buffer {
    return Buffer.concat([this.key, this.macKey])
  }

  static ofKeys(keys: Uint8Array): Seal {
    return new Seal(Buffer.from(keys))
  }

  /**
   * Derives a seal from a password. Nothing else goes on in this thread meanwhile.
   * @param salt 16 random bytes, hex; not secret. @throws Error where memory is lacking
   */
  static async of(password: string, salt: string): Promise<Seal> {
    try {
      // Few processes need it. Alone, Argon2 loads in 2 ms; the whole package holds forty functions.
      const { default: argon2 } = await import('hash-wasm/dist/argon2.umd.min.js')
      const keys = await argon2.argon2id({
        ...ARGON2,
        // The line end makes a text of the empty password, which a run against an open Core may have.
        password: `${password}\n`,
        salt: Buffer.from(salt, 'hex'),
        hashLength: 2 * KEY_BYTES,
        outputType: 'binary',
      })
      return new Seal(Buffer.from(keys))
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Error(`the key of the journal cannot be derived (it takes 7 MB of memory): ${why}`)
    }
  }

  /** Makes the seal of a key that nobody can guess. */
  static random(): Seal {
    return new Seal(randomBytes(2 * KEY_BYTES))
  }

  /**
   * Makes the seal of a run against the embedded mock Core, whose password is no user's. Anybody can make this seal, so
   * it protects from mistakes, not from attackers. Nothing that it protects ever reached a Core.
   */
  static embedded(salt: string): Seal {
    const info = 'core-conformance: the embedded mock Core'
    return new Seal(Buffer.from(hkdfSync('sha256', info, Buffer.from(salt, 'hex'), info, 2 * KEY_BYTES)))
  }

  static salt(): string {
    return randomBytes(16).toString('hex')
  }

  /**
   * Seals a text.
   * @param context the kind of text; it opens only with the same context
   * @returns base64 of nonce, tag and ciphertext
   */
  close(text: string | Buffer, context: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(Buffer.from(text)), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  /** Opens a sealed text. @throws SealBroken */
  open(sealed: string, context: string): string {
    return this.openBytes(sealed, context).toString('utf8')
  }

  /** Opens sealed bytes. @throws SealBroken */
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
   * Computes the code that authenticates a text.
   * @param before the code of the line before it, or the kind of text
   * @returns base64, 44 characters
   */
  mac(before: string, text: string): string {
    return createHmac('sha256', this.macKey).update(`${before}\n${text}`).digest('base64')
  }
}
