/** Rows: requests that depart in several ways at once, what they cover, and how a failure is reduced to what matters. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Cell, cover, type Row } from '../dist/engine/plan/cover.js'
import { EachTally } from '../dist/engine/steps/each-tally.js'
import { clash, dimensionsOf, type Value } from '../dist/engine/steps/row-values.js'
import type { Variation } from '../dist/suite/family.js'
import type { SendStep } from '../dist/suite/spec.js'
import { accusedBy, assertNoneFailed, checked, runOn as runAndCheck } from './support/checked-run.js'
import { long } from './support/long.js'
import { runInMemory } from './support/memory-run.js'
import { type CoreRequest, type Reaction, ScriptedCore } from './support/scripted-core.js'
import { type RunWith, ranging, recordOf, specsOf } from './support/suite-run.js'

const test = suite('rows')

const runOn = (core: ScriptedCore, id: string, options: RunWith & { left?: boolean } = {}) =>
  runAndCheck(core, { specs: specsOf(id), ...options })
const QUICK = { configuration: { profile: 'quick' } } as const

const SIZES = [3, 9, 5, 7, 2, 30]
const [NONE, SOME] = [new Set<number>(), new Set([0, 1, 2, 3, 4])]
const how = {
  sizes: SIZES,
  always: NONE,
  absent: NONE,
  rare: new Map(),
  paired: SOME,
  seed: 1,
  isDense: false,
  clash: () => false,
}
const pairsIn = (rows: readonly Row[]) =>
  new Set(
    rows.flatMap(row =>
      row.flatMap((one, at) => row.slice(0, at).map((other, before) => `${before}=${other} ${at}=${one}`)),
    ),
  )

test('each value stands in some row, and each pair of paired dimensions where that is asked for', () => {
  for (const strength of ['values', 'pairs'] as const) {
    const rows = cover({ ...how, strength })
    for (const [dimension, size] of SIZES.entries())
      for (let value = 1; value < size; value++)
        assert.ok(
          rows.some(row => row[dimension] === value),
          `${strength} ${dimension}=${value}`,
        )
    assert.equal(cover({ ...how, strength }), rows, 'the same each time')
    assert.not.equal(cover({ ...how, strength, seed: 2 }), rows, 'others by another seed')
  }
  const rows = cover({ ...how, strength: 'pairs' })
  const met = pairsIn(rows)
  for (const one of SOME)
    for (const other of SOME)
      for (let a = 0; one < other && a < (SIZES[one] ?? 0); a++)
        for (let b = 0; b < (SIZES[other] ?? 0); b++) assert.ok(met.has(`${one}=${a} ${other}=${b}`))
  // A row for each pair of the two largest is the least; a third more is what a greedy array may take.
  assert.ok(rows.length < 9 * 7 * 1.4, `${rows.length} rows`)
})

test('what is ordinary in a large dimension, such as no token at all, meets each value where pairs are asked for', () => {
  const met = pairsIn(cover({ ...how, strength: 'pairs' }))
  for (const one of SOME)
    for (let a = 0; a < (SIZES[one] ?? 0); a++) assert.ok(met.has(`${one}=${a} 5=0`), `${one}=${a}`)
})

test('header fields that can stand together meet nearly all others, in the rows that another dimension takes anyway', () => {
  const fields = Array.from({ length: 40 }, (_, at) => at + 1)
  const sizes = [20, ...fields.map(() => 2)]
  const rows = cover({ ...how, sizes, absent: new Set(fields), strength: 'values', isDense: true })
  assert.ok(rows.length <= 20, `${rows.length} rows`)
  const met = pairsIn(rows)
  const pairs = fields.flatMap(one => fields.filter(other => other < one).map(other => `${other}=1 ${one}=1`))
  assert.ok(pairs.every(pair => met.has(pair)))
  const subjects = fields.flatMap(one => Array.from({ length: 19 }, (_, at) => `0=${at + 1} ${one}=1`))
  const part = subjects.filter(pair => met.has(pair)).length / subjects.length
  assert.ok(part > 0.9, `${part} of the pairs with what stands in each row once`)
})

test('header fields of one name share a dimension, and others have their own, whatever their families', () => {
  const field = (header: string, value: string): Value => {
    const name = `${header} ${value}`
    return { name, listed: { name, headers: { [header]: value } } }
  }
  const anonymous = { name: 'no Accept', listed: { name: 'no Accept', without: ['Accept'] } }
  const head = { name: 'HEAD', listed: { name: 'HEAD', method: 'HEAD' } }
  const families = [
    [field('Accept', 'a'), anonymous, head],
    [field('X-One', '1'), field('accept', 'b')],
  ]
  const names = dimensionsOf(families).map(each => each.map(({ name }) => name))
  assert.equal(names, [['HEAD'], ['Accept a', 'no Accept', 'accept b'], ['X-One 1']])
})

test('HEAD and another target clash, since the answer to HEAD there would not tell whether the request got through', () => {
  const departure = (listed: Omit<Variation, 'name'>): Value => ({ name: 'one', listed: { name: 'one', ...listed } })
  const head = departure({ method: 'HEAD' })
  assert.is(clash(head, departure({ path: '/{path}' })), true)
  assert.is(clash(head, departure({ path: '{path}?a=b' })), false)
  assert.is(clash(head, departure({ headers: { 'X-Role': 'admin' } })), false)
})

test('values that clash never meet, and a dimension that always departs has no ordinary value', () => {
  const isSame = (one: Cell, other: Cell) => one.value === other.value
  for (const strength of ['values', 'pairs'] as const) {
    const rows = cover({ ...how, strength, clash: isSame, always: new Set([5]) })
    assert.ok(rows.every(row => new Set(row.filter(Boolean)).size === row.filter(Boolean).length))
    assert.ok(rows.filter(row => row[5] === 0).length < rows.length / 4, 'only where all of its values clash')
  }
})

test('an honest Core is not accused, and nearly all that it takes was judged', async () => {
  const id = 'variations-requests'
  const result = await runOn(new ScriptedCore(), id, QUICK)
  assertNoneFailed(result)
  const [, judged, of] = /; (\d+) of (\d+) variations and/.exec(checked(result, id)?.got ?? '') ?? []
  assert.ok(Number(of) > 100)
  assert.ok(Number(judged) >= 0.95 * Number(of), `${judged} of ${of}`)
})

test('a request without User-Agent has none, and what it opens is found', async () => {
  class Shy extends ScriptedCore {
    override refusal(request: CoreRequest): Reaction {
      return request.headers['user-agent'] === undefined ? this.answer(request) : super.refusal(request)
    }
  }
  const id = 'variations-requests'
  const result = await runOn(new Shy(), id, QUICK)
  assert.match(checked(result, id)?.got ?? '', /got through: no User-Agent \(200 OK\)/)
})

test('what a Core does not take is found in a few good requests, left out, and named', async () => {
  class Narrow extends ScriptedCore {
    override async react(request: CoreRequest): Promise<Reaction> {
      return Object.keys(request.headers).length > 50 ? { status: 431 } : super.react(request)
    }
  }
  const id = 'variations-requests'
  const result = await runOn(new Narrow(), id, QUICK)
  assertNoneFailed(result)
  const got = checked(result, id)?.got ?? ''
  assert.match(got, /this Core does not take .*70 header fields more/)
  assert.not.match(got, /this Core does not take .*20 header fields more/)
})

test('a Core that takes only so many header fields at once gets no more of them in a row', async () => {
  class Small extends ScriptedCore {
    override async react(request: CoreRequest): Promise<Reaction> {
      return Object.keys(request.headers).length > 16 ? { status: 431 } : super.react(request)
    }
  }
  const id = 'variations-requests'
  const result = await runOn(new Small(), id, QUICK)
  assertNoneFailed(result)
  const rows = recordOf(result, id).exchanges.filter(({ variation = '' }) => variation && !/with token/.test(variation))
  const refused = rows.filter(({ response }) => response?.status === 431)
  assert.ok(rows.length > 20 && refused.length < rows.length / 10, `${refused.length} of ${rows.length}`)
})

test('how many header fields a Core takes is its own affair, but it may not lose the token among them', async () => {
  class Counting extends ScriptedCore {
    constructor(private readonly status?: number) {
      super()
    }
    override async react(request: CoreRequest): Promise<Reaction> {
      if (Object.keys(request.headers).length <= 16) return super.react(request)
      return this.status === undefined ? this.refusal(request) : { status: this.status }
    }
  }
  const id = 'variations-valid-token'
  for (const status of [400, 431]) assertNoneFailed(await runOn(new Counting(status), id, QUICK))
  const lost = await runOn(new Counting(), id, QUICK)
  assert.equal(accusedBy(lost, id), ['ACCESS-2'])
  assert.match(checked(lost, id)?.got ?? '', /20 header fields more \(401 Unauthorized\)/)
})

test('a Core that looks at the size of a head before its Host is sent smaller rows, and is not accused', async () => {
  class Small extends ScriptedCore {
    constructor(private readonly reaction: Reaction) {
      super()
    }
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const bytes = Object.entries(request.headers).reduce(
        (sum, [name, value]) => sum + name.length + `${value}`.length + 4,
        0,
      )
      return bytes > 900 ? this.reaction : super.react(request)
    }
  }
  const ids = ['variations-host-logons', 'variations-host-revocations']
  const cases = ids.flatMap(id => [{ status: 431 }, 'drop' as const].map(reaction => [id, reaction] as const))
  for (const [id, reaction] of cases) {
    const result = await runOn(new Small(reaction), id, { configuration: { profile: 'full' } })
    assertNoneFailed(result)
    const covered = recordOf(result, id).steps.flatMap(step => step.covered?.variations ?? [])
    assert.ok(
      covered.some(({ judged, of }) => of > 50 && judged === of),
      JSON.stringify(covered),
    )
  }
})

test('a Core that gives a token again at every logon is not judged by the forms of logons', async () => {
  class Again extends ScriptedCore {
    override issue(request: CoreRequest): string {
      return [...this.sessions.keys()].at(-1) ?? super.issue(request)
    }
  }
  const id = 'variations-logons'
  assert.is.not(recordOf(await runOn(new Again(), id, QUICK), id).outcome, 'failed')
})

test('a cookie of the Core itself that opens the API is told, whatever else carries the token in its row', async () => {
  class Session extends ScriptedCore {
    override issued(token: string, request: CoreRequest): Reaction {
      const reaction = super.issued(token, request)
      return typeof reaction === 'object'
        ? { ...reaction, headers: { 'Set-Cookie': 'sid=7f3a9c20; Path=/' } }
        : reaction
    }
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const isKnown = /sid=7f3a9c20/.test(String(request.headers.cookie)) && request.method === 'GET'
      return isKnown && request.token === undefined ? this.answer(request) : super.react(request)
    }
  }
  const id = 'variations-token-carriers'
  const result = await runOn(new Session(), id, QUICK)
  assert.match(checked(result, id)?.got ?? '', /: the cookies that the logon set \(200 OK\)/)
  assert.equal(accusedBy(result, id), ['ACCESS-3'])
})

test('of many faults each is told by what matters to it: a row with a known one goes without it', async () => {
  const fields = ['accept-language', 'priority', 'date', 'cookie', 'x-real-ip', 'x-role', 'origin', 'x-debug']
  class Lenient extends ScriptedCore {
    override refusal(request: CoreRequest): Reaction {
      return fields.some(name => request.headers[name]) ? this.answer(request) : super.refusal(request)
    }
  }
  const id = 'variations-requests'
  const got = checked(await runOn(new Lenient(), id, QUICK), id)?.got ?? ''
  const told = [
    'Accept-Language with Accept-Encoding',
    'Priority with Traceparent',
    'a date',
    'cookie admin',
    'X-Real-IP',
    'a role',
    'Origin null',
    'X-Debug',
  ]
  for (const name of told) assert.match(got, new RegExp(`[:;] ${name} \\(200 OK\\)`))
})

test('what the Core takes is asked once, and by no spec of a later phase', async () => {
  const ids = ['variations-revoked-token', 'variations-token-lookalikes', 'variations-token-constants']
  const result = await runAndCheck(new ScriptedCore(), { specs: specsOf(...ids), ...QUICK })
  assertNoneFailed(result)
  const proven = ids.map(id =>
    recordOf(result, id).exchanges.filter(({ variation }) => /, with token [ab]$/.test(variation ?? '')),
  )
  assert.ok((proven[0]?.length ?? 0) > 10)
  assert.equal(
    proven.slice(1).map(({ length }) => length),
    [0, 0],
  )
})

long(test)('a logon in some form that is turned away for a second accuses nobody', async () => {
  class Full extends ScriptedCore {
    private freedMs = 0
    override revoke(token: string, request: CoreRequest): Reaction {
      this.freedMs = request.atMs
      return super.revoke(token, request)
    }
    // The slot of a token becomes free a second after its revocation.
    override logon(request: CoreRequest): Reaction | Promise<Reaction> {
      const isEarly = request.headers.cookie !== undefined && request.atMs - this.freedMs < 1000
      return isEarly ? { status: 503 } : super.logon(request)
    }
  }
  const result = await runOn(new Full(), 'variations-logons', QUICK)
  assertNoneFailed(result)
  assert.is(recordOf(result, 'variations-logons').outcome, 'passed')
})

/** The credentials in a body, however it is written; nothing for what is no JSON. */
function pairIn(body: string): string | undefined {
  try {
    const { username, password } = JSON.parse(body) as Record<string, unknown>
    return JSON.stringify([username, password])
  } catch {
    return undefined
  }
}

test('wrong credentials in a form that this Core does not take are sent in a plain one, and its refusal is none of theirs', async () => {
  class Narrow extends ScriptedCore {
    readonly wrong = new Map<string, boolean>()
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const isChunked = request.headers['transfer-encoding'] !== undefined
      const isTaken = !isChunked && Object.keys(request.headers).length < 20
      const isLogon = request.method === 'POST' && request.hasHost
      const tried = isLogon && pairIn(request.body)
      if (tried) this.wrong.set(tried, isTaken || this.wrong.get(tried) === true)
      return isTaken ? super.react(request) : { status: isChunked ? 411 : 431 }
    }
  }
  const core = new Narrow()
  const ids = ['variations-wrong-credentials', 'variations-logons', 'observe-chunked-logon']
  const result = await runAndCheck(core, { specs: specsOf(...ids), ...QUICK })
  assertNoneFailed(result)
  assert.equal(result.doubts ?? [], [])
  // Of forty refused logons some are spent to find out what it does not take.
  assert.ok(core.wrong.size > 15, `${core.wrong.size} pairs`)
  assert.ok(
    [...core.wrong.values()].every(isTaken => isTaken),
    'each was sent in a form that it takes',
  )
})

test('wrong credentials go without what a good request was refused with before: a Core may look at the name of its host first', async () => {
  class Strict extends ScriptedCore {
    readonly wrong = new Map<string, boolean>()
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const { host } = request.headers
      const isTaken = !request.hasHost || (host !== '' && host !== 'core.example')
      const tried = request.method === 'POST' && request.hasHost && pairIn(request.body)
      if (tried) this.wrong.set(tried, isTaken || this.wrong.get(tried) === true)
      return isTaken ? super.react(request) : { status: host === '' ? 406 : 400 }
    }
  }
  const core = new Strict()
  const result = await runAndCheck(core, {
    specs: specsOf('variations-revoked-token', 'variations-wrong-credentials'),
    ...QUICK,
  })
  assertNoneFailed(result)
  assert.ok(core.wrong.size > 15, `${core.wrong.size} pairs`)
  const masked = [...core.wrong].flatMap(([pair, isTaken]) => (isTaken ? [] : pair))
  assert.equal(masked, [])
})

const LOGONS = ['POST', 'variations-logons-spare-others', ['LOGON-1']] as const
const REVOCATIONS = ['DELETE', 'variations-revocations-spare-others', ['REVOKE-1']] as const

for (const [[method, id, broken], what, header, status, told] of [
  [LOGONS, 'as wrong credentials, is a fault', 'referer', 401, /Referer/],
  [LOGONS, 'as if there was no Host, is a fault', 'accept-language', 406, /Accept-Language/],
  [LOGONS, 'in a way of its own, is its affair', 'origin', 403, undefined],
  [LOGONS, 'as wrong credentials for a token that nobody needs, is its affair', 'authorization', 401, undefined],
  [LOGONS, 'as wrong credentials for what it asks for, is its affair', 'if-match', 401, undefined],
  [REVOCATIONS, 'as a wrong token, is a fault', 'referer', 401, /Referer/],
  [REVOCATIONS, 'in a way of its own, is its affair', 'origin', 403, undefined],
  [REVOCATIONS, 'as a wrong token for what it asks for, is its affair', 'if-match', 401, undefined],
] as const)
  test(`${method} that is refused for a header field, ${what}`, async () => {
    class Choosy extends ScriptedCore {
      override react(request: CoreRequest): Reaction | Promise<Reaction> {
        const isRefused = request.method === method && request.hasHost && request.headers[header] !== undefined
        if (!isRefused) return super.react(request)
        return status === 401 ? this.refusal(request) : { status }
      }
    }
    const result = await runOn(new Choosy(), id, { left: true })
    assert.equal(accusedBy(result, id), told ? broken : [])
    const missed = recordOf(result, id).steps.flatMap(({ outcome, got = '' }) => (outcome === 'miss' ? got : []))
    assert.match(missed.join(), told ?? /^$/)
  })

test('a row of which this Core does not speak a value is not sent: without its wrong password the rest is a good logon', async () => {
  const specs = ranging('variations-wrong-credentials', 'a wrong password in HTTP/1.0', 'Accept-Language')
  const result = await runInMemory(specs, { dialect: 'http10-refused', ...QUICK })
  const record = recordOf(result, 'variations-wrong-credentials')
  assert.is(record.outcome, 'skipped', record.message)
})

test('a Core that takes no chunks is neither accused nor in doubt, however it says so', async () => {
  class Whole extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      // It reads no body, and finds no credentials.
      return request.headers['transfer-encoding'] === undefined ? super.react(request) : this.refusal(request)
    }
  }
  const ids = ['variations-right-credentials', 'observe-chunked-logon']
  const result = await runAndCheck(new Whole(), { specs: specsOf(...ids), configuration: { keepHistory: true } })
  assertNoneFailed(result)
  assert.equal(result.doubts ?? [], [])
  const logons = result.history?.entries.filter(({ kind }) => kind === 'logon') ?? []
  assert.ok(logons.length > 0 && logons.every(({ answer }) => answer === 'accepted'))
  assert.match(
    checked(result, 'variations-right-credentials')?.got ?? '',
    /does not take requests of this form.*chunks/,
  )
})

test('a Core that closes the connection on what it does not take is judged by the rest, and shows no limit', async () => {
  class Mute extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      const { method, path, headers, httpVersion } = request
      const isOdd = httpVersion !== '1.1' || !/^(GET|POST|DELETE)$/.test(method) || /[?%;]|\/\//.test(path)
      const isLarge = Object.keys(headers).length > 16 || headers['transfer-encoding'] !== undefined
      return isOdd || isLarge ? 'drop' : super.react(request)
    }
  }
  const ids = [
    'variations-requests',
    'variations-logons',
    'variations-connection-forgets-refusals',
    'access-token-lasts',
  ]
  const result = await runAndCheck(new Mute(), { specs: specsOf(...ids), ...QUICK })
  assertNoneFailed(result)
  assert.is(result.verdict, 'conformant', result.reason)
  assert.is(recordOf(result, 'variations-connection-forgets-refusals').outcome, 'skipped')
  assert.not.match(result.notices?.join('; ') ?? '', /requests a (second|minute)/)
})

test('rows that get no answer are counted, and a step of which no row gets one tests nothing', () => {
  const step = specsOf('variations-logons')[0]?.steps.find(each => each.action === 'send' && each.each)
  const fineOf = (unanswered: number) => Object.assign(new EachTally(step as SendStep), { sent: 3, unanswered }).fine()
  assert.is(fineOf(0).got, 'all of 3 did so')
  assert.is(fineOf(1).got, 'all of 2 did so; 1 row got no answer, which shows nothing')
  assert.is(fineOf(3).outcome, 'unreachable')
  assert.match(fineOf(3).got ?? '', /^nothing was tested; 3 rows got no answer/)
})

test('what stands in the place of a token stands there alone, and Accept in every good request', async () => {
  class Picky extends ScriptedCore {
    override react(request: CoreRequest): Reaction | Promise<Reaction> {
      return request.headers.accept === undefined && request.method === 'GET' ? { status: 406 } : super.react(request)
    }
  }
  const ids = ['variations-request-paths', 'access-token-lasts']
  const result = await runAndCheck(new Picky(), { specs: specsOf(...ids) })
  assertNoneFailed(result)
  const doubled = ids.flatMap(id =>
    recordOf(result, id).exchanges.filter(
      ({ request: { headers } }) => headers.filter(([name]) => /^authorization$/i.test(name)).length > 1,
    ),
  )
  assert.equal(
    doubled.map(({ variation }) => variation),
    [],
  )
})

test('a revocation in a form of its own that is undone a while later is seen, and its form is told', async () => {
  class Undoing extends ScriptedCore {
    private readonly undoneAtMs = new Map<string, number>()
    override revoke(token: string, request: CoreRequest): Reaction {
      if (request.httpVersion === '1.0') this.undoneAtMs.set(token, request.atMs + this.idleMs * 0.15)
      return super.revoke(token, request)
    }
    override accepts(token: string, request: CoreRequest): boolean {
      const session = this.sessions.get(token)
      const undoneAtMs = this.undoneAtMs.get(token) ?? Number.POSITIVE_INFINITY
      if (session && undoneAtMs < request.atMs) session.revoked = false
      return super.accepts(token, request)
    }
  }
  const specs = specsOf('variations-revocations', 'revocation-lasts')
  const result = await runAndCheck(new Undoing(), { specs, left: true })
  assert.is(recordOf(result, 'variations-revocations').outcome, 'passed')
  const { outcome, message = '' } = recordOf(result, 'revocation-lasts')
  assert.is(outcome, 'failed')
  assert.match(message, /got 200 OK.* of an earlier logon, which was revoked \(HTTP\/1\.0, /)
})

test('a use that ends the token that it carries, in some form, is told by that form', async () => {
  class Ending extends ScriptedCore {
    override answer(request: CoreRequest): Reaction {
      const session = this.sessions.get(request.token ?? '')
      if (session && request.headers['cache-control'] === 'no-cache, no-store') session.revoked = true
      return super.answer(request)
    }
  }
  const id = 'variations-refusals-spare-others'
  const result = await runOn(new Ending(), id, { configuration: { profile: 'full' } })
  assert.equal(accusedBy(result, id), ['ACCESS-2'])
  assert.match(recordOf(result, id).message ?? '', /these end one: Cache-Control twice;/)
})

test('a token that a logon in some form binds to its connection is found on another', async () => {
  class Binding extends ScriptedCore {
    private readonly bound = new Map<string, number>()
    override issue(request: CoreRequest): string {
      const token = super.issue(request)
      if (request.headers.via) this.bound.set(token, request.connection)
      return token
    }
    override accepts(token: string, request: CoreRequest): boolean {
      return (this.bound.get(token) ?? request.connection) === request.connection && super.accepts(token, request)
    }
  }
  const id = 'variations-logons-spare-others'
  const result = await runOn(new Binding(), id, { configuration: { profile: 'full' } })
  assert.equal(accusedBy(result, id), ['LOGON-1'])
  assert.match(recordOf(result, id).message ?? '', /of \d+ did not do so: Via \(201 Created\)/)
})

test('a token that a logon in some form makes good for one request only is none', async () => {
  class Once extends ScriptedCore {
    private readonly once = new Set<string>()
    override issue(request: CoreRequest): string {
      const token = super.issue(request)
      if (request.headers.via) this.once.add(token)
      return token
    }
    override use(token: string, request: CoreRequest): void {
      super.use(token, request)
      if (this.once.has(token)) this.sessions.delete(token)
    }
  }
  const id = 'variations-logons-spare-others'
  const result = await runOn(new Once(), id, { configuration: { profile: 'full' } })
  assert.equal(accusedBy(result, id), ['LOGON-1'])
  assert.match(recordOf(result, id).message ?? '', /did not do so: Via \(201 Created\)/)
})

test('a connection rests before a request that is to come after a rest', async () => {
  const id = 'variations-revocations-spare-others'
  const core = new ScriptedCore()
  const specs = ranging(id, 'behind a good request and a rest')
  await runOn(core, id, { specs, configuration: { profile: 'full' } })
  const rests = core.requests.flatMap(({ method, connection, atMs }, at) => {
    const before = core.requests.slice(0, at).findLast(each => each.connection === connection)
    return method === 'DELETE' && before?.method === 'GET' ? atMs - before.atMs : []
  })
  assert.ok(Math.max(...rests) >= 400, String(rests))
})

test.run()
