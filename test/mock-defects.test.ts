/**
 * Each defect of the mock Core changes some answer to requests of every kind, or shows on the wire. What breaks by it is what the
 * matrix proves.
 */
import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { DEFECTS, installDefect } from '../dist/mock/defects/index.js'
import { forkMockCore, listDefects, loadDialect, type MockAddress, startMockCore } from '../dist/mock/index.js'
import { long } from './support/long.js'
import { type Ask, ask, bytesOf, exchange, USER, withMockCore } from './support/mock-client.js'
import { Client, connections, madeSubject, playPlain, shapes } from './support/mutants.js'

/** Defects that only the matrix shows, beside those of the area `sequence`: they need a request that the client does not send. */
const HIDDEN = `
access-body-beside-another-needs-no-token access-broken-off-use-ends-token access-get-logon-ends-token
access-head-with-many-headers-needs-no-token access-http10-compares-half access-no-token-accepted-after-many-refusals
access-old-tls-needs-no-token access-open-after-broken-off access-open-after-many-uses access-pause-in-head-refused
access-pipelined-request-inherits access-place-of-token-accepted access-protocol-in-tls-needs-no-token access-resumed-session-inherits access-token-usable-120-times
host-looked-for-after-token host-missing-behind-head-revokes host-missing-brings-token-back host-missing-connection-dropped
host-missing-logon-issues-token host-missing-never-answered host-missing-with-query-revokes host-named-in-tls-suffices
host-not-checked-beside-another idle-brought-back-by-revocation idle-expired-accepted-with-query idle-expired-for-get-only
idle-expired-on-users-only idle-lifetime-a-tenth-longer idle-lifetime-behind-proxy-longer idle-lifetime-halved-by-headers
idle-not-reset-by-later-uses idle-not-reset-by-options idle-not-reset-by-propfind idle-not-reset-by-query idle-not-reset-by-unknown-path
idle-not-reset-by-whole-url
idle-not-reset-in-resumed-session idle-not-reset-pipelined idle-reset-by-first-on-connection idle-reset-by-its-first-on-connection
idle-reset-by-logon-for-another-host idle-reset-by-odd-lookalike idle-reset-by-rejected-request-here idle-reset-on-users-only
idle-use-noted-once-a-quarter logon-any-password-beside-right-one logon-any-password-with-token logon-beside-another-unusable
logon-claim-believed logon-expired-token-suffices logon-from-page-ends-others logon-get-issues-token logon-header-names-user
logon-long-body-ends-newest logon-on-old-connection-unusable logon-put-needs-no-password logon-refusal-ends-oldest-of-three logon-refusal-issues-token
logon-several-chunks-refused logon-token-chosen-at-head logon-token-holds-credentials logon-token-renewed-without-body
logon-with-cookie-refused logon-with-referer-refused open-behind-user-needs-token open-long-connection-needs-token
open-long-query-needs-token open-pipelined-needs-token open-resumed-session-needs-token open-resumed-session-of-user-needs-token
open-tenth-request-needs-token revoke-changed-token-ends-oldest-late revoke-chunked-does-nothing revoke-expired-token-ends-all-late
revoke-expired-token-ends-newest revoke-forgotten-in-resumed-session revoke-http10-does-nothing revoke-lost-beside-logon
revoke-lost-beside-use revoke-much-used-does-nothing revoke-oldest-of-four-ends-next revoke-undone-by-logon-with-token
revoke-undone-by-other-method revoke-with-accept-does-nothing revoke-with-body-does-nothing revoke-with-content-length-0-does-nothing
transport-accepted-cut-off transport-logon-cut-off transport-logon-never-answered
`
  .trim()
  .split(/\s+/)

const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
const BODY = JSON.stringify(USER)
const PLAYS = [playPlain, shapes, connections]

/** A client that stops at the first answer with another status than the honest one. */
class Comparing extends Client {
  constructor(
    made: ReturnType<typeof madeSubject>,
    private readonly honest: readonly number[],
  ) {
    super(made)
  }

  override begin(ask: Parameters<Client['begin']>[0]) {
    const end = super.begin(ask)
    return () => {
      const response = end()
      if (response.status !== this.honest[this.statuses.length - 1]) throw new Differs()
      return response
    }
  }
}
class Differs extends Error {}

type AccessControl = 'on' | 'off'

/** Returns the statuses of all answers to a part of the requests, on a device without a defect. */
function honestly(play: (client: Client) => void, accessControl: AccessControl): number[] {
  const client = new Client(madeSubject(accessControl))
  play(client)
  return client.statuses
}

/** Whether a defect changes the status of an answer to a part of the requests. */
function shows(
  defect: string,
  play: (client: Client) => void,
  accessControl: AccessControl,
  honest: number[],
): boolean {
  const made = madeSubject(accessControl)
  installDefect(defect, made.subject)
  const client = new Comparing(made, honest)
  try {
    play(client)
    return client.statuses.length !== honest.length
  } catch (error) {
    if (error instanceof Differs) return true
    throw error
  }
}

/** Returns the names of those defects that show in no answer. */
function unseen(): string[] {
  const honest = { on: PLAYS.map(play => honestly(play, 'on')), off: PLAYS.map(play => honestly(play, 'off')) }
  const tried = DEFECTS.filter(({ area, name }) => area !== 'sequence' && !HIDDEN.includes(name))
  return tried
    .map(({ name }) => name)
    .filter(name => {
      const access = name.startsWith('open-') ? 'off' : 'on'
      return !PLAYS.some((play, at) => shows(name, play, access, honest[access][at] ?? []))
    })
}

long(test)('every defect shows in some answer, but for those that only the matrix shows', () => {
  assert.equal(unseen(), [])
  const names = new Set(DEFECTS.map(({ name }) => name))
  assert.equal(
    HIDDEN.filter(name => !names.has(name)),
    [],
  )
})

test('defects are listed by area, then by name, each with what it does and which requirements it breaks', async () => {
  const listed = await listDefects()
  assert.ok(listed.length >= 65)
  const keys = listed.map(({ area, name }) => `${area} ${name}`)
  assert.equal(keys, [...keys].sort())
  assert.is(new Set(listed.map(({ about }) => about)).size, listed.length)
  const ledger = readFileSync(new URL('../specs/requirements.yaml', import.meta.url), 'utf8')
  for (const { name, about, requirements, mayAlso = [] } of listed) {
    assert.match(name, /^(?:access|host|idle|logon|open|revoke|sequence|transport)(?:-[a-z0-9]+)+$/)
    assert.match(about, /^[A-Z].*\.$/, name)
    assert.ok(requirements.length > 0, `${name} breaks nothing`)
    const named = [...requirements, ...mayAlso]
    assert.is(new Set(named).size, named.length, `${name} names a requirement twice`)
    for (const id of named) assert.ok(ledger.includes(`- id: ${id}\n`), `${name} breaks ${id}, which is no requirement`)
  }
})

test('answers that do not arrive: dropped, cut, and late', async () => {
  const bytes = (defect: string, method: string, path: string, asked: Ask = {}) =>
    withMockCore({ defect }, core => exchange(core, bytesOf(method, path, asked)))
  assert.is((await bytes('host-missing-connection-dropped', 'GET', USERS, { host: false })).length, 0)
  const cut = (await bytes('transport-logon-cut-off', 'POST', LOGON, { body: BODY })).toString()
  const [, length, body] = /Content-Length: (\d+)\r\n[\s\S]*\r\n\r\n([\s\S]*)$/.exec(cut) ?? []
  assert.is(body?.length, Number(length) >> 1)
  await withMockCore({ defect: 'host-missing-never-answered' }, async core => {
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

test('a name that is none is refused, and what was meant is said: before anything listens, also in a process of its own', async () => {
  const hint = '(core-conformance mock --defects lists them)'
  const message = (start: Promise<MockAddress>) =>
    start.then(
      core => core.close().then(() => 'started'),
      error => error.message,
    )
  const options = { ...USER, defect: 'host-not-cheked' }
  const words = `there is no defect "host-not-cheked"; did you mean "host-not-checked"? ${hint}`
  assert.is(await message(startMockCore(options)), words)
  assert.is(await message(forkMockCore(options)), `the mock Core did not start: ${words}`)
  for (const name of ['xyz', 'constructor'])
    assert.is(await message(startMockCore({ ...USER, defect: name })), `there is no defect "${name}" ${hint}`)
})

test.run()
