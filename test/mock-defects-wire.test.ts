/** Defects that show on the wire only, or that need more of a connection than a device sees; and how a mock gets a defect. */
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

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })
const mint = async (core: MockAddress): Promise<string> =>
  JSON.parse((await ask(core, 'POST', LOGON, { body: BODY })).body).token
/** Returns the statuses of several requests on one connection. */
const statuses = async (core: MockAddress, ...requests: string[]) =>
  (await exchange(core, requests.join(''))).toString('latin1').match(/(?<=HTTP\/1\.1 )\d{3}(?= )/g)

test('a logon without Host is answered 406 with a token that opens the API', () =>
  withDefect('host-missing-logon-issues-token', async core => {
    for (const http of ['1.0', '1.1'] as const) {
      const answer = await ask(core, 'POST', LOGON, { body: BODY, host: false, http })
      assert.is(answer.status, 406)
      assert.is((await ask(core, 'GET', USERS, { headers: bearer(JSON.parse(answer.body).token) })).status, 200)
    }
    assert.is((await ask(core, 'POST', LOGON, { body: '{}', host: false })).status, 406)
    assert.is((await ask(core, 'GET', USERS, { host: false })).status, 406)
  }))

test('the HTTP version of a request is seen', async () => {
  await withDefect('host-not-checked-on-http10', async core => {
    assert.is((await ask(core, 'POST', LOGON, { body: BODY, host: false, http: '1.0' })).status, 201)
    assert.is((await ask(core, 'POST', LOGON, { body: BODY, host: false })).status, 406)
  })
  await withDefect('access-http10-needs-no-token', async core => {
    assert.is((await ask(core, 'GET', USERS, { http: '1.0' })).status, 200)
    assert.is((await ask(core, 'GET', USERS)).status, 401)
  })
})

test('connections are told from each other', async () => {
  const get = (headers: Record<string, string>, keep = false) => bytesOf('GET', USERS, { headers, keep })
  await withDefect('access-authorization-remembered', async core => {
    const token = await mint(core)
    assert.equal(await statuses(core, get(bearer(token), true), get({})), ['200', '200'])
    assert.equal(await statuses(core, get({})), ['401'])
  })
  await withDefect('host-remembered-on-connection', async core => {
    assert.equal(await statuses(core, get({}, true), bytesOf('GET', USERS, { host: false })), ['401', '401'])
    assert.equal(await statuses(core, bytesOf('GET', USERS, { host: false })), ['406'])
  })
  await withDefect('access-token-bound-to-connection', async core => {
    assert.is((await ask(core, 'GET', USERS, { headers: bearer(await mint(core)) })).status, 401)
  })
  await withDefect('revoke-on-same-connection-only', async core => {
    const headers = bearer(await mint(core))
    assert.equal(await statuses(core, bytesOf('DELETE', LOGON, { headers, keep: true }), get(headers)), ['204', '401'])
    assert.equal(await statuses(core, get(headers)), ['200'])
  })
})

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
    const headers = bearer(JSON.parse(body).data.session.bearer)
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
