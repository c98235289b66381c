/** Checks every OpenAPI document of ours: it lints clean, and its examples fit its schemas. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as assert from 'uvu/assert'
import { makeFolder } from './folder.js'

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/** Any part of a document. */
// biome-ignore lint/suspicious/noExplicitAny: tests look wherever they want
export type Loose = any

/** Lints texts as `npm run lint` lints the document of contracts/. */
export function assertLintsClean(texts: Record<string, string>): void {
  const folder = makeFolder()
  try {
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text)
    const files = Object.keys(texts).map(name => join(folder, name))
    const program = join(PACKAGE, 'node_modules', '.bin', 'redocly')
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', FORCE_COLOR: '0' }
    const config = `--config=${join(PACKAGE, 'redocly.yaml')}`
    execFileSync(program, ['lint', config, ...files], { cwd: PACKAGE, env, encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    assert.unreachable(`${stdout}\n${stderr}`)
  }
}

/** One for all documents: it takes 0.1 s to compile the schema of schemas. */
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
ajv.addVocabulary(['x-observed', 'x-requirements'])

/**
 * Asserts that every example validates, strictly.
 * @returns the number of examples
 */
export function assertExamplesValid(document: Loose): number {
  const local = (part: unknown) => JSON.parse(JSON.stringify(part).replaceAll('#/components/schemas/', '#/$defs/'))
  const $defs = local(document.components.schemas)
  let count = 0
  const check = (schema: unknown, value: unknown, path: string) => {
    const validate = ajv.compile({ $defs, allOf: [local(schema)] })
    assert.ok(validate(value), `${path}: ${ajv.errorsText(validate.errors)}`)
    count++
  }
  walk(document, '', (part, path) => {
    if (part.schema && part.examples)
      for (const [name, { value }] of Object.entries<Loose>(part.examples)) check(part.schema, value, `${path}/${name}`)
    if (part.schema && 'example' in part) check(part.schema, part.example, path)
    if (part.type && Array.isArray(part.examples)) for (const value of part.examples) check(part, value, path)
  })
  return count
}

/** Calls back with every object of a document, except those in examples. */
export function walk(part: Loose, path: string, use: (part: Loose, path: string) => void): void {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part)) use(part, path)
  for (const [key, value] of Object.entries(part)) {
    if (key !== 'examples' && key !== 'example') walk(value, `${path}/${key}`, use)
  }
}
