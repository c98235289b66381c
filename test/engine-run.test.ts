/** Whole runs of the project's suite against small Cores, correct and wrong ones. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Spec, waits } from '../dist/suite/spec.js'
import { assertFailed, assertNoneFailed, only, runOn } from './support/checked-run.js'
import { long } from './support/long.js'
import { type CoreRequest, type Reaction, ScriptedCore } from './support/scripted-core.js'
import { outcomes, QUICK, SUITE, withOutcome } from './support/suite-run.js'

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

test('what a use does to the oldest token of all is seen, as long as that is unused', async () => {
  class Shortening extends ScriptedCore {
    override use(token: string, request: CoreRequest): void {
      super.use(token, request)
      const [oldest] = [...this.sessions].find(([each]) => this.accepts(each, request)) ?? []
      const session = this.sessions.get(oldest ?? '')
      if (session && oldest !== token) session.usedAtMs = Math.min(session.usedAtMs, request.atMs - 500_000)
    }
  }
  const some = only('idle-expires', 'idle-still-valid', 'idle-expires-alone', 'idle-every-use-resets')
  assert.equal(withOutcome(await runOn(new Shortening(), some), 'failed'), ['idle-still-valid'])
})

test.run()
