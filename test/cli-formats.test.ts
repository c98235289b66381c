/** All formats of a real run against a Core that fails, and whose answers hold secrets and traps for each format. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from 'ctrf'
import { XMLValidator } from 'fast-xml-parser'
import { Parser } from 'tap-parser'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { assertSecretless, cli, PASSWORD, withCore } from './cli-support.js'
import { long } from './support/long.js'
import { ALL, FILES } from './support/reporters.js'

const test = suite('formats of a run')

const TRAP = '\n::error::pwned\n##[error]pwned\n...\nnot ok 99\nBail out! x\n```\n<script>x</script> ]]>\u001b[31m'
const ONLY = 'access-with-token,access-unknown-token,revocation-rejects,logon-wrong-password'

long(test)(
  'a failing Core that echoes what it was sent: every format is valid, inert and holds no secret',
  async () => {
    // The Core accepts a revoked token, and answers everything to everybody.
    let last = ''
    await withCore(
      {
        answer: ({ method, headers }, body, right) => {
          last = headers.authorization ?? last
          if (method === 'DELETE') return { status: 204 }
          const reply = right()
          return method === 'POST' && reply.status === 200
            ? reply
            : { ...reply, body: JSON.stringify({ trap: TRAP, last, body, password: PASSWORD }).replaceAll('\\n', '\n') }
        },
      },
      async (core, folder) => {
        const summary = join(folder, 'summary.md')
        const env = { ...core.env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: summary }
        const args = ['run', '--profile', 'quick', '--only', ONLY, '--reporter', ALL]
        const { code, stdout, stderr } = await cli(args, { cwd: folder, env })
        assert.is(code, 1, stdout + stderr)
        assert.equal(readdirSync(join(folder, 'reports')).sort(), [...FILES, 'reproduce'].sort())
        const read = (name: string) => readFileSync(join(folder, 'reports', name), 'utf8')
        const scripts = readdirSync(join(folder, 'reports', 'reproduce')).map(name => join('reproduce', name))
        assert.ok(scripts.length > 0)
        const texts = [stdout, stderr, readFileSync(summary, 'utf8'), ...[...FILES, ...scripts].map(read)]
        assertSecretless(texts, core.secrets)

        assert.ok(validate(JSON.parse(read('ctrf.json'))).valid)
        assert.is(XMLValidator.validate(read('junit.xml')), true)
        assert.is(XMLValidator.validate(read('badge.svg')), true)
        const extras: string[] = []
        const parser = new Parser()
        parser.on('extra', (line: string) => extras.push(line))
        parser.end(read('tap.txt'))
        assert.equal([extras, parser.results?.count, parser.results?.fail], [[], 4, 1])
        assert.is(readFileSync(summary, 'utf8'), read('report.md'))

        // The text after the fence, which GitHub obeys, is ours.
        const [, token = '', after = ''] = /^::stop-commands::(\S+)\n[\s\S]*\n::\1::\n([\s\S]*)$/.exec(stdout) ?? []
        assert.match(token, /^[\w-]{36}$/)
        const commands = after.split('\n').filter(line => /^\s*(::|##\[)/.test(line))
        assert.is(commands.length, 1)
        assert.match(commands[0] ?? '', /^::error title=a revoked token is rejected/)
        assert.not.match(stderr, /^\s*(::|##\[)/m)
      },
    )
  },
)

test('tap alone is a pipe, also in GitHub Actions', () =>
  withCore({}, async (core, folder) => {
    const env = { ...core.env, GITHUB_ACTIONS: 'true' }
    const args = ['run', '--profile', 'quick', '--only', ONLY, '--reporter', 'tap,github']
    const { code, stdout } = await cli(args, { cwd: folder, env })
    assert.is(code, 0)
    assert.match(stdout, /^TAP version 14\n1\.\.4\n(# .*\n)+(ok \d - .*\n){4}$/)
  }))

test('a summary that cannot be written is told, and the verdict of the Core stands', () =>
  withCore({}, async (core, folder) => {
    const env = { ...core.env, GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: folder }
    const { code, stderr } = await cli(['run', '--profile', 'quick', '--only', ONLY], { cwd: folder, env })
    assert.is(code, 3)
    assert.match(stderr, /Cannot write the step summary .*: it is a folder\. GITHUB_STEP_SUMMARY names it/)
    assert.not.match(stderr, /\.js:/)
  }))

test.run()
