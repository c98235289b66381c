/** Reports that cannot be written: each is named, the others are written, and the exit code shows the loss. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { renderJson } from '../dist/report/json.js'
import { cli, inFolder, type ScriptedCore, withCore } from './cli-support.js'
import * as samples from './fixtures/results/samples.js'
import { long } from './support/long.js'
import { ANYWHERE as ALL, FILES, TOLD_FILES } from './support/reporters.js'
import { needs } from './support/skip.js'

const test = suite('reports that cannot be written')
const CLI = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))

/** /dev/full stands for a full disk. */
const withFullDisk = needs(test, existsSync('/dev/full'), 'there is no /dev/full')

/** Runs the product by a shell, for conditions that only a shell can create. */
function shell(line: string, cwd: string, env: Record<string, string> = {}) {
  const { PATH = '' } = process.env
  const cc = `"${process.execPath}" "${CLI}"`
  const options = { cwd, env: { PATH, HOME: cwd, ...env }, encoding: 'utf8', timeout: 240_000 } as const
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line.replaceAll('core-conformance', cc)], options)
  assert.not.match(stdout + stderr, /\n +at |\.js:\d/)
  return { code: status, stdout, stderr }
}

/** Has folders stand in these places from the next answer of the Core on. */
function obstruct(core: ScriptedCore, ...places: string[]): void {
  core.script.answer = (_request, _body, right) => {
    for (const place of places) mkdirSync(place, { recursive: true })
    return right()
  }
}

test('a run: what stands in the way of one report is told, the others are written, and resume makes up for it', () =>
  withCore({}, async (core, folder) => {
    const inWay = join(folder, 'reports', 'report.html')
    obstruct(core, inWay)
    const args = ['run', '--only', 'access-with-token', '--reporter', ALL]
    const { stdout, stderr } = await cli(args, { cwd: folder, env: core.env, code: 3 })
    assert.match(stdout, /✓ Conformant/)
    assert.match(stdout, /^Reports: reports\/junit\.xml, reports\/result\.json, reports\/ctrf\.json, /m)
    assert.not.match(stdout, /report\.html/)
    const told = stderr.split('\n').filter(line => line.startsWith('core-conformance: '))
    assert.is(told.length, 2, stderr)
    assert.match(told[0] ?? '', /Cannot write reports\/report\.html: a folder of that name is in the way\. Remove it/)
    assert.match(told[1] ?? '', /once that is fixed, core-conformance resume writes the reports\.$/)
    assert.equal(readdirSync(join(folder, 'reports')).sort(), [...FILES, 'journal.ndjson'].sort())

    obstruct(core)
    rmSync(inWay, { recursive: true })
    await cli(['resume'], { cwd: folder, env: core.env, code: 0 })
    assert.equal(readdirSync(join(folder, 'reports')).sort(), FILES)
    assert.match(readFileSync(inWay, 'utf8'), /<title>Conformant/)
  }))

test('a run that the Core failed stays a failure, whatever could not be written', () =>
  withCore({ requireHostHeader: true }, async (core, folder) => {
    obstruct(core, ...FILES.map(name => join(folder, 'reports', name)))
    const args = ['run', '--only', 'host-missing-logon*', '--reporter', ALL]
    const { stdout, stderr } = await cli(args, { cwd: folder, env: core.env, code: 1 })
    assert.match(stdout, /✗ Nonconformant/)
    assert.not.match(stdout, /Reports:/)
    for (const name of FILES) assert.ok(stderr.includes(`Cannot write reports/${name}: a folder of that name`), name)
  }))

test('a journal that cannot be begun is told in words, and leaves no claim behind', () =>
  inFolder(async folder => {
    const { code, stderr } = shell('ulimit -f 0; core-conformance run --only access-with-token --out out', folder)
    assert.is(code, 3)
    assert.match(stderr, /^core-conformance: Cannot write out\/journal\.ndjson: files may not grow that large there /m)
    assert.equal(readdirSync(join(folder, 'out')), [])
  }))

test('a fleet: a Core whose result cannot be written has its verdict all the same, and resume makes up for it', () =>
  withCore({}, async (core, folder) => {
    const inWay = join(folder, 'reports', 'lab', 'result.json')
    obstruct(core, inWay)
    const { CORE_URL: url, ...env } = core.env
    writeFileSync(join(folder, 'core-conformance.config.yaml'), `targets: { lab: { url: '${url}' } }\n`)
    const fleet = () => JSON.parse(readFileSync(join(folder, 'reports', 'fleet.json'), 'utf8'))
    const first = await cli(['run', 'la*', '--only', 'access-with-token'], { cwd: folder, env })
    assert.equal([first.code, fleet().verdict, fleet().cores[0].hasResult], [3, 'conformant', false], first.stderr)
    assert.match(first.stdout, /✓ lab +conformant/)
    assert.match(
      first.stderr,
      /Cannot write reports\/lab\/result\.json: .*\n.*Once that is fixed, .* resume writes what/,
    )
    obstruct(core)
    rmSync(inWay, { recursive: true })
    const again = await cli(['resume'], { cwd: folder, env })
    assert.equal([again.code, fleet().cores[0].hasResult], [0, true], again.stderr)
  }))

test('before a run: what is in the way is told before anything is sent', () =>
  withCore({}, async (core, folder) => {
    for (const name of FILES.slice(0, 2)) {
      const out = `out-${name}`
      mkdirSync(join(folder, out, name), { recursive: true })
      const args = ['run', '--only', 'access-with-token', '--reporter', ALL, '--out', out]
      const { stderr } = await cli(args, { cwd: folder, env: core.env, code: 2 })
      assert.ok(stderr.includes(`Cannot replace ${out}/${name}: a folder of that name is in the way.`), stderr)
    }
    assert.is(core.requests.length, 0)
  }))

test('report: each obstacle is told, the other reports are made, exit 3', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'old.json'), renderJson(samples.failing))
    for (const name of ['junit.xml', 'badge.svg']) mkdirSync(join(folder, 'out', name), { recursive: true })
    const args = ['report', 'old.json', '--out', 'out', '--reporter', ALL]
    const { stdout, stderr } = await cli(args, { cwd: folder, code: 3 })
    assert.match(
      stderr,
      /^core-conformance: Cannot write out\/junit\.xml: .*\ncore-conformance: Cannot write out\/badge\.svg: .*\n$/,
    )
    const made = TOLD_FILES.filter(name => name !== 'junit.xml' && name !== 'badge.svg')
    assert.ok(stdout.endsWith(`Reports: ${made.map(name => `out/${name}`).join(', ')}\n`), stdout)
    assert.equal(readdirSync(join(folder, 'out')).sort(), [...FILES, 'reproduce'].sort())
    writeFileSync(join(folder, 'file'), 'mine')
    const blocked = await cli(['report', 'old.json', '--out', 'file'], { cwd: folder, code: 3 })
    assert.match(
      blocked.stderr,
      /^core-conformance: Cannot create the folder file: a file of that name is in the way\..*\n$/,
    )
  }))

test('a file that may not grow leaves no part of itself, and what is small enough is there', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'old.json'), renderJson(samples.failing))
    const line = `ulimit -f 2; core-conformance report old.json --out out --reporter ${ALL}`
    const { code, stdout, stderr } = shell(line, folder)
    assert.is(code, 3, stderr)
    assert.match(stderr, /Cannot write out\/report\.html: files may not grow that large there \(ulimit -f\)\./)
    assert.match(stdout, /Reports: .*out\/badge\.svg/)
    const left = readdirSync(join(folder, 'out'))
    assert.ok(left.includes('badge.svg') && !left.includes('report.html'), left.join())
    assert.not.ok(left.some(name => name.endsWith('.tmp')))
    assert.match(readFileSync(join(folder, 'out', 'badge.svg'), 'utf8'), /<\/svg>\n$/)
  }))

long(withFullDisk)('a full disk under stdout or the step summary is told, and no green', () => {
  return inFolder(async folder => {
    writeFileSync(join(folder, 'old.json'), renderJson(samples.failing))
    const piped = shell('core-conformance report old.json --reporter tap > /dev/full', folder)
    assert.equal(piped, { code: 3, stdout: '', stderr: 'core-conformance: cannot write to stdout: the disk is full\n' })
    const run = 'core-conformance run --profile quick --only access-with-token --reporter tap > /dev/full'
    const ran = shell(run, folder)
    assert.is(ran.code, 3)
    assert.match(ran.stderr, /cannot write to stdout: the disk is full\n$/)
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '/dev/full' }
    const summary = shell('core-conformance report old.json --reporter github,junit', folder, env)
    assert.is(summary.code, 3)
    assert.match(summary.stderr, /^core-conformance: Cannot write the step summary \/dev\/full: the disk is full\./)
    assert.match(summary.stdout, /^::error /m)
    assert.ok(existsSync(join(folder, 'junit.xml')))
    // A reader of the first lines only has seen enough.
    const head = shell('set -o pipefail; core-conformance report old.json --reporter tap | head -n 1', folder)
    assert.equal(head, { code: 0, stdout: 'TAP version 14\n', stderr: '' })
  })
})

test.run()
