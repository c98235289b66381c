import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, scrypt } from 'node:crypto'

/**
 * Cost of scrypt (RFC 7914): 16 MB and some 0.2 s for each guessed password. The OWASP Password Storage
 * Cheat Sheet lists settings of equal strength; of these, this one takes the second least processor time. Every run
 * derives a key, and N 131072 with p 1 took half of the total time of a run with six requests.
 */
export const SCRYPT = { N: 16_384, r: 8, p: 5 }
/** Memory of a derivation, in bytes (RFC 7914 2). */
const SCRYPT_BYTES = 128 * SCRYPT.N * SCRYPT.r
/** Bytes of each half: one half encrypts, the other authenticates. */
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** A text that cannot be opened: the password differs, or the text was changed. */
export class SealBroken extends Error {}

/** Runs one derivation at a time: each takes 16 MB and a thread, and a run may have several Cores. */
let turn: Promise<unknown> = Promise.resolve()

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
  get keys(): Uint8Array {
    return Buffer.concat([this.key, this.macKey])
  }

  /** Makes the seal with these keys. */
  static ofKeys(keys: Uint8Array): Seal {
    return new Seal(Buffer.from(keys))
  }

  /**
   * Derives a seal from a password. @param salt 16 random bytes, hex; not secret. @throws Error where memory is lacking
   */
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
   * Makes the seal of a run against the embedded mock Core, whose password is no user's. Anybody can make this seal, so
   * it protects from mistakes, not from attackers. Nothing that it protects ever reached a Core.
   */
  static embedded(salt: string): Seal {
    const info = 'core-conformance: the embedded mock Core'
    return new Seal(Buffer.from(hkdfSync('sha256', info, Buffer.from(salt, 'hex'), info, 2 * KEY_BYTES)))
  }

  /** Makes a salt for {@link Seal.of}. */
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
