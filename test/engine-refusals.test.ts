/** Runs against Cores that refuse in a way of their own, and against Cores that serve what they say that they refuse. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RunResult } from '../dist/result.js'
import { assertFailed, assertNoneFailed, only, runOn } from './support/checked-run.js'
import { type CoreReply, type CoreRequest, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { CONFIGURATION, type RunWith, recordOf } from './support/suite-run.js'

const test = suite('refusals of any shape')

/** One spec and more of each behaviour that needs no wait. */
const FEW = only(
  'access-with-token',
  'access-without-token',
  'access-unknown-token',
  'access-head-without-token',
  'logon-wrong-password',
  'host-missing-logon',
  'revocation-rejects',
  'revocation-unknown-token',
)

const judge = (core: ScriptedCore, options: RunWith = FEW): Promise<RunResult> => runOn(core, options)

class Redirecting extends ScriptedCore {
  override refusal({ path }: CoreRequest): Reaction {
    return { status: 302, headers: { Location: `/login?next=${encodeURIComponent(path)}` } }
  }
}

class Enveloping extends ScriptedCore {
  override async react(request: CoreRequest): Promise<Reaction> {
    const reaction = await super.react(request)
    if (typeof reaction === 'string' || reaction.status === 406) return reaction
    const { status, body = null } = reaction as CoreReply & { body?: unknown }
    const success = status < 400
    return { status: 200, body: { success, [success ? 'data' : 'error']: body } }
  }
}

/** Fields without names, and a code of its own for each error. */
class Listing extends ScriptedCore {
  override async react(request: CoreRequest): Promise<Reaction> {
    const reaction = await super.react(request)
    if (typeof reaction === 'string' || reaction.status === 406) return reaction
    const { status, body = null } = reaction as CoreReply & { body?: unknown }
    return { status: 200, body: status < 400 ? [0, 'ok', body] : [status * 100 + 1, 'an error', null] }
  }
}

class Dropping extends ScriptedCore {
  override refusal(): Reaction {
    return 'drop'
  }
}

class Failing extends ScriptedCore {
  override refusal(): Reaction {
    return { status: 500 }
  }
}

const HABITS: [core: ScriptedCore, refused: string[]][] = [
  [new Redirecting(), ['header.location=/login']],
  [new Enveloping(), ['body.success=false']],
  [new Listing(), ['body.0=40101']],
  [new Dropping(), ['closed']],
  [new Failing(), ['status=500']],
]

for (const [core, refused] of HABITS) {
  test(`${refused}: nobody is accused, and it stands in the dialect`, async () => {
    const result = await judge(core)
    assertNoneFailed(result)
    assert.is(result.verdict, 'conformant', result.reason)
    assert.equal(result.dialect.refused, refused)
    assert.is(result.facts['access.refused'], refused[0])
    // An answer to HEAD has no body that could hold the sign.
    const isHidden = refused[0]?.startsWith('body')
    assert.is(recordOf(result, 'access-head-without-token').outcome, isHidden ? 'skipped' : 'passed')
  })
}

test('refusals by closing the connection are no limit: the run does not slow down', async () => {
  const many = only('variations-token-characters', 'variations-authorization-schemes')
  const core = new Dropping()
  const result = await judge(core, many)
  assertNoneFailed(result)
  assert.ok(core.requests.length > 60, `${core.requests.length}`)
  // A busy machine may let requests wait for each other. That is no limit.
  const notices = result.notices.join('\n')
  assert.not.match(notices, /turned away|serves nothing/, notices)
})

test('an error in a success is no limit: the run does not slow down', async () => {
  const core = new Listing()
  const result = await judge(core, only('variations-request-methods', 'variations-request-paths'))
  assertNoneFailed(result)
  // On a busy machine, two such errors may come in a moment in which nothing was served. What counts is what that costs: no second.
  const notices = result.notices.join('\n')
  assert.not.match(notices, /spent [\d.]+ (s|min)\b|serves nothing/, notices)
})

test('a fault behind such a habit is seen, and accuses what it breaks', async () => {
  class Forgetful extends Redirecting {
    override revoke(): Reaction {
      return { status: 204 }
    }
  }
  const result = await judge(new Forgetful())
  assertFailed(result, ['revocation-rejects'])
  assert.match(recordOf(result, 'revocation-rejects').message ?? '', /as a request without a token is \(a redirect to/)
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
  const open = await runOn(new Leaking(), { ...FEW, left: true })
  const { message = '', outcome } = recordOf(open, 'access-without-token')
  assert.is(outcome, 'failed', message)
  assert.match(message, /got 401 Unauthorized, as a fresh token gets: it holds \{"id":1,"name":/)
  assert.is(open.requirements.find(({ id }) => id === 'ACCESS-1')?.state, 'not met')
  class LeakingRevoked extends Leaking {
    override leaks({ token }: CoreRequest): boolean {
      return this.sessions.has(token ?? '')
    }
  }
  assertFailed(await runOn(new LeakingRevoked(), { ...FEW, left: true }), ['revocation-rejects'])
})

test('a token counts, whatever the status of its logon says', async () => {
  class Unauthorized extends ScriptedCore {
    override issued(token: string): Reaction {
      return { status: 401, body: { token } }
    }
  }
  const honest = await judge(new Unauthorized())
  assert.is(honest.verdict, 'conformant', honest.reason)
  class LettingIn extends ScriptedCore {
    override logon(request: CoreRequest): Reaction | Promise<Reaction> {
      const isWrong = !this.credentialsFit(request)
      return isWrong ? { status: 401, body: { token: this.issue(request) } } : super.logon(request)
    }
  }
  const result = await judge(new LettingIn(), only('logon-wrong-password'))
  assertFailed(result, ['logon-wrong-password'])
  assert.is(result.requirements.find(({ id }) => id === 'LOGON-2')?.state, 'not met')
})

test('where nothing tells them apart, both are shown side by side, with the flag that helps', async () => {
  class Vague extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const words = [...'abcdefghij'].sort(() => Math.random() - 0.5).join('')
      return request.path === USERS && request.hasHost ? { status: 200, body: `state ${words}` } : super.react(request)
    }
  }
  const startMs = performance.now()
  const vague = await judge(new Vague())
  assert.is(vague.verdict, 'untestable', vague.reason)
  const side = String.raw`200 OK, state \w+`
  assert.match(vague.reason ?? '', new RegExp(`^nothing tells what ${USERS} answers .*${side}.*${side}`))
  assert.match(vague.advice ?? '', /--refused/)
  assert.ok(performance.now() - startMs < 10_000)
})

test('what users state takes the place of what is found', async () => {
  class Random extends ScriptedCore {
    override refusal({ method, path }: CoreRequest): Reaction {
      const why = [...'abcdefghij'].sort(() => Math.random() - 0.5).join('')
      return method === 'GET' && path === USERS ? { status: 200, body: { ok: 'no', why } } : { status: 401 }
    }
  }
  const stated = { ...FEW, configuration: { ...CONFIGURATION, refused: ['body.ok=no'] } }
  const result = await judge(new Random(), stated)
  assert.is(result.verdict, 'conformant', result.reason)
  assert.equal(result.dialect.refused, ['body.ok=no'])
})

test.run()
