/** Commands that are printed: they can be pasted as they are, and harm nothing. */
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cli, withMock } from './cli-support.js'
import { shell } from './support/docs.js'
import { long } from './support/long.js'

const test = suite('printed commands')

const BIN = fileURLToPath(new URL('../dist/bin.cjs', import.meta.url))
const OUT = 'my evidence'
const RUN = `run --only revocation-rejects --explore 0 --reporter console,json --out '${OUT}'`

/** Calls back with a folder that has the program as a dependency, and the variables of a Core that does not revoke. */
const inDependent = (use: (folder: string, env: Record<string, string>) => Promise<void>) =>
  withMock({ defect: 'revoke-does-nothing' }, async (_core, folder, env) => {
    mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true })
    symlinkSync(BIN, join(folder, 'node_modules', '.bin', 'core-conformance'))
    const { PATH = '' } = process.env
    const npm = { npm_config_offline: 'true', npm_config_update_notifier: 'false' }
    await use(folder, { PATH, HOME: folder, ...npm, ...env })
  })

/** Returns the command after a label of the console report. */
const printed = (output: string, label: string) => new RegExp(`^ +${label} +(\\S.*)$`, 'm').exec(output)?.[1] ?? ''

/** The ways to start the program, each with what its printed commands begin with. */
const STARTS: [start: string, begins: string][] = [
  ['npx --no core-conformance', 'npx --no core-conformance run '],
  ['node_modules/.bin/core-conformance', 'node_modules/.bin/core-conformance run '],
  [`node '${BIN}'`, `node ${BIN} run `],
]

long(test)('the line to rerun starts the program as it was started, and leaves the evidence alone', () =>
  inDependent(async (folder, env) => {
    let rerun = ''
    for (const [start, begins] of STARTS) {
      const first = await shell(`${start} ${RUN}`, folder, env)
      assert.is(first.code, 1, first.output)
      rerun = printed(first.output, 'rerun')
      assert.ok(rerun.startsWith(begins), rerun)
    }
    const evidence = join(folder, OUT, 'result.json')
    const before = readFileSync(evidence, 'utf8')
    const again = await shell(rerun, folder, env)
    assert.is(again.code, 1, again.output)
    assert.is(readFileSync(evidence, 'utf8'), before)
    assert.ok(existsSync(join(folder, OUT, 'rerun', 'revocation-rejects', 'result.json')), again.output)
    // The rerun of a rerun replaces it: folders do not grow into each other.
    assert.is(printed(again.output, 'rerun'), rerun)
  }),
)

long(test)('npx: what is printed about the help and the version is ours, and not that of npx', () =>
  inDependent(async (folder, env) => {
    const unknown = await shell('npx --no core-conformance frobnicate', folder, env)
    const [, help = ''] = /^More: (.*)$/m.exec(unknown.output) ?? []
    assert.match((await shell(help, folder, env)).output, /^core-conformance .*\n[\s\S]*\n {2}baseline update /)
    const { output } = await shell('npx --no core-conformance mock -v', folder, env)
    const [, version = ''] = /(npx .* --version) /.exec(output) ?? []
    assert.match((await shell(version, folder, env)).output, /^0\.\d+\.\d+\n$/)
  }),
)

test('the path of a script is that from where the run was started, and names a program', () =>
  inDependent(async (folder, env) => {
    const { stdout } = await cli(['run', '--only', 'revocation-rejects', '--out', OUT], { cwd: folder, env })
    const script = printed(stdout, 'by hand').replaceAll("'", '')
    assert.is(script, join(OUT, 'reproduce', 'revocation-rejects.sh'))
    assert.ok(statSync(join(folder, script)).mode & 0o100)
    assert.match(printed(stdout, 'rerun'), / --out 'my evidence\/rerun\/revocation-rejects'$/)
  }))

test('a mistake is answered with a command that starts the program as it was started', () =>
  inDependent(async (folder, env) => {
    for (const [start, begins] of STARTS.slice(1)) {
      const { code, output } = await shell(`${start} run --bogus`, folder, env)
      assert.is(code, 2)
      assert.ok(output.includes(`More: ${begins}--help`), output)
      const help = /^More: (.*)$/m.exec(output)?.[1] ?? ''
      assert.match((await shell(help, folder, env)).output, /^core-conformance run: /)
    }
  }))

test.run()
