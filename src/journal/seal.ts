import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'

/** What scrypt (RFC 7914) costs: some 32 MB and a tenth of a second for each password that somebody tries. */
export const SCRYPT = { N: 32_768, r: 8, p: 1 }
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Thrown when something cannot be opened: another password, or it was changed. */
export class SealBroken extends Error {}

/** Seals texts so that only whoever knows the password can read them, and nobody can change them unseen (AES-256-GCM). */
export class Seal {
  private constructor(private readonly key: Buffer) {}

  /** @param salt 16 random bytes, hex; not secret */
  static of(password: string, salt: string): Promise<Seal> {
    const cost = { ...SCRYPT, maxmem: 2 * 128 * SCRYPT.N * SCRYPT.r }
    return new Promise((resolve, reject) => {
      scrypt(password, Buffer.from(salt, 'hex'), KEY_BYTES, cost, (error, key) =>
        error ? reject(error) : resolve(new Seal(key)),
      )
    })
  }

  /** A salt for {@link Seal.of}. */
  static salt(): string {
    return randomBytes(16).toString('hex')
  }

  /**
   * @param context what the text is; it can be opened as nothing else
   * @returns base64 of nonce, tag and ciphertext
   */
  close(text: string, context: string): string {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(Buffer.from(context))
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  /** @throws SealBroken */
  open(sealed: string, context: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      )
    } catch (cause) {
      throw new SealBroken('it was sealed with another password, or changed', { cause })
    }
  }
}
