/** Runs that one process leaves and another finishes, with a Core and a clock under the test's control. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Exchange } from '../dist/core/exchange.js'
import type { SessionJournal } from '../dist/core/session-options.js'
import { realClock } from '../dist/engine/clock.js'
import type { Resumed } from '../dist/engine/journal.js'
import { runSuite } from '../dist/engine/run.js'
import { readJournal } from '../dist/journal/read.js'
import { replay } from '../dist/journal/replay.js'
import { Seal } from '../dist/journal/seal.js'
import { JournalWriter } from '../dist/journal/write.js'
import type { RunResult } from '../dist/result.js'
import type { LogonStep, SendStep, Spec, WaitStep } from '../dist/suite/spec.js'
import { runOn } from './support/checked-run.js'
import { makeFolder } from './support/folder.js'
import { runLineOf } from './support/run-line.js'
import { type CoreRequest, LOGON, type Reaction, ScriptedCore, withCore } from './support/scripted-core.js'
import { logonRequest, openSession } from './support/scripted-session.js'
import { CONFIGURATION, outcomes, recordOf, SEND, SUITE, specsOf } from './support/suite-run.js'

const test = suite('left and resumed')
const HOUR = 3_600_000
let seal: Seal

test.before(async () => {
  seal = await Seal.of('password', '00112233445566778899aabbccddeeff')
})

/** A Core that shares the clock of its runs. */
class Timed extends ScriptedCore {
  readonly leaps: number[] = []

  get logons(): number {
    return this.requests.filter(({ method, path }) => method === 'POST' && path === LOGON).length
  }
}

interface Process {
  specs: Spec[]
  maxTokens?: number
  /** Leaves waits that are longer. */
  detachAfterMs?: number
  /** Surveys the Core again, as for a mock Core that was replaced. */
  isSurveyedAgain?: boolean
}

async function inProcesses(core: Timed, processes: Process[]): Promise<RunResult[]> {
  const folder = makeFolder()
  const startMs = performance.now()
  const clock = {
    now: () => performance.now() - startMs + core.leaptMs,
    wall: () => Date.now() + core.leaptMs,
    leap: async (ms: number) => {
      core.leaps.push(ms)
      core.leaptMs += ms
    },
  }
  const results: RunResult[] = []
  await withCore(core, async ({ url, username, password, fingerprint }) => {
    for (const [index, { specs, maxTokens = null, detachAfterMs, isSurveyedAgain }] of processes.entries()) {
      const configuration = { ...CONFIGURATION, maxTokens }
      const line = runLineOf(seal, { startedAt: new Date().toISOString(), configuration })
      const journal = index
        ? JournalWriter.goOn(folder, clock.now(), seal, never)
        : JournalWriter.begin(folder, line, 0, seal, never)
      const before = readJournal(folder)
      const resumed: Resumed | undefined = index && before ? replay(before, seal, 0) : undefined
      if (isSurveyedAgain) delete resumed?.survey
      results.push(
        await runSuite({
          suite: SUITE,
          specs,
          target: { url, username, password, trust: { kind: 'fingerprint', sha256: fingerprint } },
          targetKind: 'core',
          configuration,
          clock,
          signal: new AbortController().signal,
          journal,
          ...(core.connect && { connect: core.connect }),
          ...(resumed && { resumed }),
          ...(detachAfterMs !== undefined && { detachAfterMs }),
        }),
      )
      journal.close()
    }
  })
  return results
}

function never(error: Error): never {
  throw error
}

const SHARED = ['idle-expires', 'idle-expires-elsewhere', 'idle-expires-head', 'idle-survives-logon']

test('what an earlier process found of HTTP/1.0 is told, though no spec that speaks it is left', async () => {
  const earlier = specsOf('host-missing-revokes-nothing-http10')
  const specs = [...earlier, ...specsOf('access-with-token')]
  const results = await inProcesses(new Timed(), [{ specs: earlier }, { specs, isSurveyedAgain: true }])
  assert.equal(
    results.map(({ facts }) => facts['http.1-0']),
    [true, true],
  )
})

test('who waits goes on with the tokens it has, and what was done is not done again', async () => {
  // The certificate is told of both.
  class OnWire extends Timed {
    override readonly isOnWire = true
  }
  const core = new OnWire()
  const specs = specsOf('access-with-token', ...SHARED, 'idle-still-valid', 'idle-use-resets')
  const [left, result] = await inProcesses(core, [{ specs, detachAfterMs: 1000 }, { specs }])
  assert.is(left?.verdict, 'pending')
  assert.is(left?.counts.pending, 6)
  assert.is(left?.tokens.left, 3)
  assert.is(result?.verdict, 'conformant', result?.reason)
  assert.is(result?.tokens.left, 0)
  // Only the spec that logs on at the end does, twice.
  assert.is(result?.tokens.issued, (left?.tokens.issued ?? 0) + 2)
  for (const { id, firstTry, exchanges } of result?.specs ?? []) {
    assert.is(firstTry, undefined, id)
    assert.ok(exchanges.length > 1, id)
  }
  assert.equal(result?.survey, left?.survey)
  assert.equal(result?.dialect, left?.dialect)
  assert.is(result?.target.certificateFingerprint, core.fingerprint)
  assert.equal(recordOf(result as RunResult, 'access-with-token'), recordOf(left as RunResult, 'access-with-token'))
})

test('a spec that is over while others of its unit wait stays so, and takes their token from nobody', async () => {
  class NoHead extends Timed {
    override answer(request: CoreRequest): Reaction {
      // Not in the survey, which would take the answer for acceptance.
      const isSpec = [...this.sessions.keys()].indexOf(request.token ?? '') > 1
      return request.method === 'HEAD' && isSpec && this.leaptMs === 0 ? { status: 404 } : super.answer(request)
    }
  }
  const core = new NoHead()
  const specs = specsOf(...SHARED)
  const [left, result] = await inProcesses(core, [{ specs, detachAfterMs: 1000 }, { specs }])
  assert.is(left?.counts.pending, SHARED.length)
  assert.is(left?.tokens.left, 1)
  assert.equal(
    SHARED.map(id => outcomes(result as RunResult)[id]),
    ['passed', 'passed', 'blocked', 'passed'],
  )
  assert.is(result?.tokens.left, 0)
  const waitedMs = core.leaps.reduce((sum, ms) => sum + ms, 0)
  assert.ok(waitedMs < 1.1 * HOUR, `${waitedMs} ms: nothing was begun anew`)
  assert.match(recordOf(result as RunResult, 'idle-expires-head').message ?? '', /expected accepted.*404/)
})

test('a token that died for no reason is looked into before anything waits, and stays in doubt', async () => {
  class Forgetful extends Timed {
    private forgotten = 0
    override accepts(token: string, request: CoreRequest): boolean {
      const uses = this.requests.filter(other => other.token === token).length
      // More uses than the survey sends.
      if (uses === 12 && this.forgotten++ === 0) this.sessions.delete(token)
      return super.accepts(token, request)
    }
  }
  const core = new Forgetful()
  const specs = specsOf('access-token-lasts', 'idle-still-valid')
  const [left, result] = await inProcesses(core, [{ specs, detachAfterMs: 1000 }, { specs }])
  assert.is(left?.verdict, 'pending')
  const { outcome, firstTry } = recordOf(left as RunResult, 'access-token-lasts')
  assert.is(outcome, 'passed')
  assert.match(firstTry ?? '', /expected accepted/)
  assert.is(result?.verdict, 'incomplete')
  assert.match(result?.reason ?? '', /^IDLE-3 is in doubt: a token was refused/)
})

const send = (token: string, others: Partial<SendStep> = {}): SendStep => ({
  ...SEND,
  role: 'probe',
  token: { name: token },
  expect: ['accepted'],
  ...others,
})

const logon = (token: string) => ({ action: 'logon', token, http: '1.1', tests: [] }) satisfies LogonStep
const wait = (fraction: number): WaitStep => ({
  action: 'wait',
  token: 'a',
  since: 'issued',
  span: { fraction },
  tests: [],
})

function spec(id: string, given: Spec['given'], steps: Spec['steps']): Spec {
  const [some] = SUITE.specs
  if (!some) throw new Error('the suite is empty')
  return { ...some, id, title: id, accessControl: 'on', level: 'must', measuresLifetime: false, given, steps }
}

test('what a step saved before a wait is there for the process that goes on', async () => {
  const save = [{ name: 'who', at: '/0/name' }]
  const specs = [
    spec('saves', [logon('a'), send('a', { save })], [wait(0.9), send('a', { headers: { 'X-Who': '{who}' } })]),
  ]
  const core = new Timed()
  const [left, result] = await inProcesses(core, [{ specs, detachAfterMs: 0.4 * HOUR }, { specs }])
  assert.is(left?.counts.pending, 1)
  assert.is(result?.verdict, 'conformant', result?.reason)
  const [sent] = core.requests.flatMap(({ headers }) => headers['x-who'] ?? [])
  assert.is(sent, core.username)
})

test('who has given tokens back before its wait needs no more than it has left, so that nobody waits for room', async () => {
  const specs = [
    spec(
      'gives',
      [logon('a'), logon('b')],
      [wait(0.3), send('b', { request: 'revoke', role: 'revoke', expect: [] }), wait(0.35), wait(0.9), send('a')],
    ),
    spec('holds', [logon('a')], [wait(0.9), send('a')]),
  ]
  const core = new Timed()
  const [left, result] = await inProcesses(core, [
    { specs, maxTokens: 2, detachAfterMs: 0.4 * HOUR },
    { specs, maxTokens: 2 },
  ])
  assert.is(left?.counts.pending, 2)
  assert.is(left?.tokens.left, 2, 'the one began to wait when the other had given a token back')
  assert.is(result?.verdict, 'conformant', result?.reason)
  assert.equal(
    result?.specs.map(({ firstTry }) => firstTry),
    [undefined, undefined],
  )
  const waitedMs = core.leaps.reduce((sum, ms) => sum + ms, 0)
  assert.ok(waitedMs < 1.3 * HOUR, `${waitedMs} ms of waits`)
})

test('a run that was killed at its very end needs nothing any more from the Core', async () => {
  const core = new Timed()
  const specs = specsOf('access-with-token', 'revocation-rejects')
  let asked = 0
  const [whole, result] = await inProcesses(core, [
    { specs },
    {
      specs,
      get maxTokens() {
        asked = core.requests.length
        return 5
      },
    },
  ])
  assert.is(whole?.verdict, 'conformant')
  assert.is(core.requests.length, asked)
  for (const key of ['verdict', 'specs', 'survey', 'dialect', 'facts', 'tokens', 'target'] as const) {
    assert.equal(result?.[key], whole?.[key], key)
  }
})

test('a second try that could not be sent leaves a spec as inconclusive as it was', async () => {
  class Late extends Timed {
    override idleMs = 1500
    private lates = 0
    override answer(request: CoreRequest): Reaction {
      const reaction = super.answer(request)
      // Once, after the refused logon, the answer takes longer than a token lives.
      const isLate = this.wrongLogons === 1 && this.lates++ === 0 && typeof reaction !== 'string'
      return isLate ? { ...reaction, afterMs: 1500 } : reaction
    }
  }
  const id = 'logon-refused-spares-tokens'
  const result = await runOn(new Late(), {
    // The waiting spec leaves time for another try.
    specs: specsOf(id, 'revocation-lasts'),
    configuration: { idleLifetimeMs: 1500, idleTolerance: 0.1, maxRefusedLogons: 1 },
    clock: realClock(),
  })
  const { outcome, message } = recordOf(result, id)
  assert.is(outcome, 'inconclusive', message)
  assert.match(message ?? '', /had been unused for .*; the second try was not sent: the budget of 1 refused/, message)
})

test('a logon whose token nobody has found yet is in flight still, for the journal', async () => {
  const core = new Timed()
  await withCore(core, async () => {
    const told: string[] = []
    const journal: SessionJournal = {
      issued: () => told.push('issued'),
      changed: () => {},
      refusing: () => {},
      loggingOn: () => {
        told.push('logon')
        return () => told.push('answered')
      },
    }
    const { session } = await openSession(core, { journal })
    const turn = () => new Promise(resolve => setImmediate(() => setImmediate(resolve)))
    const first = await session.exchange(logonRequest(core))
    await turn()
    assert.equal(told, ['logon'])
    session.tokenPointer = '/token'
    const token = session.take(first as Exchange, 'token a')
    await turn()
    assert.equal(told, ['logon', 'issued', 'answered'])
    session.take(await session.exchange(logonRequest(core)), 'token b')
    await turn()
    assert.equal(told.slice(3), ['logon', 'issued', 'answered'])
    assert.ok(token)
  })
})

test.run()
