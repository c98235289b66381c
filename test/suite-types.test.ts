/** The schemas that are made from types: up to date, and as strict as the types. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { coreWithout } from '../dist/fleet/core.js'
import { fleetOf } from '../dist/fleet/fleet.js'
import { PROFILES } from '../dist/result.js'
import { schemaErrors } from '../dist/suite/schema.js'
import * as samples from './fixtures/results/samples.js'
import { makeFolder } from './support/folder.js'
import { long } from './support/long.js'

const test = suite('schemas of types')
const ROOT = join(import.meta.dirname, '..')

long(test)('the schemas are those of the types', () => {
  const folder = makeFolder()
  execFileSync(process.execPath, [join(ROOT, 'tools', 'compile-types.mjs'), folder])
  for (const name of ['baseline', 'diff', 'fleet', 'pins', 'result']) {
    const path = join('contracts', `${name}.schema.json`)
    assert.is(
      readFileSync(join(folder, path), 'utf8'),
      readFileSync(join(ROOT, path), 'utf8'),
      `${path}: npm run types`,
    )
  }
})

test('a token in a cookie is as good a place as one in the body or a header', () => {
  const at = (pointer: string) => {
    const { dialect, ...run } = samples.conformant
    const place = { pointer, length: 64, alphabet: 'hex (lower case)' }
    return schemaErrors('result', JSON.parse(JSON.stringify({ ...run, dialect: { ...dialect, token: place } })))
  }
  for (const pointer of ['', '/token', '/a~1b/0', 'header:x-token', 'cookie:SID', 'cookie:__Host-sid']) {
    assert.equal(at(pointer), [], pointer)
  }
  for (const pointer of ['token', '/a~2', 'header:X-Token', 'header:', 'cookie:', 'cookie:a=b', 'cookie:a b']) {
    assert.not.equal(at(pointer), [], pointer)
  }
})

test('a fleet is one of any profile that a run may have', () => {
  const startedAt = '2026-01-01T00:00:00.000Z'
  for (const profile of PROFILES) {
    const configuration = { profile, idleLifetimeMs: 5000, accessControl: 'on' as const, only: [] }
    const head = { name: 'lab-1', url: 'https://10.0.0.5', configuration }
    const core = coreWithout(head, { verdict: 'nonconformant', reason: 'of old' }, startedAt)
    const suite = { name: 'core-conformance', version: '0.1.0', specsDigest: 'ab'.repeat(32) } as const
    const fleet = fleetOf({ suite, cores: [core], startedAt, durationMs: 0, reports: [], requirements: [] })
    assert.equal(schemaErrors('fleet', JSON.parse(JSON.stringify(fleet))), [], profile)
  }
})

test.run()
