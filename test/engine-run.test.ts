/** Whole runs of the project's suite against small Cores, correct and wrong ones. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Spec, waits } from '../dist/suite/spec.js'
import { assertFailed, assertNoneFailed, only, runOn } from './support/checked-run.js'
import { long } from './support/long.js'
import { type CoreRequest, type Reaction, ScriptedCore, type Session } from './support/scripted-core.js'
import { outcomes, QUICK, recordOf, SUITE, withOutcome } from './support/suite-run.js'

const test = suite('runs')

const isRanging = ({ given, steps }: Spec) =>
  [...given, ...steps].some(step => 'each' in step && step.each !== undefined)

/** One spec of each kind of refusal and of acceptance. */
const FEW = only(
  'access-with-token',
  'access-without-token',
  'access-unknown-token',
  'access-elsewhere-without-token',
  'access-other-connection',
  'access-two-tokens',
  'host-missing-access',
  'host-missing-access-http10',
  'host-missing-issues-nothing',
  'logon-issues-token',
  'logon-tokens-distinct',
  'logon-wrong-password',
  'revocation-rejects',
  'revocation-spares-older',
  'revocation-spares-others',
)

// ---- Correct Cores -----------------------------------------------------------------------------------------------

test('the result holds the whole ledger, also what no spec of the run tests', async () => {
  const core = new ScriptedCore()
  const { requirements = [], specs } = await runOn(core, { configuration: QUICK, ...only('logon-issues-token') })
  assert.is(specs.length, 1)
  assert.equal(
    requirements.map(({ id }) => id),
    [...SUITE.requirements.keys()],
  )
  const told = (id: string) => requirements.find(each => each.id === id)
  const { consequence, specs: idle = [], level } = told('IDLE-1') ?? {}
  assert.ok(consequence && idle.includes('idle-expires'), `${consequence}, ${idle}`)
  assert.is(level, 'must')
  assert.is(told('IDLE-20')?.level, 'observe')
  assert.match(told('EVENT-20')?.reason ?? '', /no way to receive/)
})

long(test)('short of time, an honest Core passes or is inconclusive, and is never accused', async () => {
  const core = new ScriptedCore()
  core.idleMs = 1500
  const configuration = { idleLifetimeMs: core.idleMs, idleTolerance: 0.1 }
  const result = await runOn(core, {
    specs: SUITE.specs.filter(spec => waits(spec) && !isRanging(spec)),
    configuration,
  })
  assertNoneFailed(result)
  assert.equal(withOutcome(result, 'blocked'), [])
  const { 'idle-expires': expires, 'idle-use-resets': resets } = outcomes(result)
  assert.ok(expires === 'passed' || expires === 'inconclusive', expires)
  assert.ok(resets === 'passed' || resets === 'inconclusive', resets)
})

// ---- Wrong Cores -------------------------------------------------------------------------------------------------

test('a Core that refuses everything proves nothing', async () => {
  for (const status of [401, 406, 404, 500]) {
    class Refusing extends ScriptedCore {
      override react(): Reaction {
        return { status, body: { code: status } }
      }
    }
    const result = await runOn(new Refusing(), FEW)
    assert.is(result.verdict, 'untestable')
    assert.equal([result.counts.passed, result.counts.failed, result.counts.observed], [0, 0, 0])
    assert.match(result.reason, new RegExp(String(status)))
    assert.ok(result.advice)
  }
})

test('a revocation that is forgotten after those of other specs is found out at the end of the run', async () => {
  class Forgets extends ScriptedCore {
    private readonly revoked: string[] = []
    override revoke(token: string, request: CoreRequest): Reaction {
      this.revoked.push(token)
      const forgotten = this.sessions.get(this.revoked.at(-5) ?? '')
      if (forgotten) forgotten.revoked = false
      return super.revoke(token, request)
    }
  }
  const late = 'revocation-survives-revocations'
  const others = ['revocation-rejects', 'revocation-head', 'access-two-tokens', 'logon-tokens-distinct']
  assertFailed(await runOn(new Forgets(), only(late, ...others)), [late])
  const core = new ScriptedCore()
  assertNoneFailed(await runOn(core, only(late, ...others)))
  const looked = core.requests.at(-1)
  assert.is(looked?.method, 'GET')
  const revoked = core.requests.filter(({ method }) => method === 'DELETE').map(({ token }) => token)
  assert.ok(
    revoked.length - revoked.indexOf(looked?.token) > 4,
    'the last request looks at a token that was revoked early',
  )
})

test('what requests do to the oldest token of all is seen, as long as it is unused', async () => {
  const oldest = (core: ScriptedCore, request: CoreRequest) =>
    [...core.sessions].find(([token]) => core.accepts(token, request))?.[1]
  class Shortening extends ScriptedCore {
    override use(token: string, request: CoreRequest): void {
      super.use(token, request)
      const session = oldest(this, request)
      if (session && session !== this.sessions.get(token))
        session.usedAtMs = Math.min(session.usedAtMs, request.atMs - 500_000)
    }
  }
  class Renewing extends ScriptedCore {
    override use(token: string, request: CoreRequest): void {
      super.use(token, request)
      const session = oldest(this, request)
      if (session) session.usedAtMs = request.atMs
    }
  }
  class Reviving extends ScriptedCore {
    override logon(request: CoreRequest): Reaction | Promise<Reaction> {
      const isExpired = ({ usedAtMs, revoked }: Session) => !revoked && usedAtMs < request.atMs - this.idleMs
      const newest = [...this.sessions.values()].findLast(isExpired)
      if (newest && !this.credentialsFit(request)) newest.usedAtMs = request.atMs
      return super.logon(request)
    }
  }
  const some = only('idle-expires', 'idle-still-valid', 'idle-expires-alone', 'idle-every-use-resets')
  assert.equal(withOutcome(await runOn(new Shortening(), some), 'failed'), ['idle-still-valid'])
  assert.equal(withOutcome(await runOn(new Renewing(), some), 'failed'), ['idle-expires-alone'])
  const revived = await runOn(new Reviving(), { ...some, left: true })
  assert.match(recordOf(revived, 'idle-expires-alone').message ?? '', /got 200 OK.*, which had expired$/)
})

long(test)('what a missing Host is answered, and what it does, are two things', async () => {
  class Status extends ScriptedCore {
    override withoutHost(): Reaction {
      return { status: 400 }
    }
  }
  const host = SUITE.specs.filter(({ area, level }) => area === 'host' && level === 'must')
  const wrongStatus = await runOn(new Status(), { specs: host })
  const byAnswer = host.filter(({ requirements }) => requirements.some(({ id }) => id === 'HOST-1')).map(({ id }) => id)
  assertFailed(wrongStatus, byAnswer)

  class Effect extends ScriptedCore {
    override withoutHost(request: CoreRequest): Reaction {
      if (this.isRevocation(request) && request.token) this.revoke(request.token, request)
      const token = request.method === 'POST' ? this.issue(request) : undefined
      return { status: 406, body: { code: 406, token } }
    }
  }
  const core = new Effect()
  const withEffect = await runOn(core, { specs: host, left: true })
  assertFailed(withEffect, [
    'host-missing-issues-nothing-http10',
    'host-missing-issues-nothing-http11',
    'host-missing-revokes-nothing-http10',
    'host-missing-revokes-nothing-http11',
  ])
  assert.equal(core.left, [], 'what was issued unasked was given back too')
})

test('a Core that answers nothing to a request without Host fails, and is not taken to be gone', async () => {
  const check = async (reaction: 'drop' | 'hang') => {
    class Silent extends ScriptedCore {
      override withoutHost(): Reaction {
        return reaction
      }
    }
    const result = await runOn(new Silent(), {
      ...only('host-missing-access-http11', 'host-missing-access-http10', 'access-with-token'),
      configuration: { deadlineMs: 1000 },
    })
    assertFailed(result, ['host-missing-access-http11', 'host-missing-access-http10'])
  }
  await Promise.all([check('drop'), check('hang')])
})

test.run()
