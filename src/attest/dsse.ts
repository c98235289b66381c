/** Dead Simple Signing Envelope, v1: a payload with its type, and signatures of both. See https://github.com/secure-systems-lab/dsse. */
import { createHash, type KeyObject, sign, verify } from 'node:crypto'

/** The type of an in-toto statement. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

/** The envelope, as it is written. */
export interface Envelope {
  payloadType: string
  /** Base64. */
  payload: string
  /** `keyid`: SHA-256 of the public key (SubjectPublicKeyInfo, DER), hexadecimal; `sig`: base64. */
  signatures: { keyid: string; sig: string }[]
}

/** What a key can be: that which a person makes with one command, and that which others ask for. */
export const KEY_KINDS = 'Ed25519, or ECDSA on P-256 or P-384'

/** The digest that goes with a key; null where the signature has its own; undefined for a key of another kind. */
function digestFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null | undefined {
  if (asymmetricKeyType === 'ed25519') return null
  if (asymmetricKeyType !== 'ec') return undefined
  const digests: Record<string, string> = { prime256v1: 'sha256', secp384r1: 'sha384' }
  return digests[asymmetricKeyDetails?.namedCurve ?? '']
}

/** Whether a key can be used here: see {@link KEY_KINDS}. */
export function isUsable(key: KeyObject): boolean {
  return digestFor(key) !== undefined
}

/** How messages call a public key. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** What is signed: no payload can be taken for one of another type. */
function encoded(payloadType: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/**
 * The signed envelope of a payload.
 * @param privateKey of one of {@link KEY_KINDS}
 * @param keyid see {@link keyIdOf}
 */
export function sealed(payload: Buffer, privateKey: KeyObject, keyid: string): Envelope {
  const sig = sign(digestFor(privateKey), encoded(PAYLOAD_TYPE, payload), privateKey)
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid, sig: sig.toString('base64') }],
  }
}

/**
 * The payload of an envelope that this key signed; undefined where none of its signatures is of the key. The hint `keyid` is
 * nothing to go by: whoever changes an envelope can change it, too.
 */
export function opened({ payloadType, payload, signatures }: Envelope, publicKey: KeyObject): Buffer | undefined {
  const bytes = Buffer.from(payload, 'base64')
  const digest = digestFor(publicKey)
  const isSigned = signatures.some(({ sig }) =>
    verify(digest, encoded(payloadType, bytes), publicKey, Buffer.from(sig, 'base64')),
  )
  return isSigned ? bytes : undefined
}

/**
 * The envelope in a text: a JSON object on its own, or the one line of a bundle.
 * @returns undefined where it is none
 */
export function envelopeOf(text: string): Envelope | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  const { payloadType, payload, signatures } = (value ?? {}) as Partial<Record<keyof Envelope, unknown>>
  if (typeof payloadType !== 'string' || typeof payload !== 'string' || !Array.isArray(signatures)) return undefined
  const isWhole = signatures.every(each => typeof each?.sig === 'string')
  return isWhole ? (value as Envelope) : undefined
}
