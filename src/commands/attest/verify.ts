import { createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { envelopeOf, keyIdOf, opened, PAYLOAD_TYPE } from '../../attest/dsse.js'
import { PREDICATE_TYPE, STATEMENT_TYPE, type Statement, statementOf } from '../../attest/statement.js'
import { claims } from '../../attest/words.js'
import type { Settings } from '../../config/settings.js'
import { FLEET_FILE } from '../../fleet/types.js'
import { ConfigError } from '../../ground/config-error.js'
import { DEFAULT_OUT } from '../../ground/own-command.js'
import { inert } from '../../report/inert.js'
import { RESULT_FILE } from '../../report/reporters.js'
import type { Terminal } from '../../terminal.js'
import { ATTEST_VERIFY } from '../shared/declared.js'
import { givenFile } from '../shared/given.js'
import { ATTESTATION_FILE, claimsText, evidenceIn, keyOf, sha256, warnOfVersion } from './attest.js'

const EXIT_REFUTED = 1

/**
 * `core-conformance attest verify`: checks an attestation, and says what it claims.
 * @returns the exit code: 0 if the attestation holds, with every verdict; else 1
 */
export async function attestVerify(settings: Settings, terminal: Terminal): Promise<number> {
  const [attestation = join(DEFAULT_OUT, ATTESTATION_FILE)] = settings.operands
  const { result, artifact } = settings.values(ATTEST_VERIFY.settings)
  const publicKey = publicKeyOf(settings)
  const text = givenFile(attestation, `${attestation} cannot be used as an attestation`).toString('utf8')
  const envelope = envelopeOf(text)
  if (!envelope) throw new ConfigError(`${attestation} is no DSSE envelope: give it what attest wrote`)
  const refute = (why: string) => {
    terminal.stdout.write(`✗ ${inert(attestation)} does not hold: ${inert(why)}\n`)
    return EXIT_REFUTED
  }
  const keyid = keyIdOf(publicKey)
  const payload = opened(envelope, publicKey)
  if (!payload) return refute(`it is not signed with the key ${keyid}, or it was changed since; use nothing of it`)
  const statement = statementIn(payload)
  if (!statement || envelope.payloadType !== PAYLOAD_TYPE)
    return refute('the key signed it, but it is no statement of a test result (in-toto, test-result/v0.1)')
  const file = result ?? resultBeside(attestation)
  const why = contradiction(
    statement,
    statementOf(await evidenceIn(file), statement.subject[0] as Statement['subject'][0]),
  )
  if (why) return refute(`it is not of ${file}: ${why}`)
  const [{ name, digest } = { name: '', digest: { sha256: '' } }] = statement.subject
  const found = artifact === undefined ? undefined : await sha256(artifact)
  if (found !== undefined && found !== digest.sha256)
    return refute(
      `it is of another firmware: ${name} with the SHA-256 ${digest.sha256}, and that of ${artifact} is ${found}`,
    )
  const firmware = artifact ? `, and of ${artifact}` : ''
  terminal.stdout.write(
    `✓ ${inert(attestation)} holds: it is signed with the key ${keyid}, and is of ${inert(file)}${inert(firmware)}\n\n${claimsText(claims(statement))}`,
  )
  warnOfVersion(statement, terminal)
  if (!artifact) terminal.stdout.write('The firmware was not looked at: give its file with --artifact.\n')
  return 0
}

function publicKeyOf(settings: Settings): KeyObject {
  const absent =
    'there is no key to check the signature with: give the public key of the signer with --key, from a source that you trust'
  return keyOf(settings, absent, (bytes, file) => {
    const pem = bytes.toString('latin1')
    // Node can derive the public key from a private one, but nobody should carry a private key around to verify.
    if (/PRIVATE KEY/.test(pem)) return `holds a private key: give the public one (openssl pkey -in ${file} -pubout)`
    try {
      return createPublicKey(pem)
    } catch {
      return 'cannot be used: it holds no public key and no certificate in PEM'
    }
  })
}

/** Returns the result file beside an attestation. @throws ConfigError if there is none, or two */
function resultBeside(attestation: string): string {
  const found = [RESULT_FILE, FLEET_FILE].map(name => join(dirname(attestation), name)).filter(path => existsSync(path))
  const [only] = found
  if (only !== undefined && found.length === 1) return only
  throw new ConfigError(
    `${only === undefined ? `there is neither ${RESULT_FILE} nor ${FLEET_FILE}` : 'there are two results'} beside ${attestation}: name what it is of with --result`,
  )
}

function statementIn(payload: Buffer): Statement | undefined {
  try {
    const value = JSON.parse(payload.toString('utf8')) as Statement
    const { _type, predicateType, subject, predicate } = value
    const [only] = subject
    const isOne = subject.length === 1 && typeof only?.name === 'string' && typeof only.digest?.sha256 === 'string'
    const isOurs = _type === STATEMENT_TYPE && predicateType === PREDICATE_TYPE
    const isWhole = Array.isArray(predicate.configuration) && predicate.configuration.every(Boolean)
    return isOne && isOurs && isWhole ? value : undefined
  } catch {
    return undefined
  }
}

/** Says how the signed statement differs from one made from the result now; undefined if they agree. */
function contradiction({ predicate: signed }: Statement, { predicate: made }: Statement): string | undefined {
  for (const { name, digest } of made.configuration) {
    const other = signed.configuration.find(each => each.name === name)
    if (digest && other?.digest?.sha256 !== digest.sha256)
      return other ? `${name} is another one than was signed` : `it says nothing of ${name}`
  }
  const parts = ['result', 'configuration', 'passedTests', 'warnedTests', 'failedTests'] as const
  const part = parts.find(each => JSON.stringify(signed[each]) !== JSON.stringify(made[each]))
  return part && `what it says of ${part} is not what that result bears`
}
