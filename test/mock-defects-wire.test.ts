/** Defects that show on the wire only, and how a mock gets a defect. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forkMockCore, loadDialect, type MockAddress, startMockCore } from '../dist/mock/index.js'
import { type Ask, ask, bytesOf, connectionTo, exchange } from './support/mock-client.js'

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const USER = { username: 'admin', password: 'geheim' }
const BODY = JSON.stringify(USER)

async function withDefect<T>(defect: string, use: (core: MockAddress) => Promise<T>): Promise<T> {
  const core = await startMockCore({ ...USER, defect })
  try {
    return await use(core)
  } finally {
    await core.close()
  }
}

test('answers that do not arrive: dropped, cut, and late', async () => {
  const bytes = (defect: string, method: string, path: string, asked: Ask = {}) =>
    withDefect(defect, core => exchange(core, bytesOf(method, path, asked)))
  assert.is((await bytes('host-missing-connection-dropped', 'GET', USERS, { host: false })).length, 0)
  const cut = (await bytes('transport-logon-cut-off', 'POST', LOGON, { body: BODY })).toString()
  const [, length, body] = /Content-Length: (\d+)\r\n[\s\S]*\r\n\r\n([\s\S]*)$/.exec(cut) ?? []
  assert.is(body?.length, Number(length) >> 1)
  await withDefect('host-missing-never-answered', async core => {
    let ended = false
    const waiting = exchange(core, bytesOf('GET', USERS, { host: false }))
      .catch(() => Buffer.alloc(0))
      .finally(() => {
        ended = true
      })
    await new Promise(resolve => setTimeout(resolve, 300))
    assert.not.ok(ended)
    assert.is((await ask(core, 'GET', USERS)).status, 401)
    await core.close() // does not wait for the answer
    assert.is((await waiting).length, 0)
  })
})

test('a request that its client breaks off, and a head with a pause in it', async () => {
  const moment = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
  const mint = async (core: MockAddress): Promise<string> =>
    JSON.parse((await ask(core, 'POST', LOGON, { body: BODY })).body).token
  const get = (token: string) => bytesOf('GET', USERS, { headers: bearer(token) })
  const breakOff = async (core: MockAddress, token: string) => {
    const socket = connectionTo(core, get(token))
    await new Promise(resolve => socket.once('secureConnect', resolve))
    await new Promise(resolve => socket.write('', resolve))
    socket.destroy()
    await moment(50)
  }
  await withDefect('access-open-after-broken-off', async core => {
    const token = await mint(core)
    assert.is((await ask(core, 'GET', USERS)).status, 401)
    await breakOff(core, token)
    assert.is((await ask(core, 'GET', USERS)).status, 200)
  })
  await withDefect('access-broken-off-use-ends-token', async core => {
    const token = await mint(core)
    assert.is((await ask(core, 'GET', USERS, { headers: bearer(token) })).status, 200)
    await breakOff(core, token)
    assert.is((await ask(core, 'GET', USERS, { headers: bearer(token) })).status, 401)
  })
  await withDefect('access-pause-in-head-refused', async core => {
    const whole = get(await mint(core))
    const paused = async (ms: number) => {
      const socket = connectionTo(core, whole.slice(0, 40))
      await new Promise(resolve => socket.once('secureConnect', resolve))
      await moment(ms)
      socket.write(whole.slice(40))
      return new Promise<string>(resolve => socket.once('data', chunk => resolve(chunk.toString().slice(9, 12))))
    }
    assert.is(await paused(5), '200')
    assert.is(await paused(400), '401')
  })
})

test('a mock in a process of its own takes a defect, and a dialect with it', async () => {
  const dialect = await loadDialect(new URL('../contracts/dialects/token-nested.yaml', import.meta.url).pathname)
  const core = await forkMockCore({ ...USER, dialect, defect: 'revoke-does-nothing' })
  try {
    const { body } = await ask(core, 'POST', LOGON, { body: BODY })
    const headers = { Authorization: `Bearer ${JSON.parse(body).data.session.bearer}` }
    assert.is((await ask(core, 'DELETE', LOGON, { headers })).status, 204)
    assert.is((await ask(core, 'GET', USERS, { headers })).status, 200)
  } finally {
    await core.close()
  }
})

test('an unknown defect is refused before anything listens, here and in a process of its own', async () => {
  const message = (start: Promise<MockAddress>) =>
    start.then(
      core => core.close().then(() => 'started'),
      error => error.message,
    )
  const options = { ...USER, defect: 'host-not-cheked' }
  const words =
    'there is no defect "host-not-cheked"; did you mean "host-not-checked"? (core-conformance mock --defects lists them)'
  assert.is(await message(startMockCore(options)), words)
  assert.is(await message(forkMockCore(options)), `the mock Core did not start: ${words}`)
})

test.run()
