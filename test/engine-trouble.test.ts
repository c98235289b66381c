/** Whole runs with trouble that is no matter of conformance: time, interruptions, failures on the way. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leapingClock, realClock } from '../dist/engine/clock.js'
import type { DialectData } from '../dist/mock/index.js'
import { type SendStep, type Spec, waits } from '../dist/suite/spec.js'
import { assertNoneFailed, only, runOn } from './support/checked-run.js'
import { runInMemory } from './support/memory-run.js'
import { type CoreReply, type CoreRequest, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { outcomes, recordOf, SEND, SPECS, specsOf, withOutcome } from './support/suite-run.js'

const test = suite('runs in trouble')

/** Too few tokens to watch over the others, so every late use belongs to the spec. */
const UNWATCHED = { idleLifetimeMs: 1000, idleTolerance: 0.1, maxTokens: 2 }

/** A Core with a short lifetime that delays its answers to some late first uses of tokens. */
class Late extends ScriptedCore {
  override idleMs = 1000
  private uses = 0
  private readonly issuedAtMs = new Map<string, number>()
  private readonly used = new Set<string>()

  override issue(request: CoreRequest): string {
    const token = super.issue(request)
    this.issuedAtMs.set(token, request.atMs)
    return token
  }

  constructor(private readonly delays: number[]) {
    super()
  }

  override answer(request: CoreRequest): Reaction {
    const reaction = super.answer(request)
    const { token = '', atMs } = request
    const isFirst = !this.used.has(token)
    this.used.add(token)
    // The survey uses its tokens at once.
    if (typeof reaction === 'string' || !isFirst || atMs - (this.issuedAtMs.get(token) ?? atMs) < 500) return reaction
    return { ...reaction, afterMs: this.delays[this.uses++] ?? 0 }
  }
}

// Uses late in the lifetime are answered after its limit.
for (const [often, outcome, verdict] of [
  [1, 'passed', 'conformant'],
  [4, 'inconclusive', 'incomplete'],
] as const)
  test(`a Core that answers late (${often}) did nothing wrong, and the window that was missed is tried again`, async () => {
    const core = new Late(Array(often).fill(500))
    const result = await runOn(core, { ...only('idle-use-resets'), configuration: UNWATCHED })
    const { message, firstTry, steps, ...record } = recordOf(result, 'idle-use-resets')
    assert.equal([record.outcome, result.verdict], [outcome, verdict], message)
    for (const text of outcome === 'passed' ? [firstTry] : [message, firstTry])
      assert.match(text ?? '', /had been unused for .* can only be judged under 900 ms/)
    if (outcome === 'passed') return
    const { gap } = steps.find(step => step.outcome === 'missed window') ?? {}
    assert.ok(gap && gap.shortestMs >= 500 && gap.shortestMs < gap.longestMs && gap.longestMs >= 1000, String(gap))
  })

test('a window that was missed twice is tried again with less going on', async () => {
  class Slow extends Late {
    override async react(request: CoreRequest): Promise<Reaction> {
      const reaction = await super.react(request)
      // Another try may take half the time of the run so far.
      return this.requests.length > 1 || typeof reaction === 'string' ? reaction : { ...reaction, afterMs: 1500 }
    }
  }
  const result = await runOn(new Slow([500, 500]), { ...only('idle-use-resets'), configuration: UNWATCHED })
  const { outcome, message } = recordOf(result, 'idle-use-resets')
  assert.is(outcome, 'passed', message)
  assert.is(result.verdict, 'conformant')
})

test('an interruption while the Core limits the rate still gives every token back', async () => {
  const controller = new AbortController()
  const refused = new Set<string>()
  class Limiting extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const limited: CoreReply = { status: 429, headers: { 'Retry-After': '1' } }
      // Each revocation is delayed once.
      if (controller.signal.aborted && request.token && !refused.has(request.token)) {
        refused.add(request.token)
        return limited
      }
      return super.react(request)
    }
  }
  const core = new Limiting()
  const timer = setInterval(() => {
    if (core.sessions.size >= 6) controller.abort()
  }, 10)
  const result = await runOn(core, {
    specs: SPECS.filter(spec => waits(spec) && spec.area !== 'variations'),
    signal: controller.signal,
    clock: realClock(),
  })
  clearInterval(timer)
  assert.is(result.verdict, 'incomplete')
  assert.equal(
    [...core.sessions.values()].filter(({ revoked }) => !revoked),
    [],
  )
})

test('an interruption within a long series of requests does not wait for its end', async () => {
  const controller = new AbortController()
  class Long extends ScriptedCore {
    override answer(request: CoreRequest): Reaction {
      if (this.requests.length > 100) controller.abort()
      return super.answer(request)
    }
  }
  const core = new Long()
  const result = await runOn(core, { ...only('connections-repeated-uses'), signal: controller.signal })
  assert.is(result.verdict, 'incomplete')
  assert.ok(core.requests.length < 120, String(core.requests.length))
})

test('a Core that never has room for a second token has a limit, however it says so', async () => {
  for (const status of [200, 403, 429, 500, 503]) {
    const dialect = { limits: { tokens: 1 }, answers: { tooManyTokens: { status } } }
    const { specs } = await runInMemory(specsOf('logon-tokens-distinct'), { dialect })
    assert.is(specs[0]?.outcome, 'skipped', `${status}`)
  }
})

test('an interruption before the start, and in the survey', async () => {
  const few = only('access-with-token', 'idle-expires')
  const early = await runOn(new ScriptedCore(), { ...few, signal: AbortSignal.abort() })
  assert.is(early.verdict, 'incomplete')
  assert.equal([early.counts.passed, early.counts.failed, early.counts.blocked], [0, 0, 0])
  const controller = new AbortController()
  class InSurvey extends ScriptedCore {
    override answer(): Reaction {
      controller.abort()
      return { status: 429, headers: { 'Retry-After': '30' } }
    }
  }
  const core = new InSurvey()
  const result = await runOn(core, { ...few, signal: controller.signal })
  assert.is(result.verdict, 'incomplete')
  assert.ok(core.sessions.size > 0)
})

/** Takes three logons per second, and says so in its own way. */
const throttled = (tooManyLogons: object): DialectData => ({
  limits: { logons: { count: 3, perMs: 1000 } },
  answers: { tooManyLogons },
})

test('a limit to logons that is told by another status, or by hanging up, is waited for and not judged', async () => {
  const specs = specsOf('logon-issues-token', 'logon-repeated', 'access-two-tokens')
  for (const told of [{ status: 503 }, { status: 403, body: { message: 'slow down' } }, { fate: 'dropped' }])
    assert.is(
      (await runInMemory(specs, { dialect: throttled(told) })).counts.passed,
      specs.length,
      JSON.stringify(told),
    )
})

test('where a limit is known, an error that was the answer to one request before is soon known as that to another', async () => {
  const tries = new Map<string, number>()
  class Erring extends ScriptedCore {
    private used = 0
    private latestMs = 0
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      this.used = Math.max(0, this.used - (request.atMs - this.latestMs) / 150)
      this.latestMs = request.atMs
      if (this.used > 4) return { status: 503 }
      this.used++
      if (/^(GET|POST|DELETE)$/.test(request.method)) return super.react(request)
      tries.set(request.method, (tries.get(request.method) ?? 0) + 1)
      return { status: 500 }
    }
  }
  const specs = specsOf('variations-requests', 'variations-request-methods')
  const result = await runOn(new Erring(), { specs, configuration: { concurrency: 1 } })
  assertNoneFailed(result)
  // One such request is tried six times where that may be the limit.
  const sorted = [...tries.values()].sort((a, b) => a - b)
  assert.ok(sorted.length > 4 && (sorted[sorted.length >> 1] ?? 0) <= 3, JSON.stringify([...tries]))
})

test('who waited for a connection while the Core asked for a pause keeps it, too', async () => {
  const specs = SPECS.filter(spec => spec.area === 'revocation' && spec.bystanders === undefined && !waits(spec)).slice(
    0,
    12,
  )
  // All of them are admitted before the first refusal, and wait for the one connection.
  let refusals = 0
  const result = await runInMemory(specs, {
    dialect: throttled({ status: 429, headers: { 'Retry-After': '1' } }),
    configuration: { concurrency: 1 },
    answered: ({ status }) => void (status === 429 && refusals++),
  })
  assertNoneFailed(result)
  const { passed, skipped, selected } = result.counts
  // Specs that need more than one connection are skipped.
  assert.ok(passed > specs.length / 2 && passed + skipped === selected, JSON.stringify(result.counts))
  // It tries now and then whether it may go faster.
  assert.ok(refusals <= 6, `${refusals} refused`)
})

test('a Core that refuses every second logon for no reason is no such Core', async () => {
  class Moody extends ScriptedCore {
    private count = 0
    override logon(request: CoreRequest): Reaction | Promise<Reaction> {
      return ++this.count % 2 === 0 && this.count > 2 ? { status: 403 } : super.logon(request)
    }
  }
  // Whether this run holds a token at that moment.
  const judged = async (id: string) => {
    const result = await runOn(new Moody(), { specs: specsOf(id) })
    assert.equal(withOutcome(result, 'failed'), [id])
  }
  await Promise.all(['logon-repeated', 'logon-tokens-distinct'].map(judged))
})

/** A Core that cuts its first answers to logons short. */
class Cut extends ScriptedCore {
  private logons = 0

  constructor(
    private readonly times: number,
    private readonly status = 201,
  ) {
    super()
  }

  override issued(token: string, request: CoreRequest): Reaction {
    if (++this.logons > this.times) return super.issued(token, request)
    const headers = { 'Content-Length': '500', Connection: 'close' }
    return { status: this.status, headers, body: `{"token":"${token.slice(0, 20)}` }
  }
}

test('a logon that succeeds and never comes whole is a failure of the Core; the rest cannot be judged', async () => {
  const few = only('logon-issues-token', 'access-with-token', 'idle-expires')
  const result = await runOn(new Cut(99), { ...few, left: true })
  assert.is(result.verdict, 'nonconformant')
  assert.equal(withOutcome(result, 'failed'), ['logon-issues-token'])
  assert.equal(withOutcome(result, 'passed'), [])
  const { message } = recordOf(result, 'logon-issues-token')
  assert.match(message ?? '', /a token is issued; got 201 Created, but the connection ended in the middle/)
  // Three tries in the survey and three in the spec: the repeated failure is judged, and nobody knows the tokens.
  assert.is(result.tokens.left, 6)
})

test('a right logon that is never answered is a failure of the Core, where a wrong one is refused in time', async () => {
  class Hangs extends ScriptedCore {
    constructor(private readonly isTarpit: boolean) {
      super()
    }

    override logon(request: CoreRequest): Reaction | Promise<Reaction> {
      return this.isTarpit || this.credentialsFit(request) ? 'hang' : super.logon(request)
    }
  }
  const options = { ...only('logon-issues-token', 'access-with-token'), configuration: { deadlineMs: 300 }, left: true }
  const result = await runOn(new Hangs(false), options)
  assert.is(result.verdict, 'nonconformant')
  assert.equal(withOutcome(result, 'failed'), ['logon-issues-token'])
  assert.match(recordOf(result, 'logon-issues-token').message ?? '', /a token is issued; got no response within 0\.3 s/)
  // The credentials may be wrong, and the Core may delay refusals.
  const other = await runOn(new Hangs(true), options)
  assert.is(other.verdict, 'untestable')
  assertNoneFailed(other)
})

test('a logon that was cut once is sent again, and the run goes on', async () => {
  const result = await runOn(new Cut(1), { ...only('access-with-token'), left: true })
  assert.is(result.verdict, 'conformant', result.reason)
  assert.is(result.survey[0]?.earlier?.[0]?.error?.kind, 'closed')
  assert.is(result.tokens.left, 1)
})

test('a logon that is refused and cut, or is not selected, accuses nobody', async () => {
  for (const [core, options] of [
    [new Cut(99, 401), only('logon-issues-token')],
    [new Cut(99), only('access-with-token')],
  ] as const) {
    const result = await runOn(core, { ...options, left: true })
    assert.is(result.verdict, 'untestable')
    assertNoneFailed(result)
  }
})

test('a clock that cannot be advanced blocks what waits, and nothing else', async () => {
  const clock = { ...realClock(), leap: () => Promise.reject(new Error('no control')) }
  const result = await runOn(new ScriptedCore(), { clock, ...only('idle-expires', 'access-with-token') })
  assert.is(outcomes(result)['access-with-token'], 'passed')
  assert.is(outcomes(result)['idle-expires'], 'blocked')
  assert.match(recordOf(result, 'idle-expires').message ?? '', /no control/)
  assert.is(result.verdict, 'incomplete')
})

test('a revocation that the Core turns away is no revocation that failed', async () => {
  // The survey and the cleanup see none of it.
  class PutOff extends ScriptedCore {
    override revoke(token: string, request: CoreRequest): Reaction {
      const isOfSpec =
        [...this.requests].filter(({ token: other, path }) => other === token && path === USERS).length === 1
      return isOfSpec ? { status: 429, headers: { 'Retry-After': '0' } } : super.revoke(token, request)
    }
  }
  const result = await runOn(new PutOff(), { ...only('revocation-rejects'), left: true })
  const { outcome, message } = recordOf(result, 'revocation-rejects')
  assert.is(outcome, 'blocked', message)
  assert.match(message ?? '', /429 Too Many Requests \(at try 3\): the Core limits the rate, also after waiting/)
  assert.is(result.verdict, 'incomplete')
})

test('of a logon answer that was cut, nothing is shown of the token, and the token is given back', async () => {
  let logons = 0
  class Cutting extends ScriptedCore {
    /** The tokens that came whole in incomplete answers. */
    readonly whole = new Set<string>()
    override issued(token: string): Reaction {
      const body = JSON.stringify({ token })
      // The survey gets whole answers. Later answers promise more bytes than they send, and the connection ends.
      if (++logons <= 2) return { status: 201, body }
      if (logons % 2) this.whole.add(token)
      const kept = logons % 2 ? body : body.slice(0, 40)
      return { status: 201, headers: { 'Content-Length': String(body.length + 10), Connection: 'close' }, body: kept }
    }
  }
  const core = new Cutting()
  const result = await runOn(core, {
    ...only('logon-issues-token', 'access-with-token'),
    configuration: { deadlineMs: 400, concurrency: 1 },
    left: true,
  })
  assert.is(outcomes(result)['logon-issues-token'], 'failed')
  assert.is(outcomes(result)['access-with-token'], 'blocked')
  const text = JSON.stringify(result)
  for (const token of core.sessions.keys()) {
    for (let at = 0; at + 12 <= token.length; at++) {
      assert.not.ok(text.includes(token.slice(at, at + 12)), 'a part of a token is shown')
    }
  }
  assert.ok(core.whole.size > 0)
  assert.equal(
    core.left.filter(token => core.whole.has(token)),
    [],
  )
})

function specOf(steps: Spec['steps']): Spec {
  const [like] = specsOf('access-with-token')
  if (!like) throw new Error('no spec')
  return { ...like, id: 'own', given: [{ action: 'logon', token: 'a', http: '1.1', tests: [] }], steps }
}

const USE: SendStep = { ...SEND, role: 'probe', token: { name: 'a' }, connection: 'new' }

test('a request that was never answered may have been use all the same', async () => {
  class Mute extends ScriptedCore {
    override idleMs = 600
    private readonly issuedAt = new Map<string, number>()
    override issue(request: CoreRequest): string {
      const token = super.issue(request)
      this.issuedAt.set(token, request.atMs)
      return token
    }
    override answer(request: CoreRequest): Reaction {
      const age = request.atMs - (this.issuedAt.get(request.token ?? '') ?? 0)
      return age > 200 && age < 450 ? 'drop' : super.answer(request)
    }
  }
  const spec = specOf([
    { action: 'wait', token: 'a', since: 'issued', span: { fraction: 0.5 }, tests: [] },
    USE,
    { action: 'wait', token: 'a', since: 'used', span: 'past lifetime', tests: [] },
    { ...USE, expect: ['expired'], tests: ['IDLE-1'] },
  ])
  const configuration = { idleLifetimeMs: 600, idleTolerance: 0.1 }
  const result = await runOn(new Mute(), { specs: [spec], configuration })
  assert.is(recordOf(result, 'own').outcome, 'passed', recordOf(result, 'own').message)
})

test('on a slow Core with a short lifetime, tokens that watch a long series are used, and none is counted as lost', async () => {
  class Slow extends ScriptedCore {
    override idleMs = 8000
    readonly clock = leapingClock(ms => {
      this.leaptMs += ms
    })
    override async react(request: CoreRequest): Promise<Reaction> {
      await this.clock.leap?.(300)
      return super.react(request)
    }
  }
  const core = new Slow()
  const { clock } = core
  const configuration = { idleLifetimeMs: core.idleMs, idleTolerance: 0.1 }
  const result = await runOn(core, { ...only('variations-revocations-without-token'), clock, configuration })
  const { outcome, message, atMs, durationMs } = recordOf(result, 'variations-revocations-without-token')
  assert.is(outcome, 'passed', message)
  assert.ok(durationMs > core.idleMs, `it took ${durationMs} ms from ${atMs} ms on`)
  assert.ok(core.sessions.size < 20, `${core.sessions.size} logons`)
})

test('a request that cannot be sent blocks its spec, and accuses nobody', async () => {
  const spec = specOf([{ ...USE, headers: { 'X-Bad': 'no € here' }, expect: ['accepted'], tests: ['ACCESS-2'] }])
  const result = await runOn(new ScriptedCore(), { specs: [spec] })
  assert.is(recordOf(result, 'own').outcome, 'blocked')
  assert.match(recordOf(result, 'own').message ?? '', /cannot be sent/)
})

test('a run of no specs, and one of nothing that applies, prove nothing', async () => {
  const core = new ScriptedCore()
  assert.is((await runOn(core, { specs: [] })).verdict, 'untestable')
  const open = new ScriptedCore()
  assert.is((await runOn(open, only('access-open'))).verdict, 'untestable')
  assert.is(open.requests.length, 0)
})

test.run()
