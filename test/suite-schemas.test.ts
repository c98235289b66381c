import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { schemaErrors } from '../dist/suite/schema.js'

const test = suite('the schemas')

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Schema = { [key: string]: Json }

const FOLDER = new URL('../contracts/', import.meta.url)
const NAMES = ['baseline', 'config', 'diff', 'fleet', 'pins', 'requests', 'requirements', 'result', 'spec'] as const
/** All of ajv's strict mode, except that a fact may have several types. */
const STRICT = {
  strict: true,
  strictTypes: true,
  strictTuples: true,
  strictRequired: true,
  allowUnionTypes: true,
} as const
const schemas = new Map(
  NAMES.map(name => [name, JSON.parse(readFileSync(new URL(`${name}.schema.json`, FOLDER), 'utf8')) as Schema]),
)

const isSchema = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Keywords that only add a condition to properties described elsewhere. */
const CONDITIONS = ['if', 'then', 'else', 'allOf']

/** Returns every named schema in a schema, with its path: definitions and properties, at any depth. */
function named(schema: Schema, path = ''): [path: string, schema: Schema][] {
  return Object.entries(schema).flatMap(([key, value]) => {
    if (CONDITIONS.includes(key)) return []
    const groups = ['properties', '$defs']
    if (groups.includes(key) && isSchema(value)) {
      return Object.entries(value).flatMap(([name, inner]): [string, Schema][] =>
        isSchema(inner) ? [[`${path}/${name}`, inner], ...named(inner, `${path}/${name}`)] : [],
      )
    }
    const inner = Array.isArray(value) ? value : [value]
    return inner.filter(isSchema).flatMap(each => named(each, path))
  })
}

function all(schema: Schema): Schema[] {
  const inner = Object.values(schema).flatMap(value => (Array.isArray(value) ? value : [value]))
  return [schema, ...inner.filter(isSchema).flatMap(all)]
}

test('each schema of contracts/ is tested here', () => {
  const found = readdirSync(FOLDER).filter(name => name.endsWith('.schema.json'))
  for (const name of NAMES) assert.ok(found.includes(`${name}.schema.json`), name)
})

test('they are valid 2020-12, strictly, and compile', () => {
  for (const [name, schema] of schemas) {
    assert.is(schema.$schema, 'https://json-schema.org/draft/2020-12/schema')
    const ajv = new Ajv2020(STRICT)
    assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
    ajv.compile(schema)
  }
})

test('each has its own id with a version, a title and a description', () => {
  for (const [name, { $id, title, description }] of schemas) {
    assert.is($id, `urn:core-conformance:schema:${name}:${name === 'result' ? 2 : 1}`)
    assert.ok(title && description, name)
  }
})

test('editors can explain every key: each has a description, or that of what it refers to', () => {
  for (const [name, schema] of schemas) {
    const found = named(schema)
    assert.ok(found.length > 0)
    for (const [path, { description, $ref }] of found) assert.ok(description ?? $ref, `${name}${path}`)
  }
})

test('what a spec file may not look like is said in words beside each pattern', () => {
  for (const name of ['baseline', 'config', 'spec', 'requests', 'requirements'] as const) {
    const patterns = all(schemas.get(name) ?? {}).filter(({ pattern }) => typeof pattern === 'string')
    assert.ok(patterns.length > 0)
    for (const { pattern, $comment } of patterns) assert.ok($comment, `${name}: ${String(pattern)}`)
  }
})

test('the compiled validators are those of the files', () => {
  const spec = { area: 'a', specs: [{ id: 'a', title: 'b', requirements: ['A-1'], steps: [{ logon: 'a' }] }] }
  assert.equal(schemaErrors('spec', spec), [])
  const errors = schemaErrors('spec', { ...spec, area: 'A' })
  assert.equal(
    errors.map(({ instancePath, keyword }) => [instancePath, keyword]),
    [['/area', 'pattern']],
  )
  const ajv = new Ajv2020({ ...STRICT, allErrors: true })
  const validate = ajv.compile(schemas.get('spec') ?? {})
  assert.not(validate({ ...spec, area: 'A' }))
  assert.equal(
    validate.errors?.map(({ schemaPath }) => schemaPath),
    errors.map(({ schemaPath }) => schemaPath),
  )
})

test.run()
