import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type ForkedMockCore, forkMockCore } from '../dist/mock/index.js'
import { ask, logOn, USER } from './support/mock-client.js'

const INDEX = new URL('../dist/mock/index.js', import.meta.url).href
const USERS = '/api/v0/cores/self/users'

const test = suite('mock Core in a process of its own')

async function withFork(use: (core: ForkedMockCore) => Promise<void>, options = {}) {
  const core = await forkMockCore({ ...USER, ...options })
  try {
    await use(core)
  } finally {
    await core.close()
  }
}

/** Tells whether a server listens there. */
function listens(url: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

test('it is a mock Core like any other, in another process', () =>
  withFork(
    async core => {
      assert.is.not(core.pid, process.pid)
      const token = await logOn(core, { ...USER, password: 'p\u00e4ss "wort" \u2028' })
      assert.is((await ask(core, 'GET', USERS, token)).status, 200)
      const response = await fetch(`${core.control.url}/advance`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${core.control.key}` },
        body: '{"ms":5000}',
      })
      assert.is(response.status, 200)
      assert.is((await ask(core, 'GET', USERS, token)).status, 401)
      assert.match(core.certificateFingerprint, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    },
    { password: 'p\u00e4ss "wort" \u2028', idleLifetimeMs: 5_000 },
  ))

test('close() ends it, open connections too, and may be called again', async () => {
  const core = await forkMockCore(USER)
  const open = connect(Number(new URL(core.url).port), '127.0.0.1')
  open.on('error', () => {})
  await once(open, 'connect')
  const startedMs = performance.now()
  const closing = core.close()
  assert.is(core.close(), closing)
  await closing
  assert.ok(performance.now() - startedMs < 4_500) // an idle connection would end by itself after 5 s
  assert.is(await core.ended, 'its process ended with exit code 0')
  assert.not.ok(await listens(core.url))
  assert.throws(() => process.kill(core.pid, 0))
})

test('Ctrl-C and the like do not end it', () =>
  withFork(async core => {
    const token = await logOn(core)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGINT'] as const) process.kill(core.pid, signal)
    await sleep(100)
    assert.is((await ask(core, 'DELETE', '/api/v0/logon', token)).status, 204)
  }))

test('when it dies, its parent is told, and close() still settles', async () => {
  const core = await forkMockCore(USER)
  const alive = setInterval(() => {}, 1_000) // the mock does not keep this process waiting
  process.kill(core.pid, 'SIGKILL')
  assert.is(await core.ended, 'its process was ended by SIGKILL')
  clearInterval(alive)
  await core.close()
})

/** Starts a process that forks a mock, prints its URL, and then runs `after`. */
function parent(after: string) {
  const script = `
    import { forkMockCore } from ${JSON.stringify(INDEX)}
    const core = await forkMockCore({ username: 'admin', password: 'geheim' })
    process.stdout.write(core.url + '\\n')
    ${after}`
  return spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function untilGone(url: string) {
  for (let i = 0; i < 300 && (await listens(url)); i += 1) await sleep(10)
  assert.not.ok(await listens(url))
}

test('it ends when its parent is killed', async () => {
  const process = parent('setInterval(() => {}, 1000)')
  const [chunk] = await once(process.stdout, 'data')
  const url = String(chunk).trim()
  assert.ok(await listens(url))
  process.kill('SIGKILL')
  await untilGone(url)
})

test('it does not keep its parent from ending, and ends with it', async () => {
  const process = parent('')
  const [[chunk], [code]] = await Promise.all([once(process.stdout, 'data'), once(process, 'exit')])
  assert.is(code, 0)
  await untilGone(String(chunk).trim())
})

test('a child that is killed before it is ready is said, not waited for', async () => {
  const script = `
    import { forkMockCore } from ${JSON.stringify(INDEX)}
    const start = forkMockCore({ username: 'admin', password: 'geheim' })
    let child
    do {
      await new Promise(setImmediate)
      child = process._getActiveHandles().find(handle => handle.pid !== undefined)
    } while (child === undefined)
    child.kill('SIGKILL')
    await start.catch(error => console.log(error.message))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' })
  assert.is(stdout, 'the mock Core did not start: its process was ended by SIGKILL\n')
})

test.run()
