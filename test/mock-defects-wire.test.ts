/** Defects that show on the wire only, and how a mock gets a defect. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { forkMockCore, loadDialect, type MockAddress, startMockCore } from '../dist/mock/index.js'
import { type Ask, ask, bytesOf, exchange } from './support/mock-client.js'

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
