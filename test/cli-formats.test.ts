/** Where the formats of a run go that have no file. That each is valid, inert and without a secret is shown in report-validity.test.ts. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { cli, withCore } from './cli-support.js'

const test = suite('formats of a run')

const ONLY = 'access-with-token,access-unknown-token,revocation-rejects,logon-wrong-password'

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
