/** Writes the settings that `doctor` found into the configuration file. Keeps everything else in the file. */
import { existsSync } from 'node:fs'
import { type Document, isMap, parseDocument, stringify } from 'yaml'
import { readConfigFile } from '../../config/file.js'
import type { Fitting } from '../../doctor/finding.js'
import { MOST_FILE_BYTES, readRegular } from '../../ground/file.js'
import { writeWhole } from '../../report/write.js'

/** Settings that exclude each other. */
const TRUST = ['fingerprint', 'ca-file', 'insecure']

const HEAD = `# Cores by name, for core-conformance. A password has no place in it: set CORE_PASSWORD.
# yaml-language-server: $schema=node_modules/core-conformance/contracts/config.schema.json
`

/** Returns the part of a configuration file that is about this Core. */
export function targetText(name: string, fitting: Fitting): string {
  return stringify({ targets: { [name]: fitting } })
}

/** Returns a configuration file with only this Core. */
export function newConfigText(name: string, fitting: Fitting): string {
  return `${HEAD}${targetText(name, fitting)}`
}

/**
 * Writes the settings of a Core into the configuration file. Creates the file if it does not exist.
 * @param path the path, as the user would write it
 * @returns whether the file existed
 * @throws ConfigError if the existing file is no configuration file; Error if the file cannot be written
 */
export async function writeTarget(path: string, name: string, fitting: Fitting): Promise<boolean> {
  if (!existsSync(path)) {
    await writeWhole(path, newConfigText(name, fitting), undefined)
    return false
  }
  // Report mistakes in the file before changing it. Nothing uses its values here, so no value counts as a path.
  readConfigFile(path, path, undefined, () => false)
  const document = parseDocument(readRegular(path, MOST_FILE_BYTES).toString('utf8'))
  setTarget(document, name, fitting)
  await writeWhole(path, document.toString(), undefined)
  readConfigFile(path, path, undefined, () => false)
  return true
}

function setTarget(document: Document, name: string, fitting: Fitting): void {
  const path = ['targets', name]
  if (!isMap(document.getIn(path))) {
    document.setIn(path, document.createNode(fitting))
    return
  }
  const isTrusted = TRUST.some(key => key in fitting)
  for (const key of TRUST) if (isTrusted && !(key in fitting)) document.deleteIn([...path, key])
  for (const [key, value] of Object.entries(fitting)) document.setIn([...path, key], value)
}
