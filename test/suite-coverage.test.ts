import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { knownKinds } from '../dist/explore/lower.js'
import { coverage } from '../dist/suite/coverage.js'
import { loadSuite } from '../dist/suite/load.js'
import type { Requirement, Suite } from '../dist/suite/spec.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('coverage of the reference')
const folder = fileURLToPath(new URL('../specs', import.meta.url))
const load = (path: string) => loadSuite([{ path, label: 'specs' }])
const shipped = load(folder)

const uncovered = (of: Pick<Suite, 'requirements' | 'specs'>) =>
  coverage(of)
    .filter(({ covered }) => !covered)
    .map(({ requirement }) => requirement.id)

test('every statement that can be tested is tested', () => {
  assert.equal(uncovered(shipped), [])
})

test('the code names no statement that is not in the ledger', () => {
  const ids = new Set(shipped.requirements.keys())
  const src = fileURLToPath(new URL('../src', import.meta.url))
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(name => /\.tsx?$/.test(name))
  const areas = [...new Set([...ids].map(id => id.split('-')[0]))].join('|')
  const named = new RegExp(`'((?:${areas})-\\d+)'`, 'g')
  const strange = files.flatMap(name =>
    [...readFileSync(join(src, name), 'utf8').matchAll(named)]
      .filter(([, id = '']) => !ids.has(id))
      .map(([, id]) => `src/${name}: ${id}`),
  )
  assert.equal(strange, [])
})

test('the explorer leaves out what a broken statement explains, for every statement that it can break', () => {
  // Exploring begins with a logon that is demanded, so it says nothing about a Core with access control off.
  const explored = [...shipped.requirements.values()].filter(({ level, id }) => level === 'must' && id !== 'OPEN-1')
  const unknown = explored.filter(({ id }) => knownKinds(new Set([id])).size === 0).map(({ id }) => id)
  assert.equal(unknown, [], 'name them in src/explore/lower.ts, and in src/explore/finding.ts')
})

test('what each must statement means with access control off is decided, with its reason, and specs keep to it', () => {
  const open = shipped.specs.filter(({ accessControl }) => accessControl === 'off')
  const levels = (id: string) =>
    new Set(open.filter(({ requirements }) => requirements.some(each => each.id === id)).map(({ level }) => level))
  for (const { id, level = 'must', open: decided } of shipped.requirements.values()) {
    if (level !== 'must') continue
    assert.ok(decided?.reason, id)
    assert.equal([...levels(id)], decided.level === 'excluded' ? [] : [decided.level], id)
  }
})

test('what is excluded says why, and no spec claims to test it', () => {
  const excluded = coverage(shipped).filter(({ requirement }) => requirement.level === 'excluded')
  assert.ok(excluded.length > 0)
  for (const { requirement, specs } of excluded) {
    assert.ok(requirement.reason, requirement.id)
    assert.equal(specs, [])
  }
})

long(test)('without any one of the spec files, a statement is left uncovered', () => {
  // One example elsewhere already tests these requirements; the variations look for more.
  const more = ['connections.yaml', 'variations.yaml']
  const files = readdirSync(folder).filter(
    name => /^(?!requests|requirements).*\.yaml$/.test(name) && !more.includes(name),
  )
  assert.ok(files.length >= 6)
  for (const file of files) {
    const copy = makeFolder()
    cpSync(folder, copy, { recursive: true })
    for (const name of more) rmSync(join(copy, name))
    rmSync(join(copy, file))
    assert.not.equal(uncovered(load(copy)), [], file)
  }
})

test('a must statement that specs only observe is not covered', () => {
  const requirement: Requirement = { id: 'X-1', section: 'Anywhere', text: 'Something holds.' }
  const [spec] = shipped.specs
  if (!spec) throw new Error('no specs')
  const requirements = new Map([[requirement.id, requirement]])
  const with_ = (level: 'must' | 'observe') => ({
    requirements,
    specs: [{ ...spec, level, requirements: [requirement] }],
  })
  assert.equal(uncovered(with_('observe')), ['X-1'])
  assert.equal(uncovered(with_('must')), [])
})

test('each section of the reference that states something is in the ledger', () => {
  const text = readFileSync(join(folder, 'requirements.yaml'), 'utf8')
  for (const section of [
    'States and transitions',
    'Endpoints',
    'Authentication',
    'Events',
    'Errors',
    'Limits',
    'Versioning',
  ]) {
    assert.ok(text.includes(`section: ${section}`), section)
  }
})

test.run()
