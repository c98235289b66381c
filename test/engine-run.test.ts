/** Whole runs of the project's suite, against the mock Core and against small Cores, correct and wrong ones. */
import { get } from 'node:http'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { controlledClock } from '../dist/engine/clock.js'
import { forkMockCore } from '../dist/mock/index.js'
import { type Spec, waits } from '../dist/suite/spec.js'
import { assertFailed, assertNoneFailed, CROSS_SECTION, messages, only, runOn } from './support/checked-run.js'
import { long } from './support/long.js'
import { type CoreRequest, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { outcomes, QUICK, recordOf, run, SPECS, SUITE, specsOf, withOutcome } from './support/suite-run.js'

const test = suite('runs')

function stateOf({ url, key }: { url: string; key: string }): Promise<{ tokens: Record<string, number> }> {
  return new Promise((resolve, reject) => {
    get(`${url}/state`, { headers: { Authorization: `Bearer ${key}` }, agent: false }, response => {
      let body = ''
      response.setEncoding('utf8').on('data', chunk => {
        body += chunk
      })
      response.on('end', () => resolve(JSON.parse(body)))
    }).on('error', reject)
  })
}

/** Specs with variations take as long as all others, so only every eighth of them runs. */
const isOneOfFew = (spec: Spec, index: number) => index % 8 === 0 || !isRanging(spec)
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

long(test)('the mock Core is conformant, in virtual time, and keeps no token', async () => {
  const password = 'Geheim-1234'
  const mock = await forkMockCore({ username: 'admin', password })
  try {
    const core = { url: new URL(mock.url), username: 'admin', password, fingerprint: mock.certificateFingerprint }
    const start = performance.now()
    // docs-numbers.test.ts runs the whole suite this way.
    const specs = [...(CROSS_SECTION.specs ?? []), ...specsOf('idle-expires', 'idle-use-resets', 'access-open')]
    const result = await run(core, { specs, clock: controlledClock(mock.control) })
    assertNoneFailed(result)
    assert.is(result.verdict, 'conformant', result.reason)
    assert.is(result.time, 'virtual')
    assert.equal(withOutcome(result, 'blocked'), [])
    assert.equal(withOutcome(result, 'inconclusive'), [])
    assert.equal(withOutcome(result, 'skipped'), ['access-open'])
    // Far less than the hour of idleness, and far more than a busy machine takes.
    assert.ok(performance.now() - start < 1_800_000, 'an hour of idleness was leapt over')
    const { tokens } = await stateOf(mock.control)
    assert.is(tokens.live, 0)
    assert.is(tokens.issued, result.tokens.issued)
    assert.is(result.tokens.left, 0)
    assert.is(result.target.certificateFingerprint, mock.certificateFingerprint)
    assert.not.ok(JSON.stringify(result).includes(password))
  } finally {
    await mock.close()
  }
})

long(test)('an honest Core is conformant', async () => {
  const core = new ScriptedCore()
  // engine-each.test.ts tests all forms of variations; this test runs some of each.
  const result = await runOn(core, { configuration: QUICK, specs: SPECS.filter(isOneOfFew) })
  assertNoneFailed(result)
  assert.is(result.verdict, 'conformant', result.reason)
  assert.is(result.counts.blocked + result.counts.inconclusive, 0)
  assert.is(result.tokens.issued, core.sessions.size)
  assert.is(result.refusedLogons, core.wrongLogons)
})

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

long(test)('an honest Core is never accused for its dialect', async () => {
  class Dialect extends ScriptedCore {
    override newToken(): string {
      return `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(super.newToken()).toString('base64url')}.c2ln_-${super.newToken()}`
    }
    override issued(token: string): Reaction {
      return { status: 200, body: { data: { role: 'admin', access_token: token, at: Date.now() } } }
    }
    override refusal(): Reaction {
      return { status: 403, body: { error: 'denied', trace: crypto.randomUUID(), at: new Date().toISOString() } }
    }
    override withoutHost(): Reaction {
      return { status: 406, headers: { Connection: 'close' } }
    }
    override revoke(token: string, request: CoreRequest): Reaction {
      super.revoke(token, request)
      return { status: 200, body: 'bye' }
    }
  }
  class Role extends ScriptedCore {
    override answer({ path }: CoreRequest): Reaction {
      return { status: path === USERS ? 403 : 404, body: { message: 'not for this role', trace: crypto.randomUUID() } }
    }
  }
  class NoHttp10 extends ScriptedCore {
    override react(request: CoreRequest) {
      return request.httpVersion === '1.0' ? { status: 505 } : super.react(request)
    }
  }
  class Newest extends ScriptedCore {
    override issue(request: CoreRequest): string {
      for (const session of this.sessions.values()) session.revoked = true
      return super.issue(request)
    }
  }
  class Closing extends ScriptedCore {
    override async react(request: CoreRequest): Promise<Reaction> {
      const reaction = await super.react(request)
      return typeof reaction === 'string'
        ? reaction
        : { ...reaction, headers: { ...reaction.headers, Connection: 'close' } }
    }
  }
  const check = async (core: ScriptedCore) => {
    // The first Core differs in most of the traits that the suite checks.
    const { specs } = core instanceof Dialect ? CROSS_SECTION : FEW
    const result = await runOn(core, { specs: specs ?? [], left: core instanceof Newest })
    assertNoneFailed(result)
    assert.ok(
      result.counts.passed > (core instanceof Dialect ? 22 : 7),
      `${core.constructor.name}: ${JSON.stringify(result.counts)}`,
    )
    assert.is(result.counts.blocked, 0, messages(result, withOutcome(result, 'blocked')))
    // A role, or a missing path: the notice is enough for the reader.
    const told = result.notices.some(notice => notice.includes('is answered 403') && notice.includes('--probe-path'))
    assert.is(told, core instanceof Role)
  }
  // Side by side, since each run waits now and then.
  await Promise.all([new Dialect(), new Role(), new NoHttp10(), new Newest(), new Closing()].map(check))
})

long(test)('a Core with a limit of tokens is not run into it for long, and not accused', async () => {
  class Limited extends ScriptedCore {
    limit = 3
    override logon(request: CoreRequest) {
      const live = [...this.sessions.values()].filter(({ revoked }) => !revoked).length
      return live >= this.limit && this.credentialsFit(request) ? { status: 429 } : super.logon(request)
    }
  }
  const check = async (limit: number) => {
    const core = new Limited()
    core.limit = limit
    const result = await runOn(core, limit === 3 ? CROSS_SECTION : FEW)
    assertNoneFailed(result)
    assert.is(result.counts.blocked, 0, messages(result, withOutcome(result, 'blocked')))
    assert.ok(result.counts.passed >= (limit === 3 ? 20 : 10), `${limit}: ${JSON.stringify(result.counts)}`)
  }
  // Side by side, since each run waits for room.
  await Promise.all([2, 3, 10].map(check))
})

test('a Core that limits the rate is respected, and not accused', async () => {
  let count = 0
  class Rate extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      return ++count % 5 === 0 ? { status: 429, headers: { 'Retry-After': '0' } } : super.react(request)
    }
  }
  const core = new Rate()
  // Each refusal slows the run down for good, so a few of each kind are enough.
  const result = await runOn(
    core,
    only(
      'access-with-token',
      'access-unknown-token',
      'host-missing-access',
      'host-missing-issues-nothing',
      'logon-issues-token',
      'logon-wrong-password',
      'revocation-rejects',
      'revocation-spares-others',
    ),
  )
  assert.ok(count > 40, `${count} requests`)
  assertNoneFailed(result)
  assert.is(result.verdict, 'conformant', messages(result, withOutcome(result, 'blocked')))
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

long(test)('a Core that accepts everything fails wherever something is to be refused', async () => {
  class Accepting extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      if (request.method === 'POST') return this.issued(this.issue(request), request)
      return { status: 200, body: [] }
    }
  }
  const result = await runOn(new Accepting(), CROSS_SECTION)
  assert.is(result.verdict, 'nonconformant')
  const seen = outcomes(result)
  for (const id of ['access-with-token', 'logon-issues-token', 'logon-tokens-distinct'])
    assert.is(seen[id], 'passed', id)
  for (const id of [
    'access-without-token',
    'access-unknown-token',
    'access-token-changed',
    'logon-wrong-password',
    'logon-missing-password',
    'host-missing-logon',
    'host-missing-access-http10',
    'host-missing-issues-nothing',
    'revocation-rejects',
    'revocation-survives-logon',
  ]) {
    assert.is(seen[id], 'failed', id)
  }
})

long(test)('an open Core fails on a run with access control, and passes on one without', async () => {
  class Open extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      if (!request.hasHost) return this.withoutHost(request)
      if (request.method === 'POST') return super.react(request)
      return this.isRevocation(request) ? { status: 204 } : this.answer(request)
    }
  }
  const closed = await runOn(new Open(), FEW)
  assert.is(closed.verdict, 'nonconformant')
  assert.is(outcomes(closed)['access-without-token'], 'failed')
  const open = await runOn(new Open(), { configuration: { ...QUICK, accessControl: 'off' } })
  assert.is(open.verdict, 'conformant', open.reason)
  const passed = open.specs.filter(({ outcome }) => outcome === 'passed')
  assert.ok(passed.some(({ id }) => id === 'access-open'))
  assert.equal([...new Set(passed.map(({ area }) => area))], ['open'])
  const guarded = await runOn(new ScriptedCore(), { ...only('access-open'), configuration: { accessControl: 'off' } })
  assert.is(guarded.verdict, 'nonconformant')
  assert.is(outcomes(guarded)['access-open'], 'failed')
})

test('a revocation without effect is found out', async () => {
  class Noop extends ScriptedCore {
    override revoke(): Reaction {
      return { status: 204 }
    }
  }
  const result = await runOn(new Noop(), only('revocation-rejects', 'revocation-spares-others', 'logon-issues-token'))
  assertFailed(result, ['revocation-rejects'])
  assert.match(
    recordOf(result, 'revocation-rejects').message ?? '',
    /expected rejected.*got 200 OK, as a fresh token gets/,
  )
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

long(test)('a revocation that takes all tokens of the user with it is found out', async () => {
  class All extends ScriptedCore {
    override revoke(): Reaction {
      for (const session of this.sessions.values()) session.revoked = true
      return { status: 204 }
    }
  }
  // Side by side, specs also lose their tokens to each other's revocations; alone, each shows its own subject.
  const together = [1, 4].map(async concurrency => {
    const result = await runOn(new All(), { ...FEW, configuration: { concurrency }, left: true })
    assert.is(result.verdict, 'nonconformant')
  })
  const each = ['revocation-spares-others', 'revocation-spares-older'].map(async id => {
    const alone = await runOn(new All(), { ...only(id), left: true })
    assert.is(outcomes(alone)[id], 'failed', recordOf(alone, id).message)
  })
  await Promise.all([...together, ...each])
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

test('any password for any token is found out', async () => {
  class AnyPassword extends ScriptedCore {
    override credentialsFit(): boolean {
      return true
    }
  }
  const core = new AnyPassword()
  const result = await runOn(core, only('logon-wrong-password', 'logon-issues-token'))
  assertFailed(result, ['logon-wrong-password'])
})

long(test)('tokens that never expire, or expire in spite of use, are found out', async () => {
  const idle = ['idle-expires', 'idle-use-resets']
  // Busy CI machines were seen to stall for half a second; a fifth of the lifetime must outlast that.
  const configuration = { idleLifetimeMs: 8000, idleTolerance: 0.2 }
  class Never extends ScriptedCore {}
  class Absolute extends ScriptedCore {
    override use(): void {}
  }
  const absolute = new Absolute()
  absolute.idleMs = 8000
  // Side by side, since both wait.
  const runs = [new Never(), absolute].map(core => runOn(core, { ...only(...idle), configuration }))
  const [never, ended] = await Promise.all(runs)
  assert.is(never && outcomes(never)['idle-expires'], 'failed')
  assert.is(ended && outcomes(ended)['idle-use-resets'], 'failed')
})

test.run()
