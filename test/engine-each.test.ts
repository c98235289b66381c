/**
 * Steps that range over a family, from end to end: the variations that a failure names, its accusations, and left-out
 * variations.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { leapingClock } from '../dist/engine/clock.js'
import { type Allowed, accusedBy, assertNoneFailed, checked, runOn as runAndCheck } from './support/checked-run.js'
import { long } from './support/long.js'
import { runInMemory } from './support/memory-run.js'
import { type CoreRequest, LOGON, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { QUICK, type RunWith, ranging, recordOf, specsOf } from './support/suite-run.js'

const test = suite('steps that range over a family')

const runOn = (core: ScriptedCore, id: string, options: RunWith & Allowed = {}) =>
  runAndCheck(core, { specs: specsOf(id), ...options })

test('the tokens that are to be spared do not expire while a slow Core refuses many variations', async () => {
  class Slow extends ScriptedCore {
    // Far longer than a busy machine may add to what the clock leaps.
    override idleMs = 30_000
    readonly clock = leapingClock(ms => {
      this.leaptMs += ms
    })
    override async react(request: CoreRequest): Promise<Reaction> {
      const reaction = await super.react(request)
      if (reaction instanceof Object && reaction.status === 401) await this.clock.leap?.(600)
      return reaction
    }
  }
  const core = new Slow()
  const ids = ['variations-revocation-lookalikes', 'variations-token-characters']
  const { clock } = core
  // Some eighty variations take far longer than a lifetime.
  const result = await runAndCheck(core, { specs: specsOf(...ids), clock, configuration: { idleLifetimeMs: 30_000 } })
  for (const id of ids) assert.is(recordOf(result, id).outcome, 'passed', recordOf(result, id).message)
})

test('a success at another path is judged by the same request without the token', async () => {
  class Elsewhere extends ScriptedCore {
    isOpen = false
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const { path, headers } = request
      const token = headers['x-auth-token']?.toString() ?? ''
      const isLet = this.isOpen || this.sessions.get(token)?.revoked === false
      return path.split('?')[0] !== USERS && path.startsWith(USERS) && isLet
        ? { status: 200, body: { page: 1 } }
        : super.react(request)
    }
  }
  const id = 'variations-token-carriers-beside'
  const core = new Elsewhere()
  const result = await runOn(core, id)
  assert.is(recordOf(result, id).outcome, 'failed')
  assert.match(recordOf(result, id).message ?? '', /X-Auth-Token/)
  assert.equal(accusedBy(result, id), ['ACCESS-3'])
  const open = Object.assign(new Elsewhere(), { isOpen: true })
  assert.is(recordOf(await runOn(open, id), id).outcome, 'passed', 'what anybody gets there is no matter of tokens')
})

test('what is taken for a token may end one, and to find that out takes no logon for each', async () => {
  const id = 'variations-revocation-lookalikes'
  /** Compares the first half of a token only. Some of its tokens end with a digit twice: two that are swapped are the token itself. */
  class Halving extends ScriptedCore {
    private made = 0
    override newToken(): string {
      return `${super.newToken().slice(0, -2)}${this.made++ % 3 === 2 ? '11' : '12'}`
    }
    private whole(token: string): string {
      return [...this.sessions.keys()].find(each => each.slice(0, 32) === token.slice(0, 32)) ?? token
    }
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      return super.react({ ...request, token: request.token && this.whole(request.token) })
    }
  }
  const result = await runOn(new Halving(), id)
  const { outcome, message = '', exchanges } = recordOf(result, id)
  assert.is(outcome, 'blocked', message)
  assert.match(message, /token a is rejected afterwards: accepted as a token: without its last character/)
  // Each variation once, and once more to look; some tokens besides.
  const [{ length: sent }, logons] = [exchanges, exchanges.filter(({ request }) => request.method === 'POST')]
  assert.ok(sent < 500 && logons.length < 60, `${sent} requests, ${logons.length} logons`)
})

test('whether a limit refused a form of a logon is waited for once, and not for each form', async () => {
  const id = 'variations-right-credentials'
  const result = await runInMemory(specsOf(id), { defect: 'logon-escapes-refused' })
  const { message = '', durationMs } = recordOf(result, id)
  assert.match(message, /got 5 of 13 did not do so/)
  // The pauses of one form take five seconds.
  assert.ok(durationMs > 5000 && durationMs < 10_000, `${durationMs} ms`)
})

test('only the variations that are named are sent', async () => {
  const id = 'variations-revocation-lookalikes'
  const result = await runAndCheck(new ScriptedCore(), { specs: ranging(id, 'doubled') })
  const record = recordOf(result, id)
  assert.is(record.outcome, 'passed')
  const names = record.exchanges.flatMap(({ variation }) => variation ?? [])
  assert.equal(names, ['doubled'])
  assert.ok(record.steps.some(({ text }) => /as token-lookalikes .*: doubled$/.test(text)))
  const none = await runAndCheck(new ScriptedCore(), { specs: ranging(id, 'trebled') })
  assert.is(recordOf(none, id).outcome, 'skipped')
})

/** A Core that accepts every request of one client. */
class Friendly extends ScriptedCore {
  override refusal(request: CoreRequest): Reaction {
    return request.headers['user-agent'] === 'curl/8.5.0' ? this.answer(request) : super.refusal(request)
  }
}

test('what gets through without a token tells nothing of a revoked one', async () => {
  const id = 'variations-revoked-token'
  const result = await runOn(new Friendly(), id)
  assert.is(recordOf(result, id).outcome, 'passed')
  assert.match(JSON.stringify(recordOf(result, id).steps), /these get through without a token too.*User-Agent of curl/)
})

test('where every variation gets through without a token, too, nothing was tested, and that blocks', async () => {
  const id = 'variations-revoked-token'
  const [spec] = structuredClone(specsOf(id))
  for (const step of spec ? [...spec.given, ...spec.steps] : []) {
    if (step.action !== 'send' || !step.each?.dimensions) continue
    step.each.dimensions = step.each.dimensions.map(({ name, variations }) => ({
      name,
      made: [],
      variations: variations.filter(each => each.name === 'User-Agent of curl'),
    }))
  }
  const result = await runAndCheck(new Friendly(), { specs: spec ? [spec] : [] })
  const { outcome, message = '' } = recordOf(result, id)
  assert.is(outcome, 'blocked', message)
  assert.match(
    message,
    /nothing was tested; these get through without a token too, so they show nothing: User-Agent of curl/,
  )
})

/** A Core that takes every token while its table holds a revoked one. */
class Confused extends ScriptedCore {
  override react(request: CoreRequest) {
    return super.react({ ...request, path: request.path.replace(/^https:..[^/]+/, '') })
  }

  override accepts(token: string, request: CoreRequest): boolean {
    return super.accepts(token, request) || [...this.sessions.values()].some(({ revoked }) => revoked)
  }
}

test('where a made-up token is let in as a revoked one is, nothing is shown of revocation, and the API is what is open', async () => {
  const ids = ['revocation-rejects', 'variations-revoked-unused-token', 'access-unknown-token']
  const result = await runAndCheck(new Confused(), { specs: specsOf(...ids), left: true })
  assert.is(recordOf(result, 'revocation-rejects').outcome, 'blocked')
  assert.is(recordOf(result, 'variations-revoked-unused-token').outcome, 'blocked')
  assert.match(recordOf(result, 'revocation-rejects').message ?? '', /a made-up token is accepted there too/)
  const steps = JSON.stringify(recordOf(result, 'variations-revoked-unused-token').steps)
  assert.match(steps, /these get through with a made-up token too, so they show nothing: .*HEAD/)
  assert.equal(accusedBy(result, 'access-unknown-token'), ['ACCESS-1'])
})

test('of a Core that hangs, the rest of a family is left out, and that is said', async () => {
  class Hangs extends ScriptedCore {
    override react(request: CoreRequest) {
      return request.method === 'GET' || request.path === LOGON ? super.react(request) : 'hang'
    }
  }
  const id = 'variations-request-methods'
  const result = await runOn(new Hangs(), id, { configuration: { deadlineMs: 300 } })
  assert.match(JSON.stringify(recordOf(result, id).steps), /not sent: .*no answer came in time to 3 in a row/)
})

test('what is let in now and then is told so', async () => {
  class Third extends ScriptedCore {
    private bare = 0
    override refusal(request: CoreRequest): Reaction {
      const isLucky = request.headers['x-real-ip'] !== undefined && ++this.bare % 2 === 1
      return isLucky ? this.answer(request) : super.refusal(request)
    }
  }
  const id = 'variations-requests'
  const result = await runOn(new Third(), id, { configuration: QUICK })
  assert.match(checked(result, id)?.got ?? '', /X-Real-IP.*\(200 OK, once of twice\)/)
})

long(test)(
  'another path counts only where the very content comes, and one that nobody gets in by tells nothing',
  async () => {
    class Pages extends ScriptedCore {
      // The web interface answers everything outside the API. A slash at the end leads to the users, without a token.
      override react(request: CoreRequest) {
        if (!request.path.startsWith('/api')) return { status: 200, body: '<!DOCTYPE html>' }
        return request.path === `${USERS}/` ? this.answer({ ...request, path: USERS }) : super.react(request)
      }
    }
    const id = 'variations-request-paths'
    const result = await runOn(new Pages(), id)
    assert.match(checked(result, id)?.got ?? '', /^1 of \d+ got through: \/ at its end \(200 OK\)/)
  },
)

test('a revocation with what opens the API as well is the matter of whoever looks at that', async () => {
  class Query extends ScriptedCore {
    override react(request: CoreRequest) {
      const [path = '', token] = request.path.split(/[?]token=|&/)
      return super.react(token ? { ...request, path, token } : request)
    }
  }
  const id = 'variations-revocation-carriers'
  const result = await runOn(new Query(), id, { left: true })
  assert.is(recordOf(result, id).outcome, 'blocked')
  assert.match(recordOf(result, id).message ?? '', /accepted as a token: query token/)
})

test('a request that the Core does not take with Host either accuses nobody', async () => {
  // Without Host it finds another reason to refuse each long request.
  class Careless extends ScriptedCore {
    override async react(request: CoreRequest): Promise<Reaction> {
      const isHostless = request.headers.host === undefined
      return isHostless && request.path.length > 300 ? { status: 414 } : super.react(request)
    }
  }
  const id = 'variations-host-shapes'
  const fine = await runInMemory(specsOf(id), { dialect: 'limit-target-300' })
  assertNoneFailed(fine)
  assert.match(checked(fine, id)?.got ?? '', /this Core does not take .*a query of 300 characters/)
  const result = await runOn(new Careless(), id)
  assert.match(checked(result, id)?.got ?? '', /^\d of \d+ did not do so: a query of [^ ]+ characters \(414/)
})

test('a Core that does not take an assumed request is not judged by it', async () => {
  class Strict extends ScriptedCore {
    override async react(request: CoreRequest): Promise<Reaction> {
      return request.token && request.method === 'GET' ? { status: 400 } : super.react(request)
    }
  }
  const id = 'open-behind-token'
  const result = await runOn(new Strict(), id, { configuration: { accessControl: 'off' } })
  assert.is(recordOf(result, id).outcome, 'skipped')
  assert.match(recordOf(result, id).message ?? '', /^this Core does not take such a request, and need not: 400/)
})

test('no secret that a generator made of the password is in the result', async () => {
  const core = new ScriptedCore()
  const result = await runOn(core, 'variations-wrong-credentials')
  const text = JSON.stringify(result)
  const reversed = [...core.password].reverse().join('')
  for (const secret of [reversed, `${core.password.slice(0, 5)}x${core.password.slice(6)}`])
    assert.not.ok(text.includes(secret), secret)
  assert.ok(core.requests.some(({ body }) => body.includes(reversed)))
})

test.run()
