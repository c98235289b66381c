/** Runs against Cores that refuse in a way of their own, and against Cores that serve what they say that they refuse. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { DialectData } from '../dist/mock/index.js'
import { assertFailed, assertNoneFailed, only, runOn } from './support/checked-run.js'
import { runInMemory } from './support/memory-run.js'
import { type CoreReply, type CoreRequest, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { outcomes, recordOf, specsOf } from './support/suite-run.js'

const test = suite('refusals of any shape')

/** One spec and more of each behaviour that needs no wait. */
const FEW = [
  'access-with-token',
  'access-without-token',
  'access-unknown-token',
  'access-head-without-token',
  'logon-wrong-password',
  'host-missing-logon',
  'revocation-rejects',
  'revocation-unknown-token',
]

const ok = (body: string | null) => ({ status: 200, body: [0, 'ok', body] })
const error = { status: 200, headers: { 'WWW-Authenticate': null }, body: [40_101, 'an error', null] }
/** Fields without names, and a code of its own for each error. */
const LISTS: DialectData = {
  answers: {
    loggedOn: ok('{bearer}'),
    users: ok('{username}'),
    core: ok('core'),
    revoked: ok(null),
    tokenMissing: error,
    credentialsRefused: error,
  },
}

/** Refuses requests and logons alike. */
const refusing = (answer: object): DialectData => ({ answers: { tokenMissing: answer, credentialsRefused: answer } })
const CLOSING = refusing({ fate: 'dropped' })

const HABITS: [dialect: string | DialectData, refused: string][] = [
  ['rejections-302', 'header.location=/login'],
  ['rejections-200', 'body.success=false'],
  [LISTS, 'body.0=40101'],
  [CLOSING, 'closed'],
  [refusing({ status: 500 }), 'status=500'],
]

for (const [dialect, refused] of HABITS) {
  test(`${refused}: nobody is accused, and it stands in the dialect`, async () => {
    const result = await runInMemory(specsOf(...FEW), { dialect })
    assertNoneFailed(result)
    assert.is(result.verdict, 'conformant', result.reason)
    assert.equal(result.dialect.refused, [refused])
    assert.is(result.facts['access.refused'], refused)
    // An answer to HEAD has no body that could hold the sign.
    const isHidden = refused.startsWith('body')
    assert.is(recordOf(result, 'access-head-without-token').outcome, isHidden ? 'skipped' : 'passed')
  })
}

for (const [what, dialect, ...ids] of [
  ['closed', CLOSING, 'variations-token-characters', 'variations-authorization-schemes'],
  ['successes', LISTS, 'variations-request-methods', 'variations-request-paths'],
] as const)
  test(`refusals that are ${what} are no limit: the run does not slow down`, async () => {
    let requests = 0
    const result = await runInMemory(specsOf(...ids), { dialect, answered: () => requests++ })
    assertNoneFailed(result)
    assert.ok(requests > 60, `${requests}`)
    // On a busy machine, two of them may come in a moment in which nothing was served. What counts is what that costs: no second.
    const notices = result.notices.join('\n')
    assert.not.match(notices, /spent [\d.]+ (s|min)\b|serves nothing/, notices)
  })

test('an envelope with a code for each thing that goes wrong is no limit: nothing is blocked, and few wrong logons are sent again', async () => {
  const coded = (code: number, data: unknown = null) => ({ status: 200, body: { code, data } })
  class Envelope extends ScriptedCore {
    override issued = (token: string) => coded(0, { token })
    override revoke(token: string, request: CoreRequest) {
      super.revoke(token, request)
      return coded(0)
    }
    override answer = ({ path }: CoreRequest) => (path === USERS ? coded(0, [{ name: 'admin' }]) : coded(4004))
    override refusal = ({ method, token }: CoreRequest) =>
      coded(method === 'POST' ? 2001 : token === undefined ? 1001 : 1002)
  }
  const core = new Envelope()
  const logons = ['logon-wrong-password', 'logon-wrong-username', 'logon-missing-password']
  const elsewhere = ['access-elsewhere-without-token', 'access-elsewhere-unknown-token', 'revocation-elsewhere']
  const result = await runOn(core, only(...logons, ...elsewhere))
  assert.is(result.verdict, 'conformant', result.reason)
  assert.equal(result.dialect.refused, ['body.code=1001', 'body.code=1002'])
  assert.equal(result.notices, [])
  // The specs send four. The first goes out three times, until its answer is known to be that of no limit.
  assert.ok(core.wrongLogons <= 4 + 2, `${core.wrongLogons}`)
})

test('what is served counts, whatever the status says: the records prove it', async () => {
  class Leaking extends ScriptedCore {
    override refusal(request: CoreRequest): Reaction {
      const isLeak = request.path === USERS && request.method === 'GET' && this.leaks(request)
      return isLeak ? { ...(this.answer(request) as CoreReply), status: 401 } : super.refusal(request)
    }
    leaks(_request: CoreRequest): boolean {
      return true
    }
  }
  const open = await runOn(new Leaking(), { ...only(...FEW), left: true })
  const { message = '', outcome } = recordOf(open, 'access-without-token')
  assert.is(outcome, 'failed', message)
  assert.match(message, /got 401 Unauthorized, as a fresh token gets: it holds \{"id":1,"name":/)
  assert.is(open.requirements.find(({ id }) => id === 'ACCESS-1')?.state, 'not met')
  class LeakingRevoked extends Leaking {
    override leaks({ token }: CoreRequest): boolean {
      return this.sessions.has(token ?? '')
    }
  }
  assertFailed(await runOn(new LeakingRevoked(), { ...only(...FEW), left: true }), ['revocation-rejects'])
})

test('a token counts, whatever the status of its logon says', async () => {
  const honest = await runInMemory(specsOf(...FEW), { dialect: { answers: { loggedOn: { status: 401 } } } })
  assert.is(honest.verdict, 'conformant', honest.reason)
})

test('where nothing tells them apart, both are shown side by side, with the flag that helps', async () => {
  class Vague extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const words = [...'abcdefghij'].sort(() => Math.random() - 0.5).join('')
      return request.path === USERS && request.hasHost ? { status: 200, body: `state ${words}` } : super.react(request)
    }
  }
  const startMs = performance.now()
  const vague = await runOn(new Vague(), only(...FEW))
  assert.is(vague.verdict, 'untestable', vague.reason)
  const side = String.raw`200 OK, state \w+`
  assert.match(vague.reason ?? '', new RegExp(`^nothing tells what ${USERS} answers .*${side}.*${side}`))
  assert.match(vague.advice ?? '', /--refused/)
  assert.ok(performance.now() - startMs < 10_000)
})

test('what users state takes the place of what is found', async () => {
  // What is found is status=401.
  const tokenMissing = { body: { ok: 'no' } }
  const result = await runInMemory(specsOf('access-with-token', 'access-without-token', 'revocation-rejects'), {
    dialect: { answers: { tokenMissing } },
    configuration: { refused: ['body.ok=no'] },
  })
  assert.is(result.verdict, 'conformant', result.reason)
  assert.equal(result.dialect.refused, ['body.ok=no'])
})

test('a fault that a Core answers to a safe request each time is its answer', async () => {
  const dialect = { answers: { methodNotAllowed: { status: 520, reason: 'Unknown Error', body: '' } } }
  const result = await runInMemory(specsOf('logon-get-issues-nothing'), { dialect })
  assert.equal(outcomes(result), { 'logon-get-issues-nothing': 'passed' })
})

test.run()
