import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { LogonRequest, LogonResponse } from 'core-conformance/api'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'
import { assertExamplesValid, type Loose, walk } from './support/openapi.js'
import { SUITE } from './support/suite-run.js'

const test = suite('OpenAPI')

const PACKAGE = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, PACKAGE), 'utf8')
const document: Loose = parse(read('contracts/openapi.yaml'))
const operations: [string, Loose][] = Object.entries<Loose>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]): [string, Loose] => [`${method.toUpperCase()} ${path}`, operation]),
)

test('its example validates; npm run lint lints it', () => assert.is(assertExamplesValid(document), 1))

test('describes the endpoints of the reference, and the server by its variable', () => {
  assert.equal(
    operations.map(([name]) => name),
    ['POST /api/v0/logon', 'DELETE /api/v0/logon', 'GET /api/v0/cores/self/users'],
  )
  assert.is(document.servers[0].url, 'https://{core-ip}')
  // The schema of swagger-parser forbids a description there; tools/openapi-tools.sh tries the other tools.
  assert.equal(Object.keys(document.servers[0].variables['core-ip']), ['default'])
  const { type, scheme, bearerFormat } = document.components.securitySchemes.bearer
  assert.equal([type, scheme, bearerFormat], ['http', 'bearer', undefined])
  assert.equal(document.security, [{ bearer: [] }])
  assert.equal(
    operations.map(([, { security }]) => security),
    [[], undefined, undefined],
  )
})

test('invents nothing: 406 is the only status, and no answer has a field', () => {
  for (const [name, { responses }] of operations) {
    assert.equal(responses['406'], { $ref: '#/components/responses/HostMissing' }, name)
    for (const [status, response] of Object.entries<Loose>(responses)) {
      assert.ok(['406', '4XX', 'default'].includes(status), `${name} ${status}`)
      if (status !== '406') assert.match(response.description, /reference shows neither\s+status nor body/)
      for (const [type, { schema }] of Object.entries<Loose>(response.content ?? {})) {
        assert.is(type, '*/*')
        const {
          title,
          description,
          'x-requirements': _,
          ...rest
        } = document.components.schemas[schema.$ref.split('/').at(-1)]
        assert.match(description, /not shown in the reference/, title)
        assert.equal(rest, {}, title)
      }
    }
  }
  assert.is(document.components.responses.HostMissing.content, undefined)
  walk(document, '', part => assert.not('x-observed' in part))
})

test('each operation names its requirements, and each of them is in the ledger', () => {
  const named = new Set<string>()
  walk(document, '', (part, path) => {
    for (const id of part['x-requirements'] ?? []) {
      assert.ok(SUITE.requirements.has(id), `${path}: ${id}`)
      named.add(id)
    }
  })
  for (const [name, operation] of operations) assert.ok(operation['x-requirements'].length > 3, name)
  // Statements about the API that are missing here do not concern clients.
  const leftOpen = [...SUITE.requirements.values()].filter(({ id, level }) => level === undefined && !named.has(id))
  assert.equal(leftOpen, [])
})

const schema = JSON.parse(read('contracts/authentication-api.schema.json'))
const ajv = new Ajv2020({ strict: true })
ajv.addSchema(schema)
const isLogon = ajv.compile({ $ref: `${schema.$id}#/$defs/LogonRequest` })

test('the JSON Schema takes what the reference shows of a logon, and no less', () => {
  const right: LogonRequest = { username: 'admin', password: '' }
  assert.ok(isLogon(right))
  for (const wrong of [
    {},
    [],
    null,
    'admin',
    { username: 'admin' },
    { password: 'p' },
    { username: 'admin', password: null },
    { username: 'admin', password: 0 },
    { username: 'admin', password: ['p'] },
    { username: 1, password: 'p' },
  ]) {
    assert.not(isLogon(wrong), JSON.stringify(wrong))
  }
  const isAnswer = ajv.compile({ $ref: `${schema.$id}#/$defs/LogonResponse` })
  const answers: LogonResponse[] = [{ token: 'a' }, { data: { bearer: 'a' } }, ['a'], 'a']
  for (const answer of answers) assert.ok(isAnswer(answer))
})

long(test)('the JSON Schema and the types are those of the document', () => {
  const folder = makeFolder()
  execFileSync(process.execPath, [fileURLToPath(new URL('tools/compile-api.mjs', PACKAGE)), folder])
  for (const file of ['contracts/authentication-api.schema.json', 'src/api.ts']) {
    assert.is(readFileSync(join(folder, file), 'utf8'), read(file), `${file}: npm run api`)
  }
})

test('the types are what the package exports, with their descriptions', () => {
  assert.is(import.meta.resolve('core-conformance/api'), new URL('dist/api.js', PACKAGE).href)
  assert.is(
    import.meta.resolve('core-conformance/contracts/openapi.yaml'),
    new URL('contracts/openapi.yaml', PACKAGE).href,
  )
  assert.match(read('dist/api.d.ts'), /The credentials of a user of the Core\.\s+\*\/\s+export type LogonRequest = \{/)
  // @ts-expect-error: both fields are required strings
  const wrong: LogonRequest = { username: 'admin' }
  assert.not(isLogon(wrong))
})

test.run()
