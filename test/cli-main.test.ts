/** The product as a function: the caller supplies all inputs of a command, and the process stays unchanged. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { main } from '../dist/cli.js'
import { Cli, cli, inFolder } from './cli-support.js'
import { Screen } from './support/screen.js'

const test = suite('main')

/** Runs a command with these streams, this environment and this folder. */
async function ran(argv: string[], env: Record<string, string>, cwd: string) {
  const [stdout, stderr] = [new Screen(), new Screen()]
  const code = await main(argv, { stdin: Readable.from([]), stdout, stderr, env, cwd })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

test('two at a time, each with its own environment and its own .env', () =>
  inFolder(one =>
    inFolder(async other => {
      writeFileSync(join(one, '.env'), 'CORE_ONLY=idle-expires\n')
      writeFileSync(join(other, '.env'), 'CORE_ONLY=idle-use-resets\n')
      const environment = { ...process.env }
      const list = (env: Record<string, string>, folder: string) => ran(['list', '--json'], env, folder)
      const ends = await Promise.all([list({}, one), list({}, other), list({ CORE_ONLY: 'logon-issues-token' }, one)])
      assert.equal(
        ends.map(({ code, stdout }) => [code, (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id)]),
        [
          [0, ['idle-expires']],
          [0, ['idle-use-resets']],
          [0, ['logon-issues-token']],
        ],
      )
      assert.equal({ ...process.env }, environment)
    }),
  ))

test('it returns the exit code, throws nothing and sets nothing', () =>
  inFolder(async folder => {
    const before = process.exitCode
    const ended = await ran(['lsit'], {}, folder)
    assert.equal([ended.code, ended.stdout], [2, ''])
    assert.match(ended.stderr, /there is no command 'lsit'; did you mean 'list'\?/)
    assert.is(process.exitCode, before)
  }))

test('within a process and as one of its own: the same code, the same words', () =>
  inFolder(async folder => {
    for (const args of [
      ['list', '--only', 'idle'],
      ['run', '--traget', 'x'],
    ]) {
      const options = { cwd: folder, env: { NO_COLOR: '1' } }
      const own = await new Cli(args, options).ended
      // Commands that are printed start the program as it was started.
      const stderr = own.stderr.replace(/\S*node \S+bin\.cjs/, 'core-conformance')
      assert.equal(await cli(args, options), { ...own, stderr }, args.join(' '))
    }
  }))

test('what cannot be written to stdout is told: exit 3, unless there is worse', () =>
  inFolder(async cwd => {
    const lost = (argv: string[]) => {
      const stdout = new PassThrough()
      stdout.destroy(Object.assign(new Error('full'), { code: 'ENOSPC' }))
      const stderr = new Screen()
      return main(argv, { stdin: Readable.from([]), stdout, stderr, env: {}, cwd }).then(code => [code, stderr.text])
    }
    const [code, told] = await lost(['--version'])
    assert.is(code, 3)
    assert.match(String(told), /^core-conformance: cannot write to stdout: /)
    assert.is((await lost(['lsit']))[0], 2)
  }))

test.run()
