import { dirname } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { toJson, toYaml } from '../../openapi/document.js'
import { observedDocument } from '../../openapi/fill.js'
import { inert } from '../../report/inert.js'
import { readResult } from '../../report/read.js'
import { createFolder, writeWhole } from '../../report/write.js'
import type { Terminal } from '../../terminal.js'
import { CONTRACTS_OPENAPI } from '../shared/declared.js'

/**
 * `core-conformance contracts openapi`: writes the OpenAPI document of a Core as a run observed it, to a file or to stdout.
 */
export async function contractsOpenapi(settings: Settings, { stdout, stderr }: Terminal): Promise<number> {
  const { from, out } = settings.values(CONTRACTS_OPENAPI.settings)
  const document = observedDocument(await readResult(from))
  const comment = 'Made by core-conformance contracts openapi from the result of a run.'
  const text = isJson(settings) ? toJson(document) : toYaml(document, comment)
  if (out === undefined) {
    stdout.write(text)
    return 0
  }
  await createFolder(dirname(out), '--out')
  await writeWhole(out, text, '--out')
  stderr.write(`OpenAPI: ${inert(out)}\n`)
  return 0
}

/** Whether to write JSON. The extension of the file beats the switch, whose variable may be set for other commands. */
export function isJson(settings: Settings): boolean {
  const { out = '', json } = settings.values(CONTRACTS_OPENAPI.settings)
  const extension = /\.(json|ya?ml)$/i.exec(out)?.[1]
  return extension === undefined ? json : extension.toLowerCase() === 'json'
}
