/**
 * Converts contracts/openapi.yaml for client teams: its schemas to a JSON Schema, contracts/authentication-api.schema.json, and
 * its types to src/api.ts. Both are checked in; a test runs this with another folder to see that they are up to date.
 *
 * Usage: node tools/compile-api.mjs [FOLDER]
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = root] = process.argv.slice(2)
const source = join(root, 'contracts', 'openapi.yaml')

/** Runs a program of node_modules without its news and its telemetry. */
function run(name, args, input) {
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' }
  const program = join(root, 'node_modules', '.bin', name)
  return execFileSync(program, args, { cwd: root, env, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] })
}

function write(path, text) {
  const formatted = run('biome', ['format', `--stdin-file-path=${path}`], text)
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), formatted)
}

/** Turns the schemas of an OpenAPI document into definitions. Drops its extensions, which are no keywords of JSON Schema. */
function definitionsOf({ components, info }) {
  const $defs = JSON.parse(JSON.stringify(components.schemas), (key, value) => {
    if (key.startsWith('x-')) return undefined
    return key === '$ref' ? value.replace('#/components/schemas/', '#/$defs/') : value
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:core-conformance:schema:authentication-api:1',
    title: info.title,
    description: 'The bodies of the API. Made of contracts/openapi.yaml by `npm run api`.',
    $defs,
  }
}

/** Makes the types of its schemas. Leaves out the client, which is useless before its statuses are known. */
function typesOf() {
  const temporary = mkdtempSync(join(tmpdir(), 'core-conformance-api-'))
  try {
    const output = join(temporary, 'api.ts')
    run('redocly', ['generate-client', source, '--output', output, '--output-mode', 'split'])
    const types = readFileSync(join(temporary, 'api.schemas.ts'), 'utf8')
    const start = types.indexOf('/**')
    return `// Made of contracts/openapi.yaml by \`npm run api\`; not to be edited.\n\n${types.slice(start)}`
  } finally {
    rmSync(temporary, { recursive: true })
  }
}

const document = parse(readFileSync(source, 'utf8'))
write('contracts/authentication-api.schema.json', JSON.stringify(definitionsOf(document), null, 2))
write('src/api.ts', typesOf())
