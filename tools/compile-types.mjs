/**
 * Makes the JSON Schemas of what this suite writes, and of the files on what is known beforehand, of their types. A comment
 * of a type is its description; a tag of a comment, such as `@minimum 0`, is the keyword of that name; and `@keywords` holds
 * those that have schemas in them. The schemas are checked in; a test sees that they are up to date, by running this with
 * another folder.
 *
 * Usage: node tools/compile-types.mjs [FOLDER]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  AnyType,
  createFormatter,
  createParser,
  createProgram,
  DEFAULT_CONFIG,
  DefinitionType,
  SchemaGenerator,
} from 'ts-json-schema-generator'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = root] = process.argv.slice(2)

/** The type of each format, and the file that declares it. */
const FORMATS = {
  baseline: { type: 'BaselineFile', path: 'known/types.ts' },
  diff: { type: 'Diff', path: 'diff/types.ts' },
  fleet: { type: 'Fleet', path: 'fleet/types.ts' },
  pins: { type: 'PinsFile', path: 'known/types.ts' },
  result: { type: 'RunResult', path: 'result.ts' },
}

/** Types whose schemas are made elsewhere, by `npm run schemas`: their definitions are left as they are checked in. */
const ELSEWHERE = ['ConfigurationRecord']

const config = {
  ...DEFAULT_CONFIG,
  path: join(root, 'src', `{${[...new Set(Object.values(FORMATS).map(({ path }) => path))].join(',')}}`),
  tsconfig: join(root, 'tsconfig.json'),
  extraTags: ['keywords'],
  // The build checks the types. The TypeScript of the generator is older, and need not know all that the project uses.
  skipTypeCheck: true,
  sortProps: false,
  topRef: false,
  encodeRefs: false,
}
/** One reading of the sources for all formats: it is what takes the time. */
const program = createProgram(config)
const elsewhere = {
  supportsNode: ({ typeName }) => ELSEWHERE.includes(typeName?.text),
  createType: ({ typeName }) => new DefinitionType(typeName.text, new AnyType()),
}
const parser = createParser(program, config, chain => chain.addNodeParser(elsewhere))
const generator = new SchemaGenerator(program, parser, createFormatter(config), config)

for (const [name, { type }] of Object.entries(FORMATS)) {
  const path = join('contracts', `${name}.schema.json`)
  const biome = join(root, 'node_modules', '.bin', 'biome')
  const text = execFileSync(biome, ['format', `--stdin-file-path=${path}`], {
    cwd: root,
    input: JSON.stringify(schemaOf(name, generator.createSchema(type))),
    encoding: 'utf8',
  })
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** A schema as it is checked in: in JSON Schema 2020-12, its definitions sorted, and such that ajv takes it in strict mode. */
function schemaOf(name, { $schema: _, definitions, ...whole }) {
  const { title, description, ...rest } = translated(whole)
  const sorted = Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = sorted.map(([key]) => key).filter(key => ELSEWHERE.includes(key))
  const checkedIn =
    names.length > 0 && JSON.parse(readFileSync(join(root, 'contracts', `${name}.schema.json`), 'utf8')).$defs
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:core-conformance:schema:${name}:1`,
    title,
    description,
    ...rest,
    $defs: Object.fromEntries(
      sorted.map(([key, schema]) => [key, names.includes(key) ? checkedIn[key] : translated(schema)]),
    ),
  }
}

/** A schema of the generator, which writes draft 7, in the words of 2020-12. */
function translated(schema) {
  if (Array.isArray(schema)) return schema.map(translated)
  if (typeof schema !== 'object' || schema === null) return schema
  const { description, type, required, properties, keywords, ...rest } = schema
  const isChoice = rest.enum !== undefined || rest.const !== undefined
  return {
    ...(description !== undefined && { description: wordsOf(description) }),
    // A choice says its types itself, and one fault is to be told once.
    ...(type !== undefined && !isChoice && { type }),
    ...(required && { required }),
    ...((required || properties) && { properties: propertiesOf(properties, required) }),
    ...Object.fromEntries(Object.entries(rest).flatMap(([key, value]) => keyword(key, value))),
    ...translated(keywords),
  }
}

/** One keyword with its value, as those that say the same in 2020-12. */
function keyword(key, value) {
  if (key === '$ref') return [[key, value.replace('#/definitions/', '#/$defs/')]]
  // What each element of a tuple is, and that there are no more; the generator says so by `maxItems`, too.
  if (key === 'items' && Array.isArray(value))
    return [
      ['prefixItems', value.map(translated)],
      ['items', false],
    ]
  // Names with lists of names: nothing in it is a schema.
  if (key === 'dependentRequired') return [[key, value]]
  return [[key, translated(value)]]
}

/** The properties of a schema. A condition names those that it requires, as ajv's strict mode asks. */
function propertiesOf(properties = {}, required = []) {
  const described = Object.entries(properties).map(([key, value]) => [key, translated(value)])
  const named = required.filter(key => !Object.hasOwn(properties, key)).map(key => [key, true])
  return Object.fromEntries([...described, ...named])
}

/** A comment as one line of words: a link is the name that it leads to. */
function wordsOf(comment) {
  return comment
    .replace(/\{@link\s+(\S+?)\s*\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .replace(/` (?=[.,;:)])/g, '`')
}
