import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { knownKinds } from '../dist/explore/kinds.js'
import { coverage } from '../dist/suite/coverage.js'
import type { Requirement, Suite } from '../dist/suite/spec.js'
import { SUITE } from './support/suite-run.js'

const test = suite('coverage of the reference')
const folder = fileURLToPath(new URL('../specs', import.meta.url))

const uncovered = (of: Pick<Suite, 'requirements' | 'specs'>) =>
  coverage(of)
    .filter(({ covered }) => !covered)
    .map(({ requirement }) => requirement.id)

test('every statement that can be tested is tested', () => {
  assert.equal(uncovered(SUITE), [])
})

test('the code names no statement that is not in the ledger', () => {
  const ids = new Set(SUITE.requirements.keys())
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
  const explored = [...SUITE.requirements.values()].filter(({ level, id }) => level === 'must' && id !== 'OPEN-1')
  const unknown = explored.filter(({ id }) => knownKinds(new Set([id])).size === 0).map(({ id }) => id)
  assert.equal(unknown, [], 'name them in src/explore/kinds.ts')
})

test('what each must statement means with access control off is decided, with its reason, and specs keep to it', () => {
  const open = SUITE.specs.filter(({ accessControl }) => accessControl === 'off')
  const levels = (id: string) =>
    new Set(open.filter(({ requirements }) => requirements.some(each => each.id === id)).map(({ level }) => level))
  for (const { id, level = 'must', open: decided } of SUITE.requirements.values()) {
    if (level !== 'must') continue
    assert.ok(decided?.reason, id)
    assert.equal([...levels(id)], decided.level === 'excluded' ? [] : [decided.level], id)
  }
})

test('a must statement that specs only observe is not covered', () => {
  const requirement: Requirement = { id: 'X-1', section: 'Anywhere', text: 'Something holds.' }
  const [spec] = SUITE.specs
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
