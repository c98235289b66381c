import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cli, inFolder } from './cli-support.js'
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
    assert.equal(
      listed.map(({ id, area }) => [id, area]),
      [
        ['access-with-token', 'access'],
        ['vendor-open', 'vendor'],
      ],
    )
    // The text of a spec file cannot command the terminal.
    assert.match((await cli(args, { cwd: folder })).stdout, /␛\[31mours/)
  }),
)

test('--requirements: every statement of the reference is covered, or says why not', () =>
  inFolder(async folder => {
    const { code, stdout } = await cli(['list', '--requirements'], { cwd: folder })
    assert.is(code, 0, stdout)
    assert.match(stdout, /\n\d+ statements: \d+ covered, \d+ excluded, 0 not covered\n$/)
    const listed = JSON.parse((await cli(['list', '--requirements', '--json'], { cwd: folder })).stdout) as Listed[]
    for (const { id, level, specs } of listed) assert.is(specs?.length === 0, level === 'excluded', id)
  }))

test('what cannot be selected is exit 2, by the name of where it was said', () =>
  inFolder(async folder => {
    const { code, stdout, stderr } = await cli(['list'], { cwd: folder, env: { CORE_ONLY: 'hots' } })
    assert.equal([code, stdout], [2, ''])
    assert.is(stderr, "core-conformance: CORE_ONLY: no spec and no area is called 'hots'; did you mean 'host'?\n")
  }))

test.run()
