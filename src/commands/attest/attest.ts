import { createHash, createPublicKey } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { keyIdOf, sealed } from '../../attest/dsse.js'
import { type Evidence, refusal, type Statement, statementOf } from '../../attest/statement.js'
import { testedOf } from '../../attest/tested.js'
import { claims, NO_CLAIMS, otherVersion } from '../../attest/words.js'
import type { Settings } from '../../config/settings.js'
import { ConfigError } from '../../ground/config-error.js'
import { isFleetFile, readFleet } from '../../report/fleet/read.js'
import { inert } from '../../report/inert.js'
import { readResult } from '../../report/read.js'
import { RESULT_FILE } from '../../report/reporters.js'
import { createFolder, writeWhole } from '../../report/write.js'
import { systemReason } from '../../suite/problem.js'
import type { Terminal } from '../../terminal.js'
import { ATTESTATION_FILE, attestConfig } from './config.js'

/**
 * `core-conformance attest`: signs the result of a run or a fleet for a firmware, with every verdict.
 * @returns the exit code: 0 once the attestation is written
 * @throws ConfigError or ResultFileError for a result that cannot be attested; Error if the attestation cannot be written
 */
export async function attest(settings: Settings, terminal: Terminal): Promise<number> {
  const { from, outDir, subject, privateKey } = attestConfig(settings)
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

/** Warns where the firmware is named after another version than the result. */
export function warnOfVersion(statement: Statement, { stderr }: Terminal): void {
  const warning = otherVersion(statement)
  if (warning) stderr.write(`core-conformance: warning: ${inert(warning)}\n`)
}

/**
 * Returns the claims of an attestation, and what it does not claim, as text for people.
 * @param claimed the claims, in sentences
 */
export function claimsText(claimed: readonly string[]): string {
  const lines = (sentences: readonly string[]) => sentences.map(sentence => `  ${inert(sentence)}\n`).join('')
  return `It claims:\n${lines(claimed)}It does not claim:\n${lines(NO_CLAIMS)}`
}

/**
 * Reads the evidence in a file. Reads the results of a fleet one after another, so that memory holds one at a time.
 * @param file a result file or a fleet file
 * @throws ConfigError or ResultFileError for a file that cannot be used
 */
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
 * @returns 64 lower-case hex digits
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
