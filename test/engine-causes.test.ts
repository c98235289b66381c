/** Whole runs on Cores with one cause of trouble: the accusations, the acquittals, and the messages. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { commonDeath } from '../dist/engine/run-events.js'
import { roomMs, spanMs } from '../dist/engine/window.js'
import { accusedBy, assertFailed, CROSS_SECTION, only, runOn } from './support/checked-run.js'
import { long } from './support/long.js'
import { runInMemory } from './support/memory-run.js'
import { ChoosyCore, type CoreRequest, LOGON, type Reaction, ScriptedCore, USERS } from './support/scripted-core.js'
import { QUICK, recordOf, SUITE, specsOf, withOutcome } from './support/suite-run.js'

const test = suite('causes')

/** Two back ends that share no tokens, from some connection on. */
class BackEnds extends ScriptedCore {
  private readonly homes = new Map<string, number>()
  constructor(private readonly from = 0) {
    super()
  }
  private home({ connection }: CoreRequest): number {
    return connection < this.from ? 0 : connection % 2
  }
  override issue(request: CoreRequest): string {
    const token = super.issue(request)
    this.homes.set(token, this.home(request))
    return token
  }
  override accepts(token: string, request: CoreRequest): boolean {
    return this.homes.get(token) === this.home(request) && super.accepts(token, request)
  }
}

test('tokens died together where one moment explains at least three of them', () => {
  const death = (aliveMs: number, deadMs: number) => ({ aliveMs, deadMs })
  const found = (...deaths: ReturnType<typeof death>[]) => commonDeath(deaths, { lifetimeMs: 20, tolerance: 0.1 })
  assert.equal(found(death(1, 9), death(3, 8), death(2, 5), death(20, 21)), { fromMs: 3, untilMs: 5 })
  assert.is(found(death(1, 9), death(3, 8)), undefined)
  assert.is(found(death(1, 2), death(3, 4), death(5, 6)), undefined, 'one after another is no event')
  assert.is(found(death(1, 9), death(3, 8), death(2, 20)), undefined, 'what was unused for so long may have expired')
  assert.is(found(death(1, 9), death(1, 8), death(1, 7)), undefined, 'one token, of three specs')
  assert.is(found(), undefined)
})

test('a token that is refused at each 64th use breaks ACCESS-2, though the next use is accepted', async () => {
  const uses = new Map<string, number>()
  const counting = new ChoosyCore(token => {
    uses.set(token, (uses.get(token) ?? 0) + 1)
    return (uses.get(token) ?? 0) % 64 !== 0
  })
  const specs = specsOf('connections-repeated-uses')
  const result = await runOn(counting, { specs, configuration: { profile: 'full' } })
  assertFailed(result, ['connections-repeated-uses'])
  assert.equal(accusedBy(result, 'connections-repeated-uses'), ['ACCESS-2'])
  assert.match(
    recordOf(result, 'connections-repeated-uses').message ?? '',
    /accepted, and rejected once more \d+ uses later/,
  )
  const once = new ChoosyCore(() => ++count !== 120)
  let count = 0
  const fine = await runOn(once, { specs, configuration: { profile: 'full' } })
  assert.is(recordOf(fine, 'connections-repeated-uses').outcome, 'blocked')
})

test('versions of a Core that answer a logon each in its own way accuse nobody, and a logon without a token does', async () => {
  const places = [
    (token: string) => ({ token }),
    (token: string) => ({ result: { id: token } }),
    () => ({ id: 'A1B2C3' }),
  ]
  class Mixed extends ScriptedCore {
    constructor(private readonly versions: number) {
      super()
    }
    override issued(token: string, { connection }: CoreRequest): Reaction {
      return { status: 201, body: places[connection % this.versions]?.(token) }
    }
  }
  const fine = await runOn(new Mixed(2), CROSS_SECTION)
  assert.is(fine.verdict, 'conformant', fine.reason)
  assert.is(fine.dialect.sessions, 'many')
  assert.is(fine.tokens.left, 0)
  const faulty = await runOn(new Mixed(3), { ...CROSS_SECTION, left: true })
  assert.ok(
    faulty.requirements.some(({ id, state }) => id === 'LOGON-1' && state !== 'met'),
    faulty.reason,
  )
  assert.is.not(faulty.verdict, 'conformant')
})

test('a firewall that limits whatever comes to the path of logon, by 403, is told from a Core that refuses revocations', async () => {
  class Guarded extends ScriptedCore {
    private level = 0
    private lastMs = 0
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      if (request.path !== LOGON) return super.react(request)
      this.level = Math.max(0, this.level - ((request.atMs - this.lastMs) * 2) / 1000)
      this.lastMs = request.atMs
      if (this.level > 5)
        return { status: 403, headers: { 'Content-Type': 'text/html' }, body: '<html>Forbidden</html>' }
      this.level++
      return super.react(request)
    }
  }
  const ids = ['rejects', 'same-connection', 'other-connection', 'elsewhere', 'before-use', 'head', 'spares-older']
  const specs = specsOf(...ids.map(id => `revocation-${id}`), 'variations-revocations')
  const fine = await runOn(new Guarded(), { specs })
  assert.is(fine.verdict, 'conformant', fine.reason)
  assert.is(fine.tokens.left, 0)
  class Refusing extends ScriptedCore {
    override revoke(): Reaction {
      return { status: 409 }
    }
  }
  const faulty = await runOn(new Refusing(), { specs: specsOf('revocation-rejects'), left: true })
  assert.equal(accusedBy(faulty, 'revocation-rejects'), ['REVOKE-1'])
})

test('several back ends break ACCESS-2, with their numbers, and nothing else', async () => {
  const result = await runOn(new BackEnds(), { ...CROSS_SECTION, left: true })
  assertFailed(result, ['access-other-connection'])
  const { message = '' } = recordOf(result, 'access-other-connection')
  assert.match(message, /accepted on \d+ of 20 connections: back ends that do not share tokens/)
  assert.is(result.verdict, 'nonconformant')
  const blocked = withOutcome(result, 'blocked').map(id => recordOf(result, id).message)
  assert.is(blocked.length, result.counts.selected - 1)
  assert.is(new Set(blocked).size, 1)
  assert.match(blocked[0] ?? '', /^the Core is several back ends that do not share tokens/)
})

test('back ends that share tokens, and keep a timer each, break IDLE-2', async () => {
  /** Once a token is old, its connections lead to one back end and the other in turn, to the one that did not see its uses first. */
  class Timers extends ScriptedCore {
    private readonly used = new Map<string, { bornMs: number; lastMs: number[]; on: number[] }>()
    override accepts(token: string, { atMs, connection, ...request }: CoreRequest): boolean {
      const bornMs = this.sessions.get(token)?.usedAtMs ?? atMs
      const used = this.used.get(token) ?? { bornMs, lastMs: [bornMs, bornMs], on: [] }
      this.used.set(token, used)
      const isOld = atMs - used.bornMs > this.idleMs
      if (isOld && !used.on.includes(connection)) used.on.push(connection)
      const home = isOld ? (used.on.indexOf(connection) + 1) % 2 : 0
      const isUsed = atMs - (used.lastMs[home] ?? 0) < this.idleMs
      if (!isUsed || !super.accepts(token, { ...request, atMs, connection })) return false
      used.lastMs[home] = atMs
      return true
    }
  }
  const id = 'idle-use-resets'
  const result = await runOn(new Timers(), { specs: specsOf(id), left: true })
  assertFailed(result, [id])
  assert.equal(accusedBy(result, id), ['IDLE-2'])
  assert.match(recordOf(result, id).message ?? '', /accepted on 10 of 20 connections, and a fresh token on all/)
})

long(test)('back ends that come about after the survey break ACCESS-2 only', async () => {
  const result = await runOn(new BackEnds(40), { ...CROSS_SECTION, left: true })
  for (const id of withOutcome(result, 'failed')) {
    assert.equal(
      recordOf(result, id).requirements.map(requirement => requirement.id),
      ['ACCESS-2'],
      `${id}: ${recordOf(result, id).message}`,
    )
  }
  assert.ok(result.dialect.backEnds)
})

test('what two uses at the same time do to the timer of their token shows', async () => {
  class Racing extends ScriptedCore {
    private readonly underWay = new Map<string, number>()
    private readonly stopped = new Set<string>()
    override accepts(token: string, request: CoreRequest): boolean {
      return super.accepts(token, request) || (this.sessions.get(token)?.revoked === false && this.stopped.has(token))
    }
    override async react(request: CoreRequest): Promise<Reaction> {
      const { token } = request
      if (token === undefined) return super.react(request)
      const beside = this.underWay.get(token) ?? 0
      this.underWay.set(token, beside + 1)
      if (beside) this.stopped.add(token)
      await sleep(3)
      this.underWay.set(token, (this.underWay.get(token) ?? 1) - 1)
      return super.react(request)
    }
  }
  const id = 'idle-counts-from-last-use'
  assertFailed(await runOn(new Racing(), { specs: specsOf(id), left: true }), [id])
})

test('a status that a server in front gave is told with its name, and with what HTTP/1.0 gets', async () => {
  class Fronted extends ScriptedCore {
    override withoutHost(request: CoreRequest): Reaction {
      if (request.httpVersion === '1.0') return super.withoutHost(request)
      const headers = { Server: 'nginx/1.22.1', 'Content-Type': 'text/html' }
      return { status: 400, headers, body: '<html><body>400 Bad Request</body></html>' }
    }
  }
  const ids = ['host-missing-access', 'host-missing-access-http10', 'host-missing-revoke-no-token']
  const result = await runOn(new Fronted(), only(...ids))
  assertFailed(result, ['host-missing-access-http11', 'host-missing-revoke-no-token-http11'])
  assert.match(
    recordOf(result, 'host-missing-access-http11').message ?? '',
    /got 400 Bad Request from nginx\/1\.22\.1, in front of the firmware; over HTTP\/1\.0 the same request gets 406/,
  )
  assert.match(
    recordOf(result, 'host-missing-revoke-no-token-http11').message ?? '',
    /over HTTP\/1\.0 a GET without Host gets 406/,
  )
})

long(test)('paths that are answered alike with and without a token put ACCESS-1 in doubt, by name', async () => {
  class Lenient extends ScriptedCore {
    override react(request: CoreRequest) {
      if (request.path === '/api/v0/cores/self' && request.method === 'GET') return { status: 200, body: { open: 1 } }
      const reaction = super.react(request)
      return this.isRevocation(request) && request.hasHost ? { status: 204 } : reaction
    }
  }
  const result = await runOn(new Lenient(), CROSS_SECTION)
  assert.equal(result.doubts, [
    { requirement: 'ACCESS-1', text: 'DELETE /api/v0/logon answers 204 with and without a token' },
    { requirement: 'ACCESS-1', text: 'GET /api/v0/cores/self answers 200 with and without a token' },
  ])
  assert.is(result.verdict, 'conformant')
  const { doubts } = await runOn(new ScriptedCore(), only('access-with-token', 'access-revoke-without-token'))
  assert.is(doubts, undefined)
})

test('a Core that pushes out the token unused for longest is not said to have been restarted', async () => {
  class Evicting extends ScriptedCore {
    override issue(request: CoreRequest): string {
      const live = [...this.sessions.values()].filter(({ revoked }) => !revoked)
      const [oldest] = live.sort((a, b) => a.usedAtMs - b.usedAtMs)
      if (oldest && live.length >= 5) oldest.revoked = true
      return super.issue(request)
    }
  }
  const specs = SUITE.specs.filter(({ area }) => area === 'revocation')
  const result = await runOn(new Evicting(), { specs, configuration: QUICK })
  assert.is(result.verdict, 'conformant', result.reason)
  assert.is(result.events, undefined)
})

test('a Core that gives a token a further name with every use issues none by that; one that does so at a logon only does', async () => {
  class Renewing extends ScriptedCore {
    readonly isAtLogon: boolean = false
    private readonly names = new Map<string, string>()
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const token = request.token && (this.names.get(request.token) ?? request.token)
      const isValid = token !== undefined && this.accepts(token, request)
      const reaction = super.react({ ...request, token })
      if (!isValid || typeof reaction !== 'object' || 'then' in reaction) return reaction
      if (this.isAtLogon && request.method !== 'POST') return reaction
      const name = this.newToken()
      this.names.set(name, token)
      return { ...reaction, headers: { ...reaction.headers, 'X-Renewed-Token': name } }
    }
  }
  const id = 'logon-no-body-with-token'
  const result = await runOn(new Renewing(), only(id, 'access-with-token'))
  assert.is(recordOf(result, id).outcome, 'passed', recordOf(result, id).message)
  assert.is(result.verdict, 'conformant', result.reason)
  assert.equal(result.tokens.left, 0)
  class AtLogon extends Renewing {
    override readonly isAtLogon = true
  }
  assert.equal(accusedBy(await runOn(new AtLogon(), only(id)), id), ['LOGON-3'])
})

test('the run keeps tokens in use while specs wait: half of them at a look', async () => {
  const LIFETIME_MS = 4000
  const uses = new Map<string, number[]>()
  class Counting extends ScriptedCore {
    override idleMs = LIFETIME_MS
    override accepts(token: string, request: CoreRequest): boolean {
      const isWatching = super.accepts(token, request) && request.path === USERS
      if (isWatching) uses.set(token, [...(uses.get(token) ?? []), request.atMs])
      return super.accepts(token, request)
    }
  }
  const configuration = { idleLifetimeMs: LIFETIME_MS, idleTolerance: 0.1 }
  const result = await runOn(new Counting(), { ...only('idle-still-valid'), configuration })
  assert.is(recordOf(result, 'idle-still-valid').outcome, 'passed')
  // A lifetime has twenty looks, and most of the time there are four tokens.
  const watching = [...uses.values()].filter(times => times.length > 3)
  assert.ok(watching.length > 1, `${watching.length} tokens were in use`)
  const inAll = watching.flat().length
  assert.ok(inAll < 60, `${inAll} uses`)
  // Nobody asks the watch where every token is to expire.
  uses.clear()
  assert.is((await runOn(new Counting(), { ...only('idle-expires-unused'), configuration })).tokens.issued, 3)
})

test('an idle failure says by what it was judged, and whether another lifetime explains all of them', async () => {
  // Too few tokens to watch over the others: this test is about the words of the specs.
  const configuration = {
    idleLifetimeMs: 4000,
    idleTolerance: 0.1,
    idleLifetimeFrom: 'CORE_IDLE_LIFETIME',
    maxTokens: 2,
  }
  const specs = specsOf('idle-still-valid', 'idle-use-resets', 'idle-expires')
  const result = await runInMemory(specs, { idleLifetimeMs: 1400, configuration })
  assertFailed(result, ['idle-still-valid', 'idle-use-resets'])
  assert.match(
    recordOf(result, 'idle-still-valid').message ?? '',
    /the token had been unused for .* and is judged by an idle lifetime of 4 s \(set by CORE_IDLE_LIFETIME\)/,
  )
  const question = result.notices.filter(notice => notice.includes('--idle-lifetime'))
  assert.is(question.length, 1, result.notices.join('\n'))
  assert.match(
    question[0] ?? '',
    /^tokens ended after (about|less than|\d).* without use, sooner than the 4 s that this run judged by: is .*--idle-lifetime.* meant\?$/,
  )
})

test('failures that no one lifetime explains ask for none', async () => {
  const specs = specsOf('idle-use-resets', 'idle-still-valid')
  const result = await runInMemory(specs, { defect: 'idle-counted-from-logon' })
  assertFailed(result, ['idle-use-resets'])
  assert.equal(
    result.notices.filter(notice => notice.includes('--idle-lifetime')),
    [],
  )
})

test('a slow Core gets more room before the end of the lifetime, a fast one as much as before', () => {
  const latency = (ms: number) => ({ freshMs: ms, keptMs: ms, logonMs: ms, slowestMs: ms })
  const lifetime = { lifetimeMs: 8000, tolerance: 0.05 }
  assert.is(roomMs(lifetime, undefined), 300)
  assert.is(roomMs(lifetime, latency(5)), 300)
  assert.is(roomMs(lifetime, latency(400)), 1000)
  assert.is(roomMs({ ...lifetime, lifetimeMs: 3_600_000 }, latency(400)), 72_000)
  // The room is never so large that the look proves nothing.
  assert.is(roomMs({ ...lifetime, lifetimeMs: 3000 }, latency(2000)), 1200)
  assert.is(spanMs('within lifetime', { ...lifetime, roomMs: 1000 }), 6600)
  assert.is(spanMs('within lifetime', lifetime), 7300)
})

test.run()
