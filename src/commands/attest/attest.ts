import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { isUsable, KEY_KINDS, keyIdOf, sealed } from '../../attest/dsse.js'
import { type Evidence, refusal, type Statement, statementOf, testedOf } from '../../attest/statement.js'
import { claims, NO_CLAIMS, otherVersion } from '../../attest/words.js'
import type { Given } from '../../config/origin.js'
import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { inert } from '../../report/inert.js'
import { isFleetFile, readFleet, readResult } from '../../report/read.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { createFolder, writeWhole } from '../../report/write.js'
import { systemReason } from '../../suite/problem.js'
import type { Terminal } from '../../terminal.js'
import { ATTEST } from '../shared/declared.js'
import { defaultFile } from '../shared/folder.js'
import { givenFile } from '../shared/given.js'

/** File name of an attestation, as in-toto names such files. */
export const ATTESTATION_FILE = 'attestation.intoto.jsonl'

/**
 * `core-conformance attest`: signs the result of a run or a fleet for a firmware, with every verdict.
 * @returns the exit code: 0 once the attestation is written
 */
export async function attest(settings: Settings, terminal: Terminal): Promise<number> {
  const [from = defaultFile()] = settings.operands
  const { out: outDir = dirname(from) } = settings.values(ATTEST.settings)
  const [subject, privateKey] = [subjectOf(settings), privateKeyOf(settings)]
  const evidence = await evidenceIn(from)
  const why = refusal(evidence)
  if (why) throw new ConfigError(`${from} cannot be attested: ${why}`)
  const digest = { sha256: 'file' in subject ? await sha256(subject.file) : subject.sha256 }
  const statement = statementOf(evidence, { name: subject.name, digest })
  const keyid = keyIdOf(createPublicKey(privateKey))
  const envelope = sealed(Buffer.from(JSON.stringify(statement)), privateKey, keyid)
  const path = join(outDir, ATTESTATION_FILE)
  await createFolder(outDir, '--out')
  await writeWhole(path, `${JSON.stringify(envelope)}\n`, '--out')
  terminal.stdout.write(`Attested: ${path}\nSigned with the key ${keyid}\n\n${claimsText(claims(statement))}`)
  warnOfVersion(statement, terminal)
  return 0
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
  const absent = `there is no key to sign with: give a private key with --key; to make one: ${MAKE_A_KEY}`
  return keyOf(settings, absent, key => {
    const passphrase = settings.secret('CORE_ATTEST_PASSPHRASE')
    try {
      return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) })
    } catch {
      if (!/ENCRYPTED/.test(key.toString('latin1'))) return 'cannot be used: it holds no private key in PEM'
      const why = passphrase === undefined ? 'is not set' : 'does not open it'
      return `cannot be used: it is encrypted, and CORE_ATTEST_PASSPHRASE ${why}`
    }
  })
}

/**
 * Reads the key in the file that `--key` names.
 * @param absent the message where the user named none
 * @param read makes the key of the file's content; else says what is wrong, in words that follow the name of the file
 * @throws ConfigError, also for a kind of key that attestations cannot have
 */
export function keyOf(settings: Settings, absent: string, read: (pem: Buffer, file: string) => KeyObject | string) {
  const { text: file, label } = settings.get('key') ?? {}
  if (file === undefined) throw new ConfigError(absent)
  const key = read(givenFile(file, `${label}: ${file} cannot be used`), file)
  if (typeof key === 'string') throw new ConfigError(`${label}: ${file} ${key}`)
  if (isUsable(key)) return key
  throw new ConfigError(
    `${label}: the key in ${file} is of another kind: give one of ${KEY_KINDS}; to make one: ${MAKE_A_KEY}`,
  )
}

/** Warns where the firmware is named after another version than the result. */
export function warnOfVersion(statement: Statement, { stderr }: Terminal): void {
  const warning = otherVersion(statement)
  if (warning) stderr.write(`core-conformance: warning: ${inert(warning)}\n`)
}

/** Returns the claims of an attestation, and what it does not claim, as text for people. */
export function claimsText(claimed: readonly string[]): string {
  const lines = (sentences: readonly string[]) => sentences.map(sentence => `  ${inert(sentence)}\n`).join('')
  return `It claims:\n${lines(claimed)}It does not claim:\n${lines(NO_CLAIMS)}`
}

/** Reads the evidence in a file. Reads the results of a fleet one after another, so that memory holds one at a time. */
export async function evidenceIn(file: string): Promise<Evidence> {
  if (!isFleetFile(file)) {
    const result = await readResult(file)
    const { verdict, reason } = result
    return { verdict, reason, files: [{ name: basename(file), sha256: await sha256(file), tested: testedOf(result) }] }
  }
  const { verdict, reason, cores } = await readFleet(file)
  const files: Evidence['files'] = [{ name: basename(file), sha256: await sha256(file) }]
  for (const { name } of cores) {
    const path = join(dirname(file), name, RESULT_FILE)
    const result = await readResult(path)
    files.push({ name: `${name}/${RESULT_FILE}`, sha256: await sha256(path), tested: testedOf(result, name) })
  }
  return { verdict, reason, files }
}

/**
 * Computes the SHA-256 of a file. Reads the file in pieces, so it may be larger than memory.
 * @throws ConfigError if the path is no file, or cannot be read
 */
export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    if (!(await stat(path)).isFile()) throw new ConfigError(`${path} cannot be used: it is no file`)
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${path} cannot be used: ${systemReason(error, 'file')}`)
  }
  return hash.digest('hex')
}
