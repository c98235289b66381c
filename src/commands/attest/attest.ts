import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import { keyIdOf, sealed } from '../../attest/dsse.js'
import { refusal, type Statement, statementOf } from '../../attest/statement.js'
import { claims, NO_CLAIMS, otherVersion } from '../../attest/words.js'
import { ConfigError } from '../../config/error.js'
import type { Settings } from '../../config/settings.js'
import { inert } from '../../report/inert.js'
import { createFolder, writeWhole } from '../../report/write.js'
import type { Terminal } from '../../terminal.js'
import { ATTESTATION_FILE, attestConfig } from './config.js'
import { evidenceIn, sha256 } from './evidence.js'

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
