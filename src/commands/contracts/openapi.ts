import { dirname } from 'node:path'
import type { Settings } from '../../config/settings.js'
import { observedDocument } from '../../openapi/fill.js'
import { toJson, toYaml } from '../../openapi/text.js'
import { inert } from '../../report/inert.js'
import { readResult } from '../../report/read.js'
import { createFolder, writeWhole } from '../../report/write.js'
import type { Terminal } from '../../terminal.js'
import { contractsOpenapiConfig } from './openapi-config.js'

/** Comment at the head of the document: it names the program that makes the file. */
const COMMENT = 'Made by core-conformance contracts openapi from the result of a run.'

/**
 * `core-conformance contracts openapi`: writes the OpenAPI document of a Core as a run observed it, to a file or to stdout.
 * @returns the exit code: 0
 * @throws ConfigError, ResultFileError, or Error if the file cannot be written
 */
export async function contractsOpenapi(settings: Settings, { stdout, stderr }: Terminal): Promise<number> {
  const { from, out, format } = contractsOpenapiConfig(settings)
  const document = observedDocument(await readResult(from))
  const text = format === 'json' ? toJson(document) : toYaml(document, COMMENT)
  if (out === undefined) {
    stdout.write(text)
    return 0
  }
  await createFolder(dirname(out), '--out')
  await writeWhole(out, text, '--out')
  stderr.write(`OpenAPI: ${inert(out)}\n`)
  return 0
}
