/** Reports of an earlier run: they stay until the next run has reports of its own, which then take the place of all of them. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { FLEET_REPORTERS } from '../dist/report/fleet/reporters.js'
import { REPORTERS } from '../dist/report/reporters.js'
import { Cli, cli, inFolder, makeFolder, type Script, ScriptedCore, withCore } from './cli-support.js'

const test = suite('reports of an earlier run')

/** Every reporter that writes a file, and the scripts. */
const FILED = `console,${REPORTERS.flatMap(({ name, file }) => (file === undefined ? [] : [name])).join()}`
const FAST = ['--explore', '0', '--reporter']
/** Every file below a folder, with a digest of its text. */
function filesIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(each => each.isFile())
  return Object.fromEntries(
    found.map(({ parentPath, path, name }) => {
      const place = join(parentPath ?? path, name)
      return [place.slice(folder.length + 1), createHash('sha256').update(readFileSync(place)).digest('hex')] as const
    }),
  )
}
const namesIn = (folder: string) => Object.keys(filesIn(folder)).sort()

const answer: Script['answer'] = ({ method }, _body, right) => (method === 'DELETE' ? { status: 204 } : right())

/** A Core that does not revoke, and the reports of a run that saw it, in every format; made once. */
let seen: { core: ScriptedCore; folder: string }
test.before(async () => {
  seen = { core: await new ScriptedCore({ answer }).start(), folder: makeFolder() }
  const args = ['run', '--only', 'revocation-rejects', ...FAST, FILED]
  await cli(args, { cwd: seen.folder, env: seen.core.env, code: 1 })
})
test.after(() => seen.core.stop())

/** Calls back with that Core, and a copy of those reports. */
const withReports = (
  use: (core: ScriptedCore, folder: string, run: (...args: string[]) => ReturnType<typeof cli>) => Promise<void>,
) =>
  inFolder(folder => {
    cpSync(seen.folder, folder, { recursive: true })
    return use(seen.core, folder, (...args) => cli(['run', ...args], { cwd: folder, env: seen.core.env }))
  })

const MINE = ['mine.md', join('reproduce', 'mine.sh'), join('found', 'mine.yaml')]

/** Files of the user's own, some with names as ours have them. */
function addMine(folder: string): void {
  mkdirSync(join(folder, 'reports', 'found'), { recursive: true })
  for (const name of MINE) writeFileSync(join(folder, 'reports', name), '#!/bin/sh\necho core-conformance\n')
}

const MISTAKES: [what: string, args: string[], env: (of: Record<string, string>) => Record<string, string>][] = [
  ['no password', [], ({ CORE_PASSWORD: _, ...env }) => env],
  ['no user name', [], ({ CORE_USERNAME: _, ...env }) => env],
  ['an unknown flag', ['--tagret', 'x'], env => env],
  ['an empty target', [], env => ({ ...env, CORE_URL: '' })],
  ['an unknown spec', ['--only', 'nothing-of-that-name'], env => env],
]

test('a run that cannot begin takes nothing away, in CI either', () =>
  withReports(async (core, folder) => {
    const before = filesIn(join(folder, 'reports'))
    assert.ok(Object.keys(before).length > 7)
    for (const [what, args, env] of MISTAKES) {
      await cli(['run', ...args], { cwd: folder, env: { ...env(core.env), CI: 'true' }, code: 2 })
      assert.equal(filesIn(join(folder, 'reports')), before, what)
    }
  }))

test('what a run replaces is all that a run may have written, and nothing of others', () =>
  withReports(async (_core, folder, run) => {
    addMine(folder)
    const { code, stderr } = await run('--only', 'access-with-token', ...FAST, 'console,junit')
    assert.is(code, 0, stderr)
    assert.equal(namesIn(join(folder, 'reports')), ['junit.xml', ...MINE].sort())
    assert.match(readFileSync(join(folder, 'reports', 'junit.xml'), 'utf8'), / failures="0" /)
  }))

test('a run whose Core cannot be reached has reports, too: they replace all others', () =>
  withReports(async (core, folder) => {
    const env = { ...core.env, CORE_URL: 'https://127.0.0.1:1' }
    const args = ['run', '--only', 'access-with-token', '--reporter', 'junit,json']
    await cli(args, { cwd: folder, env, code: 3 })
    assert.equal(namesIn(join(folder, 'reports')), ['junit.xml', 'result.json'])
  }))

test('a run without a file replaces none, and says that those in the folder are of an earlier run', () =>
  withReports(async (_core, folder, run) => {
    const before = namesIn(join(folder, 'reports'))
    const told = /core-conformance: warning: the reports in reports are of an earlier run: this one wrote none there/
    const ended = await run('--only', 'access-with-token', ...FAST, 'tap')
    assert.is(ended.code, 0)
    assert.match(ended.stderr, told)
    assert.equal(namesIn(join(folder, 'reports')), before)
    assert.not.match((await run('--only', 'access-with-token', ...FAST, 'console,json')).stderr, told)
    assert.not.match((await run('--only', 'access-with-token', ...FAST, 'console', '--out', 'new')).stderr, told)
  }))

test('a file of the name of a report that no run wrote stays', () =>
  withCore({}, async (core, folder) => {
    mkdirSync(join(folder, 'reports'))
    writeFileSync(join(folder, 'reports', 'report.md'), '# Notes on core-conformance\n')
    const run = ['run', '--only', 'access-with-token', ...FAST, 'json']
    assert.is((await cli(run, { cwd: folder, env: core.env })).code, 0)
    assert.equal(namesIn(join(folder, 'reports')), ['report.md', 'result.json'])
  }))

test('the file of a reporter of the user goes with the run that wrote it', () =>
  withCore({}, async (core, folder) => {
    writeFileSync(join(folder, 'wiki.mjs'), "export const file = 'wiki.md'\nexport const render = () => 'old\\n'\n")
    const run = ['run', '--only', 'access-with-token', ...FAST]
    assert.is((await cli([...run, 'json,./wiki.mjs'], { cwd: folder, env: core.env })).code, 0)
    assert.equal(namesIn(join(folder, 'reports')), ['result.json', 'wiki.md'])
    assert.is((await cli([...run, 'json'], { cwd: folder, env: core.env })).code, 0)
    assert.equal(namesIn(join(folder, 'reports')), ['result.json'])
  }))

test('a run that is killed leaves the reports of the earlier one, and its journal', () =>
  withCore({}, async (core, folder) => {
    const args = ['run', '--only', 'access-with-token', ...FAST, 'junit,json,markdown']
    assert.is((await cli(args, { cwd: folder, env: core.env })).code, 0)
    const before = filesIn(join(folder, 'reports'))
    const isAsked = new Promise<void>(resolve => {
      core.script.answer = () => {
        resolve()
        return 'hang'
      }
    })
    const run = new Cli(['run', '--only', 'access-with-token'], { cwd: folder, env: core.env })
    await Promise.race([isAsked, run.ended])
    run.child.kill('SIGKILL')
    assert.is((await run.ended).signal, 'SIGKILL')
    const { 'journal.ndjson': journal, ...after } = filesIn(join(folder, 'reports'))
    assert.ok(journal)
    assert.equal(after, before)
  }))

test('a run of one Core replaces a fleet with its Cores, and leaves other folders', () =>
  withCore({}, async (core, folder) => {
    const { CORE_URL, ...env } = core.env
    const targets = `targets:\n  lab-1:\n    url: ${CORE_URL}\n`
    writeFileSync(join(folder, 'core-conformance.config.yaml'), targets)
    const only = ['--only', 'access-with-token', '--explore', '0']
    await cli(['run', '--all-targets', ...only], { cwd: folder, env, code: 0 })
    const reports = join(folder, 'reports')
    assert.ok(existsSync(join(reports, 'lab-1', 'result.json')))
    mkdirSync(join(reports, 'lab-2'))
    writeFileSync(join(reports, 'lab-2', 'junit.xml'), 'mine')
    await cli(['run', 'lab-1', ...only, '--reporter', 'json'], { cwd: folder, env, code: 0 })
    assert.equal(namesIn(reports), [join('lab-2', 'junit.xml'), 'result.json'])
    assert.not.ok(existsSync(join(reports, 'lab-1')))
  }))

test('every report tells that it is ours', () => {
  for (const { name, file, mark } of [...REPORTERS, ...FLEET_REPORTERS]) {
    const isOurs = mark ?? REPORTERS.find(each => each.file === file)?.mark
    assert.is(isOurs !== undefined, file !== undefined, name)
  }
})

test('a verification that cannot begin leaves the report of the earlier one', () =>
  inFolder(async folder => {
    writeFileSync(join(folder, 'contracts.junit.xml'), 'old')
    writeFileSync(join(folder, 'a.json'), '{"consumer":{"name":"a"},"provider":{"name":"b"},"interactions":[]}')
    const env = { CORE_URL: 'https://127.0.0.1:1', CORE_USERNAME: 'anna' }
    await cli(['contracts', 'verify', 'a.json', '--out', '.'], { cwd: folder, env, code: 2 })
    assert.is(readFileSync(join(folder, 'contracts.junit.xml'), 'utf8'), 'old')
  }))

test.run()
