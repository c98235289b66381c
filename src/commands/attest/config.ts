/** Reads the configuration of `attest` and `attest verify`. */

import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { isUsable, KEY_KINDS } from '../../attest/dsse.js'
import type { Given } from '../../config/origin.js'
import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { DEFAULT_OUT } from '../../ground/own-command.js'
import { defaultFile } from '../shared/folder.js'
import { givenFile } from '../shared/given-file.js'
import { ATTESTED_RESULT, ATTESTING } from './settings.js'

/** File name of an attestation, as in-toto names such files. */
export const ATTESTATION_FILE = 'attestation.intoto.jsonl'

/** Reads the settings of an `attest`. */
export function attestConfig(settings: Settings) {
  const [from = defaultFile()] = settings.operands
  return {
    from,
    outDir: settings.value(ATTESTING.out) ?? dirname(from),
    subject: subjectOf(settings),
    privateKey: privateKeyOf(settings),
  }
}

/** Reads the settings of an `attest verify`. */
export function attestVerifyConfig(settings: Settings) {
  const [attestation = join(DEFAULT_OUT, ATTESTATION_FILE)] = settings.operands
  const given = settings.values({ result: ATTESTED_RESULT, artifact: ATTESTING.artifact })
  return { attestation, ...given, publicKey: publicKeyOf(settings) }
}

/** Reads which firmware is attested: its name, and its file or the SHA-256 of the file (64 lower-case hex digits). */
function subjectOf(settings: Settings): { name: string } & ({ file: string } | { sha256: string }) {
  const [artifact, digest, subject] = ['artifact', 'digest', 'subject'].map(flag => settings.get(flag))
  if (artifact && digest)
    throw new ConfigError(`${artifact.label} and ${digest.label} exclude each other: the digest is that of the file`)
  const name = subject?.text.trim() ?? (artifact && basename(artifact.text))
  if (artifact && name) return { name: nameOf(name, subject), file: artifact.text }
  if (!digest) throw new ConfigError('no firmware is named: give its file with --artifact')
  if (!name) throw new ConfigError(`${digest.label} names no firmware: name it with --subject`)
  const sha256 = digest.text.replace(/^sha-?256[:=]/i, '').toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new ConfigError(`${digest.label} must be a SHA-256: 64 hex digits`)
  return { name: nameOf(name, subject), sha256 }
}

function nameOf(name: string, setting: Given | undefined): string {
  if (name.length > 200 || /\p{C}/u.test(name))
    throw new ConfigError(`${setting?.label ?? '--subject'} must be a name of 1 to 200 characters that can be read`)
  return name
}

const MAKE_A_KEY =
  'openssl genpkey -algorithm ed25519 -out attest.key, and openssl pkey -in attest.key -pubout for the other half'

function privateKeyOf(settings: Settings): KeyObject {
  const setting = settings.get('key')
  if (!setting)
    throw new ConfigError(`there is no key to sign with: give a private key with --key; to make one: ${MAKE_A_KEY}`)
  const pem = givenFile(setting.text, `${setting.label}: ${setting.text} cannot be used`)
  const passphrase = settings.secret('CORE_ATTEST_PASSPHRASE')
  let key: KeyObject
  try {
    key = createPrivateKey({ key: pem, ...(passphrase !== undefined && { passphrase }) })
  } catch {
    const isEncrypted = /ENCRYPTED/.test(pem.toString('latin1'))
    const why = isEncrypted
      ? `it is encrypted, and ${passphrase === undefined ? 'CORE_ATTEST_PASSPHRASE is not set' : 'CORE_ATTEST_PASSPHRASE does not open it'}`
      : 'it holds no private key in PEM'
    throw new ConfigError(`${setting.label}: ${setting.text} cannot be used: ${why}`)
  }
  return usable(key, setting)
}

function publicKeyOf(settings: Settings): KeyObject {
  const setting = settings.get('key')
  if (!setting)
    throw new ConfigError(
      'there is no key to check the signature with: give the public key of the signer with --key, from a source that you trust',
    )
  const pem = givenFile(setting.text, `${setting.label}: ${setting.text} cannot be used`).toString('latin1')
  // Node can derive the public key from a private one, but nobody should carry a private key around to verify.
  if (/PRIVATE KEY/.test(pem))
    throw new ConfigError(
      `${setting.label}: ${setting.text} holds a private key: give the public one (openssl pkey -in ${setting.text} -pubout)`,
    )
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch {
    throw new ConfigError(
      `${setting.label}: ${setting.text} cannot be used: it holds no public key and no certificate in PEM`,
    )
  }
  return usable(key, setting)
}

function usable(key: KeyObject, { text, label }: Given): KeyObject {
  if (isUsable(key)) return key
  throw new ConfigError(
    `${label}: the key in ${text} is of another kind: give one of ${KEY_KINDS}; to make one: ${MAKE_A_KEY}`,
  )
}
