/**
 * Makes JSON Schemas from types: of the files that this suite writes, and of the files about known facts. The comment of a type
 * is its description. A tag in a comment, such as `@minimum 0`, is the keyword of that name; `@keywords` holds keywords that
 * contain schemas. The schemas are checked in; a test runs this with another folder to see that they are up to date.
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

/** Types whose schemas come from `npm run schemas`: their definitions stay as they are checked in. */
const ELSEWHERE = ['ConfigurationRecord']

const config = {
  ...DEFAULT_CONFIG,
  path: join(root, 'src', `{${[...new Set(Object.values(FORMATS).map(({ path }) => path))].join(',')}}`),
  tsconfig: join(root, 'tsconfig.json'),
  extraTags: ['keywords', 'shared', 'parts'],
  // The build checks the types. The generator's TypeScript is older and may not know every feature that the project uses.
  skipTypeCheck: true,
  sortProps: false,
  topRef: false,
  encodeRefs: false,
}
/** Reads the sources once for all formats, because reading takes most of the time. */
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

/** Makes a schema in its checked-in form: JSON Schema 2020-12, with sorted definitions, valid in ajv's strict mode. */
function schemaOf(name, { $schema: _, definitions, ...whole }) {
  const { title, description, ...rest } = translated(whole)
  const sorted = Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = sorted.map(([key]) => key).filter(key => ELSEWHERE.includes(key))
  const checkedIn =
    names.length > 0 && JSON.parse(readFileSync(join(root, 'contracts', `${name}.schema.json`), 'utf8')).$defs
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:core-conformance:schema:${name}:${name === 'result' ? 2 : 1}`,
    title,
    description,
    ...rest,
    $defs: Object.fromEntries(
      sorted.map(([key, schema]) => [key, names.includes(key) ? checkedIn[key] : translated(schema)]),
    ),
  }
}

/** Translates the generator's draft 7 to 2020-12. */
function translated(schema) {
  if (Array.isArray(schema)) return schema.map(translated)
  if (typeof schema !== 'object' || schema === null) return schema
  if (schema.shared || schema.parts) return shareable(schema)
  const { description, type, required, properties, keywords, ...rest } = schema
  const isChoice = rest.enum !== undefined || rest.const !== undefined
  return {
    ...(description !== undefined && { description: wordsOf(description) }),
    // The members of a choice state their types themselves, so that one fault is reported once.
    ...(type !== undefined && !isChoice && { type }),
    ...(required && { required }),
    ...((required || properties) && { properties: propertiesOf(properties, required) }),
    ...Object.fromEntries(Object.entries(rest).flatMap(([key, value]) => keyword(key, value))),
    ...translated(keywords),
  }
}

/** Translates what may be an index in the table of the file, or, where it has parts, a list of indexes. */
function shareable({ description, shared, parts, ...schema }) {
  const index = { type: 'integer', minimum: 0 }
  const form = parts ? { type: 'array', items: index } : index
  // Entries, since an object with a `then` looks like a promise.
  const choice = [
    ['if', { type: form.type }],
    ['then', form],
    ['else', translated(schema)],
  ]
  return { ...translated({ description }), ...Object.fromEntries(choice) }
}

/** Translates one keyword to those of 2020-12. */
function keyword(key, value) {
  if (key === '$ref') return [[key, value.replace('#/definitions/', '#/$defs/')]]
  // A tuple: the type of each element, and no further elements. The generator also sets `maxItems`.
  if (key === 'items' && Array.isArray(value))
    return [
      ['prefixItems', value.map(translated)],
      ['items', false],
    ]
  // Maps names to lists of names: it holds no schema.
  if (key === 'dependentRequired') return [[key, value]]
  return [[key, translated(value)]]
}

/** Translates the properties of a schema. A condition names the properties that it requires, as ajv's strict mode demands. */
function propertiesOf(properties = {}, required = []) {
  const described = Object.entries(properties).map(([key, value]) => [key, translated(value)])
  const named = required.filter(key => !Object.hasOwn(properties, key)).map(key => [key, true])
  return Object.fromEntries([...described, ...named])
}

/** Returns a comment as one line; a link becomes the name of its target. */
function wordsOf(comment) {
  return comment
    .replace(/\{@link\s+(\S+?)\s*\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .replace(/` (?=[.,;:)])/g, '`')
}
