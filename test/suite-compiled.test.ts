import { appendFileSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { compile, compiledSuite } from '../dist/suite/compiled.js'
import { loadSuite } from '../dist/suite/load.js'
import { makeFolder } from './support/folder.js'

const test = suite('compiled suite')
const shipped = fileURLToPath(new URL('../specs', import.meta.url))
let folder = ''
const specs = () => join(folder, 'specs')
const file = () => join(folder, 'suite.json')
const load = () => loadSuite([{ path: specs(), label: 'specs' }])

test.before.each(() => {
  folder = makeFolder()
  cpSync(shipped, specs(), { recursive: true })
  writeFileSync(file(), compile(specs(), load()))
})

test('the build compiled the shipped specs', () => {
  const built = compiledSuite(shipped, fileURLToPath(new URL('../dist/suite.json', import.meta.url)))
  assert.equal(built, loadSuite([{ path: shipped, label: 'specs' }]))
})

test('a changed, added or removed file is noticed', () => {
  appendFileSync(join(specs(), 'idle.yaml'), '# changed\n')
  assert.is(compiledSuite(specs(), file()), undefined)
  writeFileSync(file(), compile(specs(), load()))
  assert.ok(compiledSuite(specs(), file()))
  writeFileSync(join(specs(), 'more.yaml'), '')
  assert.is(compiledSuite(specs(), file()), undefined)
  rmSync(join(specs(), 'more.yaml'))
  rmSync(join(specs(), 'observe.yaml'))
  assert.is(compiledSuite(specs(), file()), undefined)
})

test('a missing or broken compiled suite is none', () => {
  writeFileSync(file(), '{')
  assert.is(compiledSuite(specs(), file()), undefined)
  rmSync(file())
  assert.is(compiledSuite(specs(), file()), undefined)
})

test.run()
