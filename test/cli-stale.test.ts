/** A run that cannot begin leaves no file that CI would take for its reports. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cli, inFolder } from './cli-support.js'

const test = suite('stale reports')

/** A folder of reports that an earlier run left. */
function leave(folder: string, out: string): void {
  mkdirSync(join(folder, out, 'reproduce'), { recursive: true })
  for (const name of ['junit.xml', 'result.json', 'report.html', 'badge.svg', 'mine.txt'])
    writeFileSync(join(folder, out, name), 'old')
  writeFileSync(join(folder, out, 'reproduce', 'x.sh'), '#!/bin/sh\n# core-conformance: x\n')
}

const left = (folder: string, out: string) =>
  ['junit.xml', 'result.json', 'report.html', 'badge.svg', 'reproduce/x.sh'].filter(name =>
    existsSync(join(folder, out, name)),
  )

const CASES: [what: string, out: string, args: string[], env: Record<string, string>][] = [
  ['an unknown flag', 'reports', ['--tagret', 'x'], {}],
  ['a flag that names the folder', 'out', ['--out', 'out', '--only', 'nothing-of-that-name'], {}],
  ['the same in one word', 'out', ['--out=out', '--tagret', 'x'], {}],
  ['a variable', 'of-env', ['--profile', 'fast'], { CORE_OUT: 'of-env' }],
  ['an empty target', 'reports', [], { CORE_URL: '' }],
]

for (const [what, out, args, env] of CASES) {
  test(`in CI nothing old is left after exit 2: ${what}`, () =>
    inFolder(async folder => {
      leave(folder, out)
      const inCi = { ...env, ...(out === 'of-env' ? { JENKINS_URL: 'https://jenkins.example' } : { CI: 'true' }) }
      const { code } = await cli(['run', ...args], { cwd: folder, env: inCi })
      assert.is(code, 2)
      assert.equal(left(folder, out), [])
      assert.ok(existsSync(join(folder, out, 'mine.txt')), 'what is not ours stays')
    }))
}

test('on a machine of somebody’s own a slip costs no report', () =>
  inFolder(async folder => {
    leave(folder, 'reports')
    for (const env of [{}, { CI: 'false' }, { CI: '' }]) {
      const { code } = await cli(['run', '--tagret', 'x'], { cwd: folder, env })
      assert.is(code, 2)
      assert.is(left(folder, 'reports').length, 5)
    }
  }))

test('reports of a run that is to be resumed stay, and so do those of another command', () =>
  inFolder(async folder => {
    leave(folder, 'reports')
    assert.is((await cli(['list', '--tagret'], { cwd: folder, env: { CI: 'true' } })).code, 2)
    assert.is(left(folder, 'reports').length, 5)
    writeFileSync(join(folder, 'reports', 'journal.ndjson'), 'not to be read\n')
    assert.is((await cli(['run', '--tagret', 'x'], { cwd: folder, env: { CI: 'true' } })).code, 2)
    assert.is(left(folder, 'reports').length, 5)
  }))

test.run()
