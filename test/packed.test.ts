/** The program as it is shipped: one file, what V8 made of it kept for the next start, and the licences of what is in it. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { faultPlace } from '../dist/cli.js'
import { ownFolder, readOwn, removeOwn, writeOwn } from '../dist/ground/own-files.js'
import { inFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('the packed program')
const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PROGRAM = join(ROOT, 'dist', 'program.cjs')

/** Starts the program in a folder, and keeps there what it compiles. */
function start(folder: string, args: string[], env: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const options = { cwd: folder, env: { PATH, HOME: folder, XDG_CACHE_HOME: join(folder, 'kept'), ...env } }
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'dist', 'bin.cjs'), ...args], {
    ...options,
    encoding: 'utf8',
    timeout: 240_000,
  })
  assert.is(stderr, '')
  return status
}

const keptIn = (folder: string) => {
  const own = join(folder, 'kept', 'core-conformance')
  return existsSync(own) ? readdirSync(own).map(name => join(own, name)) : []
}
/** It explores, and so loads what is not packed. */
const RUN = ['run', '--only', 'revocation-rejects,idle-expires', '--quiet', '--reporter', 'console,json']

long(test)('what a run compiled is kept for this user alone, used by the next, and made anew where it is damaged', () =>
  inFolder(async folder => {
    start(folder, ['list'])
    start(folder, RUN, { CI: 'true' })
    start(folder, RUN, { NODE_DISABLE_COMPILE_CACHE: '1' })
    assert.equal(keptIn(folder), [])
    assert.is(start(folder, RUN), 0)
    const [file = '', ...others] = keptIn(folder)
    assert.equal(others, [])
    if (process.geteuid) assert.is(statSync(file).mode & 0o777, 0o600)
    const { ino } = statSync(file)
    assert.is(start(folder, RUN), 0)
    assert.is(statSync(file).ino, ino, 'it was used, and so not written again')
    const bytes = readFileSync(file)
    bytes.fill(7, bytes.length / 2)
    writeFileSync(file, bytes)
    assert.is(start(folder, RUN), 0)
    assert.not.equal(readFileSync(file), bytes)
  }),
)

test('nothing is read from where somebody else may write', () =>
  inFolder(async folder => {
    const own = join(folder, 'own')
    assert.is(writeOwn(own, 'name', Buffer.from('code')), true)
    assert.equal(readOwn(own, 'name'), Buffer.from('code'))
    assert.is(readOwn(own, 'other'), undefined)
    assert.is(writeOwn(own, 'gone', Buffer.from('key')), true)
    removeOwn(own, 'gone')
    assert.is(readOwn(own, 'gone'), undefined)
    if (!process.geteuid) return
    chmodSync(own, 0o777)
    assert.is(readOwn(own, 'name'), undefined)
    chmodSync(own, 0o700)
    chmodSync(join(own, 'name'), 0o666)
    assert.is(readOwn(own, 'name'), undefined)
    mkdirSync(join(folder, 'open'))
    chmodSync(join(folder, 'open'), 0o777)
    assert.is(writeOwn(join(folder, 'open'), 'name', Buffer.from('code')), false)
    assert.equal(readdirSync(join(folder, 'open')), [])
  }))

test('a folder that is not named in full is none', () => {
  assert.is(
    ownFolder(() => 'here'),
    undefined,
  )
})

test('nothing is imported by the packed program: with kept code, Node cannot', () => {
  const lines = readFileSync(PROGRAM, 'latin1').split('\n')
  assert.equal(
    lines.filter(line => /(^|[^.\w'`"])import\(/.test(line) && !/^\s*(\/\/|\*)/.test(line)),
    [],
  )
})

test('the place of a fault is told with its module', () => {
  const packed = pathToFileURL(PROGRAM)
  const lines = readFileSync(PROGRAM, 'latin1').split('\n')
  const line = lines.findIndex(text => text.startsWith('async function main('))
  const stack = `Error\n    at main (${PROGRAM}:${line + 1}:9)`
  assert.is(faultPlace(stack, packed), `dist/cli.js, dist/program.cjs:${line + 1}:9`)
  assert.is(faultPlace('    at x (file:///a/dist/core/line.js:7:9)', packed), 'dist/core/line.js:7:9')
  assert.is(faultPlace('Error', packed), 'an unknown place')
})

test('every package of which something is packed comes with its licence', () => {
  const packed = readFileSync(PROGRAM, 'latin1') + readFileSync(join(ROOT, 'dist', 'mock', 'child.js'), 'latin1')
  const names = new Set(
    Array.from(packed.matchAll(/^ *\/\/ (?:.*\/)?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm), ([, name]) => name),
  )
  assert.ok(names.has('pactum') && names.has('preact'))
  const told = readFileSync(join(ROOT, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8')
  const missing = [...names].filter(name => !told.includes(`\n${name} `))
  assert.equal(missing, [])
})

test.run()
