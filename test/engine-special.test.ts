/** Requests that are sent in special ways: behind another one, in a resumed TLS session, in chunks, at the same time. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { meetingOf } from '../dist/engine/at-once.js'
import { clockOf } from '../dist/engine/clock.js'
import { firstResponse } from '../dist/engine/special-connections.js'
import { type DialectData, startMockCore } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import type { Spec, Step } from '../dist/suite/spec.js'
import { runOn as runAndCheck } from './support/checked-run.js'
import { long } from './support/long.js'
import { CREDENTIALS, type MemoryRun, runInMemory } from './support/memory-run.js'
import { type CoreRequest, OddCore, type Reaction, ScriptedCore, USERS, WireCore } from './support/scripted-core.js'
import { ranging, recordOf, run, SUITE, specsOf } from './support/suite-run.js'

const test = suite('requests sent in a way of their own')

const BEHIND = [
  'connections-behind-no-token',
  'connections-behind-revoked-token',
  'connections-behind-expired-token',
  'connections-behind-no-host',
]
const RESUMED = ['connections-resumed-no-token', 'connections-resumed-revoked-token']
const NAMED = ['connections-named-no-host']

/** What a Core differs in. */
type Made = Pick<MemoryRun, 'defect'> & { dialect?: DialectData }

/** Runs specs in memory, or over TLS where they need it. */
async function runOn(ids: string[], made: Made = {}): Promise<RunResult> {
  const needsTls = ids.some(id => [...RESUMED, ...NAMED].includes(id))
  return needsTls ? runOverTls(specsOf(...ids), made) : runInMemory(specsOf(...ids), made)
}

async function runOverTls(specs: Spec[], made: Made): Promise<RunResult> {
  const core = await startMockCore({ ...CREDENTIALS, ...made })
  const reached = { url: new URL(core.url), fingerprint: core.certificateFingerprint, ...CREDENTIALS }
  try {
    return await run(reached, { specs, clock: clockOf(core.control) })
  } finally {
    await core.close()
  }
}

const seen = async (ids: string[], made: Made = {}) => {
  const result = await runOn(ids, made)
  assert.is(result.tokens.left, 0)
  return Object.fromEntries(ids.map(id => [id, recordOf(result, id).outcome]))
}
const all = (ids: string[], outcome: string) => Object.fromEntries(ids.map(id => [id, outcome]))

long(test)('an honest Core passes, and the request before is in the record', async () => {
  const ids = [...BEHIND, ...RESUMED, ...NAMED]
  assert.equal(await seen(ids), all(ids, 'passed'))
  const { exchanges } = recordOf(await runOn(BEHIND.slice(0, 1)), 'connections-behind-no-token')
  const statuses = exchanges.map(({ response }) => response?.status)
  // Logon and use, then twice a good request with another behind it, a use, and the revocation.
  assert.equal(statuses, [201, 200, 200, 401, 200, 401, 200, 204])
})

test('a Core that takes a request for what the one before it was fails', async () => {
  assert.equal(await seen(BEHIND, { defect: 'access-pipelined-request-inherits' }), all(BEHIND, 'failed'))
  const [none = '', revoked = ''] = RESUMED
  // Where a made-up token is accepted too, the acceptance of a revoked one proves nothing.
  const inherits = await seen(RESUMED, { defect: 'access-resumed-session-inherits' })
  assert.equal(inherits, { [none]: 'failed', [revoked]: 'blocked' })
  const forgotten = await seen(RESUMED, { defect: 'revoke-forgotten-in-resumed-session' })
  assert.equal(forgotten, { [none]: 'passed', [revoked]: 'failed' })
})

test('a Core that takes the name in the TLS handshake for a Host fails; where there is no TLS, nothing is judged', async () => {
  assert.equal(await seen(NAMED, { defect: 'host-named-in-tls-suffices' }), all(NAMED, 'failed'))
  const { message } = recordOf(await runInMemory(specsOf(...NAMED)), NAMED[0] ?? '')
  assert.is(message, 'needs TLS that does not name the server anyway, as it does where its address is a name')
})

test('a Core that wants no token over TLS 1.2, or where TLS names the protocol, fails; where it speaks no TLS, nothing is judged', async () => {
  const outcome = (result: RunResult) => recordOf(result, 'variations-requests').outcome
  for (const [way, defect] of [
    ['a connection of TLS 1.2', 'access-old-tls-needs-no-token'],
    ['a connection whose TLS is that of phones', 'access-protocol-in-tls-needs-no-token'],
  ] as const) {
    const specs = ranging('variations-requests', way)
    assert.is(outcome(await runOverTls(specs, {})), 'passed')
    assert.is(outcome(await runOverTls(specs, { defect })), 'failed')
    assert.is(outcome(await runInMemory(specs)), 'skipped')
  }
})

test('what is sent to compare with a logon in TLS of its own kind goes over ordinary TLS', async () => {
  const id = 'variations-logons-spare-others'
  const all = ranging(id, 'a connection whose TLS is that of phones')
  // Of the steps with rows, the one that wants tokens.
  const isWanted = (step: Step) => step.action !== 'send' || !step.each || step.expect.includes('issued')
  const specs = all.map(spec => ({ ...spec, steps: spec.steps.filter(isWanted) }))
  const result = await runOverTls(specs, { defect: 'logon+protocol-in-tls→gets-a-dead-token' })
  assert.is(recordOf(result, id).outcome, 'failed', recordOf(result, id).message)
})

test('a Core that closes each connection is not judged by what it does not do', async () => {
  const dialect: DialectData = { delivery: { close: true } }
  const ids = [...BEHIND, ...RESUMED]
  assert.equal(await seen(ids, { dialect }), all(ids, 'skipped'))
  const result = await runOn(BEHIND.slice(0, 1), { dialect })
  assert.is(
    recordOf(result, 'connections-behind-no-token').message,
    'needs a connection that stays open, and this Core closed it',
  )
})

test('a logon that was sent in another way than its own issued a token all the same, and it is given back', async () => {
  const used = new Set<number>()
  // A logon has to come first on its connection.
  const isLate = ({ method, connection }: CoreRequest) => method === 'POST' && used.has(connection)
  const core = new OddCore(request => (isLate(request) ? 'drop' : void used.add(request.connection)))
  const specs = specsOf('connections-behind-no-token').map(spec => ({
    ...spec,
    steps: spec.steps.map(step =>
      step.action === 'send' && step.behind ? { ...step, request: 'logon', role: 'logon' as const, expect: [] } : step,
    ),
  }))
  const result = await runAndCheck(core, { specs })
  assert.equal([core.sessions.size, core.left], [result.tokens.issued, []])
})

test('what a limit turns away behind another request is sent so again, more often than what a closed connection lost', async () => {
  class Reluctant extends ScriptedCore {
    private away = 0
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const { connection, token, path } = request
      const before = this.requests.at(-2)
      const isBehind = before?.connection === connection && before.token !== undefined && token === undefined
      return isBehind && path === USERS && this.away++ < 6 ? { status: 503 } : super.react(request)
    }
  }
  const id = BEHIND[0] ?? ''
  const { outcome, message } = recordOf(await runAndCheck(new Reluctant(), { specs: specsOf(id) }), id)
  assert.is(outcome, 'passed', message)
})

test('two requests at once wait until a limit of the Core has room for both', async () => {
  const ids = BEHIND.slice(0, 2)
  const specs = SUITE.specs.filter(({ id, area }) => ids.includes(id) || area === 'access')
  /** Serves 25 requests a second, and one more at once. */
  class Limiting extends ScriptedCore {
    private used = 0
    private latestMs = 0
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      this.used = Math.max(0, this.used - (request.atMs - this.latestMs) / 40)
      this.latestMs = request.atMs
      if (this.used > 1) return { status: 503 }
      this.used++
      return super.react(request)
    }
  }
  const result = await runAndCheck(new Limiting(), { specs, configuration: { concurrency: 1 } })
  const seen = ids.map(id => recordOf(result, id)).map(({ outcome, message }) => message ?? outcome)
  assert.equal(seen, ['passed', 'passed'])
})

test('a Core that does not wait for the rest of a head is not accused of what it then answers', async () => {
  class Hasty extends WireCore {
    override readonly headersTimeout = 100
  }
  const result = await runAndCheck(new Hasty(), {
    specs: specsOf('connections-slow-head'),
    configuration: { profile: 'full' },
  })
  const { outcome, message } = recordOf(result, 'connections-slow-head')
  assert.equal(
    [outcome, message],
    ['skipped', 'this Core does not wait for the rest of a head that comes with a pause'],
  )
})

test('the body of a logon in chunks arrives', async () => {
  const result = await runOn(['observe-chunked-logon'])
  assert.is(result.facts?.['chunked-logon.status'], 201)
  const defect = 'access-chunked-needs-no-token'
  assert.equal(await seen(['variations-connection-forgets-refusals'], { defect }), {
    'variations-connection-forgets-refusals': 'failed',
  })
})

/** Returns what came of the specs whose requests have a body that comes late, on a Core that reacts so. */
async function withLateBody(instead: (request: CoreRequest) => Reaction | undefined) {
  const ids = ['access-late-body', 'host-late-body', 'revocation-late-body', 'logon-late-body']
  const result = await runAndCheck(new OddCore(instead), { specs: specsOf(...ids), configuration: { profile: 'full' } })
  return ids.map(id => recordOf(result, id)).map(({ outcome, message }) => message ?? outcome)
}

test('what comes while the body of another request is still to come has its own answer', async () => {
  assert.equal(await withLateBody(() => undefined), ['passed', 'passed', 'passed', 'passed'])
  for (const [reaction, told] of [
    [{ status: 400 }, /need not: 400 Bad Request$/],
    ['drop', /need not: the connection ended without a response/],
  ] as const) {
    const noBody = await withLateBody(({ method, body }) => (method === 'GET' && body ? reaction : undefined))
    for (const message of noBody.slice(0, 3)) assert.match(message, told)
    assert.is(noBody[3], 'passed')
  }
  for (const [id, defect] of [
    ['access-late-body', 'access-body-beside-another-needs-no-token'],
    ['host-late-body', 'host-not-checked-beside-another'],
    ['revocation-late-body', 'revoke-lost-beside-use'],
    ['logon-late-body', 'logon-any-password-beside-right-one'],
  ] as const)
    assert.is(recordOf(await runOn([id], { defect }), id).outcome, 'failed', id)
})

test('a logon that came too soon after others is sent again, also where tokens are held, of which there may be no more', async () => {
  let logons = 0
  // The survey logs on twice, then the spec for its token.
  const isFourth = ({ method }: CoreRequest) => method === 'POST' && ++logons === 4
  const core = new OddCore(request => (isFourth(request) ? { status: 429 } : undefined))
  const holding: Step = { action: 'logon', token: 'a', http: '1.1', tests: [] }
  const specs = specsOf('observe-logon').map(spec => ({ ...spec, given: [holding] }))
  const result = await runAndCheck(core, { specs })
  assert.is(recordOf(result, 'observe-logon').outcome, 'observed')
  assert.is(result.facts?.['logon.status'], 201)
})

test('the first of several responses ends where HTTP says', () => {
  const end = (text: string) => firstResponse(Buffer.from(text))
  const head = 'HTTP/1.1 200 OK\r\n'
  const next = 'HTTP/1.1 401 Unauthorized\r\n'
  const whole = [
    `${head}Content-Length: 2\r\n\r\nab`,
    `${head}transfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: chunked\r\n\r\n2;x=y\r\nab\r\n0\r\nTrailer: z\r\n\r\n`,
    'HTTP/1.1 204 No Content\r\n\r\n',
    `HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n${head}Content-Length: 0\r\n\r\n`,
  ]
  for (const text of whole) {
    assert.is(end(text + next)?.length, text.length, text)
    for (let cut = 0; cut < text.length; cut++) assert.is(end(text.slice(0, cut)), undefined, `${cut} of ${text}`)
  }
  assert.is(end(whole[4] ?? '')?.status, 200)
  // Only the end of the connection ends this response.
  assert.is(end(`${head}\r\nab`), undefined)
  assert.is(end('SSH-2.0\r\n\r\n'), undefined)
})

test('requests at the same time wait for each other, and for none that does not come', async () => {
  const meet = meetingOf(2)
  let isFirst = false
  const first = meet().then(() => {
    isFirst = true
  })
  await sleep(5)
  assert.not(isFirst)
  await Promise.all([first, meet()])
  await meetingOf(2)()
})

test.run()
