import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { CoverageRecord } from '../dist/result.js'
import { assertUsage, cli, inFolder } from './cli-support.js'
import { long } from './support/long.js'

const test = suite('list')

interface Listed {
  id: string
  area?: string
  level?: string
  specs?: string[]
}

test('lists specs by area for people, within 80 columns', () =>
  inFolder(async folder => {
    const { code, stdout, stderr } = await cli(['list'], { cwd: folder })
    assert.equal([code, stderr], [0, ''])
    assert.match(
      stdout,
      /^access\n {2}access-with-token +must +ACCESS-2\n {4}a request with a valid token is accepted\n/,
    )
    assert.match(stdout, /\n\d+ specs in \d+ areas\n$/)
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
  }))

long(test)('--only, --specs and --json: the same selection as that of a run, for programs', () =>
  inFolder(async folder => {
    mkdirSync(join(folder, 'mine'))
    writeFileSync(
      join(folder, 'mine', 'vendor.yaml'),
      'area: vendor\nspecs:\n  - id: vendor-open\n    title: "\\e[31mours"\n    requirements: [ACCESS-2]\n    steps:\n      - { logon: a, tests: ACCESS-2 }\n',
    )
    const args = ['list', '--specs', 'mine', '--only', 'access-with-token,vendor']
    const listed = JSON.parse((await cli([...args, '--json'], { cwd: folder })).stdout) as Listed[]
    const areas = listed.map(({ id, area }) => [id, area])
    assert.equal(areas, [
      ['access-with-token', 'access'],
      ['vendor-open', 'vendor'],
    ])
    // The text of a spec file cannot command the terminal.
    assert.match((await cli(args, { cwd: folder })).stdout, /␛\[31mours/)
  }),
)

test('--requirements: every statement of the reference is covered, or says why not', () =>
  inFolder(async folder => {
    const { stdout } = await cli(['list', '--requirements'], { cwd: folder, code: 0 })
    assert.match(stdout, /\n\d+ statements: \d+ covered, \d+ excluded, 0 not covered\n$/)
    const listed = JSON.parse((await cli(['list', '--requirements', '--json'], { cwd: folder })).stdout) as Listed[]
    for (const { id, level, specs } of listed) assert.is(specs?.length === 0, level === 'excluded', id)
  }))

test('--coverage: what a run sends, and what results add up to', () =>
  inFolder(async folder => {
    const covered = async (...args: string[]) => {
      const { code, stdout, stderr } = await cli(['list', '--coverage', '--json', ...args], { cwd: folder })
      assert.equal([code, stderr], [0, ''])
      return JSON.parse(stdout) as { id: string; covered: CoverageRecord }[]
    }
    const selection = ['--profile', 'quick', '--only', 'variations-valid-token']
    const run = (seed: string) => {
      const args = ['--explore', '0', '--seed', seed, '--out', `results/${seed}`, '--reporter', 'json']
      return cli(['run', ...selection, ...args], { cwd: folder, code: 0 })
    }
    const of = (rows: Awaited<ReturnType<typeof covered>>) => rows.find(({ id }) => id === 'ACCESS-2')?.covered
    const planned = of(await covered(...selection, '--seed', '1'))
    for (const seed of ['1', '2']) await run(seed)
    const [first, both] = [of(await covered('results/1/result.json')), of(await covered('results'))]
    // The mock Core takes every variation of it.
    assert.equal(first, planned)
    assert.equal(both?.variations, first?.variations)
    assert.ok(Number(both?.pairs.judged) > Number(first?.pairs.judged), 'another seed meets other pairs')
    assert.is(both?.pairs.of, first?.pairs.of)
    const { stdout } = await cli(['list', '--coverage', 'results'], { cwd: folder })
    assert.match(stdout, /^Judged by 2 results of \d{4}-\d\d-\d\d, all together: \d+ of \d+ variations/)
    assert.match(stdout, /\nACCESS-2 +\d+ of \d+ +\d+ of \d+ +\d+ of \d+/)
    mkdirSync(join(folder, 'empty'))
    for (const [args, told] of [
      [['results'], /results are read with --coverage only/],
      [['--coverage', 'empty'], /there is no result\.json in empty/],
      [['--coverage', 'nowhere'], /nowhere cannot be used as the result of a run: there is no such file/],
    ] as const)
      assertUsage(await cli(['list', ...args], { cwd: folder }), told)
  }))

test('what cannot be selected is exit 2, by the name of where it was said', () =>
  inFolder(async folder => {
    const told = /^core-conformance: CORE_ONLY: no spec and no area is called 'hots'; did you mean 'host'\?\n$/
    assertUsage(await cli(['list'], { cwd: folder, env: { CORE_ONLY: 'hots' } }), told)
  }))

test.run()
