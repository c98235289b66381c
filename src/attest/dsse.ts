/**
 * Signs and verifies Dead Simple Signing Envelopes, v1: a payload with its type, and signatures of both.
 * See https://github.com/secure-systems-lab/dsse.
 */
import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { parseJson } from '../ground/json.js'

/** The type of an in-toto statement. */
export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

/** A signed envelope, as it is written. */
export interface Envelope {
  payloadType: string
  /** The payload, in base64. */
  payload: string
  /** `keyid`: SHA-256 of the public key (SubjectPublicKeyInfo, DER), hexadecimal; `sig`: base64. */
  signatures: { keyid: string; sig: string }[]
}

/** The kinds of keys that can sign, in words: one that is made with one command, and two that organisations ask for. */
export const KEY_KINDS = 'Ed25519, or ECDSA on P-256 or P-384'

/** Returns the digest that goes with a key: null for Ed25519, which has its own; undefined for a key of another kind. */
function digestFor({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string | null | undefined {
  if (asymmetricKeyType === 'ed25519') return null
  if (asymmetricKeyType !== 'ec') return undefined
  const digests: Record<string, string> = { prime256v1: 'sha256', secp384r1: 'sha384' }
  return digests[asymmetricKeyDetails?.namedCurve ?? '']
}

/** Whether a key can sign an attestation: see {@link KEY_KINDS}. */
export function isUsable(key: KeyObject): boolean {
  return digestFor(key) !== undefined
}

/** Returns the id of a public key: SHA-256 of its SubjectPublicKeyInfo (DER), in hex. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

/** Encodes the type with the payload for signing, so that no payload passes for one of another type. */
function encoded(payloadType: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** Signs a payload. @param privateKey of one of {@link KEY_KINDS} @param keyid see {@link keyIdOf} */
export function sealed(payload: Buffer, privateKey: KeyObject, keyid: string): Envelope {
  const sig = sign(digestFor(privateKey), encoded(PAYLOAD_TYPE, payload), privateKey)
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [{ keyid, sig: sig.toString('base64') }],
  }
}

/**
 * Returns the payload of an envelope that this key signed; undefined where no signature is of the key. The function ignores the
 * hint `keyid`: an attacker who changes an envelope can change the hint, too.
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
 * Reads an envelope from a text: a JSON object, or the only line of a bundle.
 * @returns undefined where the text is no envelope
 */
export function envelopeOf(text: string): Envelope | undefined {
  const value = parseJson(text)
  const { payloadType, payload, signatures } = (value ?? {}) as Partial<Record<keyof Envelope, unknown>>
  if (typeof payloadType !== 'string' || typeof payload !== 'string' || !Array.isArray(signatures)) return undefined
  const isWhole = signatures.every(each => typeof each?.sig === 'string')
  return isWhole ? (value as Envelope) : undefined
}
