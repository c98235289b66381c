/** The examples for client teams in the docs, run as they stand. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMockCore } from 'core-conformance'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { RULES } from '../dist/client/judge-client.js'
import { SCENARIOS } from '../dist/client/scenarios.js'
import { listDefects } from '../dist/mock/index.js'
import { blockOf, PACKAGE, read } from './support/docs.js'
import { inFolder } from './support/folder.js'
import { long } from './support/long.js'
import { needs } from './support/skip.js'

const test = suite('docs for client teams')
const MOCK_CORE = read('docs/mock-core.md')
const CLIENT = read('docs/client.md')
const block = (file: string) => blockOf('mock-core.md', file)

/** Calls back with a project of a client team, in which this package is installed, with the team's own client. */
async function inProject(file: string, client: string, name: string, use: (folder: string) => void): Promise<void> {
  await inFolder(async folder => {
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
    symlinkSync(PACKAGE, join(folder, 'node_modules', 'core-conformance'))
    writeFileSync(
      join(folder, 'node_modules', '.bin', 'core-conformance'),
      `#!/bin/sh\nexec "${process.execPath}" "${join(PACKAGE, 'dist', 'bin.cjs')}" "$@"\n`,
      { mode: 0o755 },
    )
    copyFileSync(join(PACKAGE, 'test', 'fixtures', 'clients', client), join(folder, name))
    writeFileSync(join(folder, file), block(file))
    use(folder)
  })
}

function outputOf(command: string, args: string[], cwd: string): string {
  const { PATH = '' } = process.env
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env: { PATH, HOME: cwd },
    encoding: 'utf8',
    timeout: 240_000,
  })
  assert.is(status, 0, stdout + stderr)
  return stdout + stderr
}

test('with node:test', () =>
  inProject('renewal.test.mjs', 'library.mjs', 'client.mjs', folder => {
    assert.match(outputOf(process.execPath, ['--test', 'renewal.test.mjs'], folder), /pass 1\b/)
  }))

const python = spawnSync('python3', ['--version']).status === 0
const inPython = needs(test, python, 'there is no python3')

inPython('with Python', async () => {
  await inProject('test_renewal.py', 'client.py', 'client.py', folder => {
    assert.match(outputOf('python3', ['-m', 'unittest', 'test_renewal'], folder), /Ran 1 test[\s\S]*OK/)
  })
})

// Vitest and Jest are no dependencies. Only their own functions differ, and tools/consumer.sh tries those.
test('with Vitest and Jest: the same client, the same steps', () => {
  const own = block('renewal.test.mjs')
  for (const shown of [block('renewal.vitest.test.mjs'), block('renewal.jest.test.js')]) {
    for (const line of ['await client.users()', "core.advance('61 min')", 'core.requests.map(']) {
      assert.ok(own.includes(line) && shown.includes(line), line)
    }
  }
})

test('with Jest: the recipe as CommonJS, with stand-ins for its functions', () =>
  inProject('renewal.jest.test.js', 'library.mjs', 'client.mjs', folder => {
    writeFileSync(
      join(folder, 'client.cjs'),
      readFileSync(join(folder, 'client.mjs'), 'utf8')
        .replace("import { request } from 'node:https'", "const { request } = require('node:https')")
        .replace('export class Client', 'exports.Client = class Client'),
    )
    const stage = `const { before, after, test } = require('node:test')
      const { deepEqual } = require('node:assert').strict
      Object.assign(globalThis, { beforeAll: before, afterAll: after, test, expect: got => ({ toEqual: to => deepEqual(got, to) }) })`
    writeFileSync(join(folder, 'stage.cjs'), stage)
    // As by default: the folders above may have another setting.
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }')
    const args = ['--require', './stage.cjs', '--test', 'renewal.jest.test.js']
    assert.match(outputOf(process.execPath, args, folder), /pass 1\b/)
  }))

test('the tables tell every scenario, rule and control endpoint', async () => {
  for (const { name } of SCENARIOS) assert.match(CLIENT, new RegExp(`^\\| .*\`${name}\`.*\\|`, 'm'))
  for (const { id, level } of RULES) assert.match(CLIENT, new RegExp(`\`${id}\`.*\`${level}\``))
  const core = await startMockCore()
  const response = await fetch(core.control.url, { headers: { Authorization: `Bearer ${core.control.key}` } })
  const { message } = (await response.json()) as { message: string }
  await core.close()
  const endpoints = message.match(/(?:GET|POST) \/\w+/g) ?? []
  assert.is(endpoints.length, 10)
  for (const endpoint of endpoints) assert.ok(MOCK_CORE.includes(`\`${endpoint}\``), endpoint)
})

test('the numbers of defects and dialects are those of today', async () => {
  const defects = (await listDefects()).length
  const dialects = readdirSync(join(PACKAGE, 'contracts', 'dialects')).length
  assert.match(MOCK_CORE, `lists all ${defects} `, `docs/mock-core.md: lists all ${defects} defects`)
  assert.match(MOCK_CORE, `has ${dialects} examples`, `docs/mock-core.md: has ${dialects} examples of dialects`)
  assert.match(read('README.md'), `one of ${defects} defects`, `README.md: one of ${defects} defects`)
})

long(inPython)('a client is judged by the shell line', async () => {
  const [, line = ''] = /^```sh\n(.*)\n```$/m.exec(CLIENT) ?? []
  await inProject('renewal.test.mjs', 'client.py', 'my_client.py', folder => {
    const bin = join(folder, 'node_modules', '.bin')
    assert.match(line, /^npx --no core-conformance client .* -- python3 my_client\.py$/)
    assert.match(outputOf('bash', ['-c', `PATH="${bin}:$PATH"; ${line.replace('npx --no ', '')}`], folder), /conforms/i)
  })
})

test.run()
