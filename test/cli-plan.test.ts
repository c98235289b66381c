/** The plan that a run prints at the start, and its message when the Core changes the plan. */
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { loadDialect } from '../dist/mock/dialect-file.js'
import { forkMockCore } from '../dist/mock/index.js'
import { controlVariablesOf } from '../tools/mock-variables.js'
import { cli, inFolder } from './cli-support.js'
import { envOf, PASSWORD } from './support/kills.js'

const test = suite('the plan, told')
const HOUR = 3_600_000

/** Returns the lines about the plan of a run of some idle specs, in virtual time, on a mock Core with this dialect. */
async function told(dialect: string, args: string[] = []): Promise<string[]> {
  const file = fileURLToPath(new URL(`../contracts/dialects/${dialect}.yaml`, import.meta.url))
  const options = { username: 'admin', password: PASSWORD, idleLifetimeMs: HOUR, dialect: await loadDialect(file) }
  const mock = await forkMockCore(options)
  try {
    return await inFolder(async folder => {
      const env = { ...envOf(mock, HOUR), ...controlVariablesOf(mock), CORE_REPORTER: 'console' }
      const { stdout } = await cli(['run', '--only', IDLE, ...args], { cwd: folder, env, code: 0 })
      return stdout.split('\n').filter(line => line.startsWith('plan: '))
    })
  } finally {
    await mock.close()
  }
}

const IDLE = 'idle-expires*,idle-own-use-only,idle-still-valid,idle-use-resets'
const PLAN = /^plan: \d specs to run, seconds \(the mock Core's clock is moved by 1 h \d+ min\), up to \d+ tokens held$/

test('a Core with room for everything: one plan, and no more; --quiet tells none', async () => {
  const [plan, ...more] = await told('default')
  assert.match(plan ?? '', PLAN)
  assert.equal(more, [])
  assert.equal(await told('newest-token-only', ['--quiet']), [])
})

test('a Core that keeps only the newest token: the waits come one after another, and that is told once', async () => {
  const [before, after, ...more] = await told('newest-token-only')
  assert.match(before ?? '', PLAN)
  assert.match(after ?? '', /^plan: this Core has room for 1 token: its clock is moved by \d h \d+ min more$/)
  assert.equal(more, [])
})

test('a limit of the user is part of the plan, and no news', async () => {
  const [before, ...more] = await told('default', ['--max-tokens', '2'])
  assert.match(before ?? '', /up to 2 tokens held/)
  assert.equal(more, [])
})

test.run()
