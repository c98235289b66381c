import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { assertSecretless, cli, FEW, inFolder, withCore } from './cli-support.js'
import { long } from './support/long.js'
import { assertExamplesValid, assertLintsClean } from './support/openapi.js'

const test = suite('contracts openapi')

const COMMAND = ['contracts', 'openapi']

long(test)('from a run against a Core of its own kind to a document, without a secret', () =>
  withCore({}, async (core, folder) => {
    const only = `${FEW},observe-logon,observe-revocation,observe-no-token`
    const args = ['run', '--profile', 'quick', '--only', only]
    assert.is((await cli(args, { cwd: folder, env: core.env })).code, 0)

    const printed = await cli(COMMAND, { cwd: folder })
    assert.equal([printed.code, printed.stderr], [0, ''])
    const written = await cli([...COMMAND, '--out', 'client/core.json'], { cwd: folder })
    assert.equal([written.code, written.stdout, written.stderr], [0, '', 'OpenAPI: client/core.json\n'])
    const json = readFileSync(join(folder, 'client', 'core.json'), 'utf8')
    assert.equal(parse(printed.stdout), JSON.parse(json))
    assert.is((await cli(COMMAND, { cwd: folder })).stdout, printed.stdout, 'the same bytes again')
    assert.is((await cli([...COMMAND, '--json'], { cwd: folder })).stdout, json)

    const document = parse(printed.stdout)
    const { post, delete: revoke } = document.paths['/api/v0/logon']
    const { get } = document.paths['/api/v0/cores/self/users']
    assert.equal(post['x-observed'], { logon: 200, 'logon-wrong-password': 401, 'missing-host': 406 })
    assert.equal(revoke['x-observed'], { revocation: 204 })
    assert.equal(get['x-observed'], { access: 200, 'no-token': 401, 'unknown-token': 401 })
    const { LogonResponse, BearerToken, Users } = document.components.schemas
    assert.equal(LogonResponse.properties.session.required, ['token'])
    assert.is(BearerToken.maxLength, core.tokens[0]?.length)
    assert.equal(Users.items.required, ['name'])
    assert.not('content' in revoke.responses['204'])

    assertExamplesValid(document)
    assertLintsClean({ 'core.yaml': printed.stdout, 'core.json': json })
    assertSecretless([printed.stdout, json], core.secrets)
  }),
)

test('a result that is foreign: one line without its words, exit 2, nothing written', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'other.json'), 'CORE_PASSWORD=kanari')
    const args = [...COMMAND, '--from', 'other.json', '--out', 'core.yaml']
    const { code, stdout, stderr } = await cli(args, { cwd: folder })
    assert.equal([code, stdout], [2, ''])
    assert.match(stderr, /^core-conformance: [^\n]+; give it the result\.json that core-conformance run wrote\n$/)
    assert.not.match(stderr, /kanari/)
    assert.not(existsSync(join(folder, 'core.yaml')))
  }))

long(test)('a run that could not test its Core, and an output that cannot be written', () =>
  inFolder(async folder => {
    const env = { CORE_URL: 'https://127.0.0.1:1', CORE_USERNAME: 'a', CORE_PASSWORD: 'kanari-1' }
    assert.is((await cli(['run', '--only', 'access-with-token'], { cwd: folder, env })).code, 3)
    const { stdout } = await cli(COMMAND, { cwd: folder, code: 0 })
    assert.is(parse(stdout).info['x-observed'].verdict, 'untestable')
    assertLintsClean({ 'core.yaml': stdout })
    const refused = await cli([...COMMAND, '--out', 'reports'], { cwd: folder, code: 3 })
    assert.match(
      refused.stderr,
      /^core-conformance: Cannot write reports: a folder of that name is in the way\. [^\n]+\n$/,
    )
  }),
)

test.run()
