/** Writes the settings that `doctor` found into the configuration file. Keeps everything else in the file. */
import { existsSync } from 'node:fs'
import { Document, isMap, parseDocument, type YAMLMap } from 'yaml'
import { TRUST_FLAGS } from '../../config/command.js'
import { readConfigFile } from '../../config/file.js'
import type { Fitting } from '../../doctor/finding.js'
import { MOST_FILE_BYTES, readRegular } from '../../ground/file.js'
import { writeWhole } from '../../report/write.js'

/** Keeps a long line of the user's as it is. */
const WIDE = { lineWidth: 0 }

/** The comment before a fingerprint that nobody has compared yet. */
const TO_COMPARE = [
  ' The next line is what answered, and nobody has compared it. Read the SHA-256 of the certificate at the Core itself,',
  ' or ask who set it up. Take the # away only where both are the same:',
]
/** The comment in the place of a user name. */
const NO_USER = ' username: write here who logs on and take the # away, or set CORE_USERNAME'
/** The comment about a certificate, with its fingerprint, within a comment of the user's own. */
const NOTE = new RegExp(`\\n?${TO_COMPARE.join('\n')}\\n fingerprint: [0-9A-F:]*`)

const HEAD = `# Cores by name, for core-conformance. A password has no place in it: set CORE_PASSWORD.
# yaml-language-server: $schema=node_modules/core-conformance/contracts/config.schema.json
`

/** The part of a configuration file about one Core. */
export interface TargetPart {
  name: string
  fitting: Fitting
  /** See `Diagnosis.uncompared`. It gets a comment: a pin is for a certificate that somebody has compared. */
  uncompared?: string
  /** Whether to say in a comment that the user name is missing. */
  lacksUser?: boolean
}

/** Returns the part of a configuration file that is about this Core. */
export function targetText(part: TargetPart): string {
  const document = new Document({})
  setTarget(document, part)
  return document.toString(WIDE)
}

/** Returns a configuration file with only this Core. */
export function newConfigText(part: TargetPart): string {
  return `${HEAD}${targetText(part)}`
}

/**
 * Writes the settings of a Core into the configuration file. Creates the file if it does not exist.
 * @param path the path, as the user would write it
 * @returns whether the file existed
 * @throws ConfigError if the existing file is no configuration file; Error if the file cannot be written
 */
export async function writeTarget(path: string, part: TargetPart): Promise<boolean> {
  if (!existsSync(path)) {
    await writeWhole(path, newConfigText(part), undefined)
    return false
  }
  // Report mistakes in the file before changing it. Nothing uses its values here, so no value counts as a path.
  readConfigFile(path, path, undefined, () => false)
  const document = parseDocument(readRegular(path, MOST_FILE_BYTES).toString('utf8'))
  setTarget(document, part)
  await writeWhole(path, document.toString(WIDE), undefined)
  readConfigFile(path, path, undefined, () => false)
  return true
}

function setTarget(document: Document, { name, fitting, uncompared, lacksUser }: TargetPart): void {
  const path = ['targets', name]
  if (!isMap(document.getIn(path))) document.setIn(path, document.createNode({}))
  const target = document.getIn(path) as YAMLMap
  // Between braces, neither a first setting nor one whose # is taken away has a line of its own.
  if (!target.items.length || uncompared !== undefined) target.flow = false
  const isTrusted = TRUST_FLAGS.some(key => key in fitting)
  for (const key of TRUST_FLAGS) if (isTrusted && !(key in fitting)) target.delete(key)
  for (const [key, value] of Object.entries(fitting)) target.set(key, value)
  const lines = target.comment?.replace(NOTE, '').split('\n') ?? []
  const kept = lines.filter(line => line && !(line === NO_USER && 'username' in fitting))
  if (lacksUser) kept.push(NO_USER)
  if (uncompared !== undefined) kept.push(...TO_COMPARE, ` fingerprint: ${uncompared}`)
  target.comment = kept.join('\n') || null
}
