/** The session: it slows down when asked, counts and hides tokens, and revokes all of them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { AnswerBook, Answers } from '../dist/core/answers.js'
import { Connections } from '../dist/core/connections.js'
import type { Exchange, WireRequest, WireResponse } from '../dist/core/exchange.js'
import { withToken } from '../dist/core/give-back.js'
import { KeptConnection } from '../dist/core/kept-connection.js'
import { NotSent } from '../dist/core/not-sent.js'
import { Pacer } from '../dist/core/pacer.js'
import { OutOfPatience } from '../dist/core/patience.js'
import { Token } from '../dist/core/token.js'
import { meetLimit } from './support/few-connections.js'
import { long } from './support/long.js'
import {
  type CoreReply,
  type CoreRequest,
  LOGON,
  OddCore,
  type Reaction,
  ScriptedCore,
  withCore,
} from './support/scripted-core.js'
import { logonRequest, openSession, PROBE, REVOKE, type ScriptedSession } from './support/scripted-session.js'

const test = suite('session')

/** A Core that gives these answers to the first matching requests, then its own. */
const reluctant = (first: Reaction[], matches: (request: CoreRequest) => boolean = () => true) =>
  new OddCore(request => (matches(request) ? first.shift() : undefined))
const isDelete = ({ method }: CoreRequest) => method === 'DELETE'

const limited = (retryAfter?: string, status = 429): CoreReply => ({
  status,
  ...(retryAfter !== undefined && { headers: { 'Retry-After': retryAfter } }),
})

const inFuture = (ms: number) => new Date(Date.now() + ms).toUTCString()

/** A session with a Core, how it logs on, and a logon with a wrong password. */
interface Opened extends ScriptedSession {
  core: ScriptedCore
  logOn(label?: string): Promise<Token>
  wrong: WireRequest
}

/** Calls back with a session with a Core: one as the reference has it, unless another is given. */
function on(
  { core = new ScriptedCore(), ...options }: { core?: ScriptedCore } & Parameters<typeof openSession>[1],
  use: (opened: Opened) => Promise<void>,
): Promise<void> {
  return withCore(core, async () => {
    const opened = await openSession(core, options)
    const { session } = opened
    session.tokenPointer = '/token'
    const logOn = async (label = 'token a') => {
      const token = session.take(await session.exchange(logonRequest(core)), label)
      if (!token) throw new Error('no token')
      return token
    }
    const wrong = logonRequest({ username: core.username, password: 'wrong' })
    await use({ ...opened, core, logOn, wrong })
  })
}

test('a Core that asks to slow down is waited for as long as it asks', async () => {
  const cases: [CoreReply, (ms: number) => boolean][] = [
    [limited('2'), ms => ms > 1500 && ms <= 2000],
    [limited('0'), ms => ms > 0 && ms <= 200],
    [limited('2', 503), ms => ms > 1500 && ms <= 2000],
    [limited(inFuture(60_000)), ms => ms > 20_000 && ms <= 60_000],
    [limited(inFuture(-5000)), ms => ms > 0 && ms <= 200],
    [limited('800'), ms => ms > 799_000 && ms <= 800_000],
    [limited('9'.repeat(400)), ms => ms === 250],
    [limited('soon'), ms => ms === 250],
    [limited('-1'), ms => ms >= 0 && ms <= 1000],
    [limited(), ms => ms === 250],
  ]
  for (const [reply, fits] of cases) {
    // A clock that stands still: what the machine does meanwhile is no part of the pause.
    await on({ core: reluctant([reply]), clock: () => 0 }, async ({ core, session, pauses }) => {
      const exchange = await session.exchange(PROBE)
      assert.is(exchange.response?.status, 401, 'the answer after the pause counts')
      assert.is(core.requests.length, 2)
      assert.is(pauses.length, 1)
      assert.ok(pauses.every(fits), `${JSON.stringify(reply)}: ${pauses}`)
    })
  }
})

test('its patience ends, with a sentence; until then a request is sent again', async () => {
  await on({ core: reluctant(Array(9).fill(limited('20'))), patienceMs: 90_000 }, async ({ core, session, pauses }) => {
    const error = await session.exchange(PROBE).catch(thrown => thrown)
    assert.instance(error, OutOfPatience)
    assert.match(
      error.message,
      /asks to slow down, now for 20 s, after 1 min 20 s of such pauses: .*the patience of this run \(1 min 30 s\)/,
      error.message,
    )
    assert.is(core.requests.length, 5)
    assert.is(pauses.length, 4)
    assert.ok(
      pauses.every(ms => ms > 19_000 && ms <= 20_000),
      `${pauses}`,
    )
  })
  // A pause beyond the patience is not begun: that advice may be wrong, so it is tried sooner first.
  await on({ core: reluctant(Array(6).fill(limited('3600'))) }, async ({ core, session, pauses }) => {
    assert.instance(await session.exchange(PROBE).catch(thrown => thrown), OutOfPatience)
    // A pause ends at a moment that is set before it, so that on a busy machine some of it is gone when it begins. None is longer.
    assert.is(core.requests.length, 6)
    assert.is(pauses.length, 5)
    for (const [at, mostMs] of [250, 500, 1000, 2000, 4000].entries()) {
      const ms = pauses[at] ?? 0
      assert.ok(ms > mostMs / 2 && ms <= mostMs, `${ms}`)
    }
  })
})

test('a drop accuses nobody at first sight: it is sent again where that is harmless, and both tries are kept', async () => {
  await on({ core: reluctant(['drop', 'drop']) }, async ({ session }) => {
    const exchange = await session.exchange(PROBE)
    assert.is(exchange.response?.status, 401)
    assert.equal(
      exchange.earlier?.map(({ error }) => error?.kind),
      ['closed', 'closed'],
    )
  })
  await on({ core: reluctant(['drop', 'drop', 'drop']) }, async ({ core, session }) => {
    const exchange = await session.exchange(PROBE)
    assert.is(exchange.error?.kind, 'closed', 'what repeats three times is judged')
    assert.is(exchange.earlier?.length, 2)
    assert.is(new Set(core.requests.map(({ connection }) => connection)).size, 3, 'each on a connection of its own')
  })
})

test('what may have had its effect is not sent again blindly', () =>
  on({}, async ({ core, session, logOn }) => {
    const token = await logOn()
    core.revoke = () => 'drop'
    const exchange = await session.exchange(withToken(REVOKE, token.value))
    assert.is(exchange.error?.kind, 'closed')
    assert.is(core.requests.filter(({ method }) => method === 'DELETE').length, 1)
    // Without one of our tokens the request has no effect, so repeating it is harmless.
    core.refusal = () => 'drop'
    await session.exchange(withToken(REVOKE, 'nobody'))
    assert.is(core.requests.filter(({ method }) => method === 'DELETE').length, 4)
  }))

test('a logon that drops may have issued a token, which is counted as lost', () =>
  on({}, async ({ core, session, logOn }) => {
    const drops: Reaction[] = ['drop']
    core.issued = token => drops.shift() ?? { status: 201, body: { token } }
    const token = await logOn()
    assert.is(core.sessions.size, 2)
    await session.giveBack([token], [])
    assert.is(session.left, 1)
  }))

test('refused logons are counted as the Core saw them, repeats included', async () => {
  const isLogon = ({ method }: CoreRequest) => method === 'POST'
  await on({ core: reluctant(['drop', limited('1')], isLogon) }, async ({ core, session }) => {
    await session.wrongLogon({ ...logonRequest(core), body: '{}' })
    assert.is(core.requests.length, 3)
    assert.is(session.refused.count, 3)
    assert.is(session.refused.triesForOne, 3, 'so many are kept for each that other specs need')
  })
  await on({ core: reluctant(Array(9).fill('drop'), isLogon), maxRefusedLogons: 2 }, async ({ core, session }) => {
    const exchange = await session.wrongLogon({ ...logonRequest(core), body: '{}' })
    assert.is(exchange.error?.kind, 'closed')
    assert.equal([core.requests.length, session.refused.count], [2, 2], 'never more than allowed')
    const spent = await session.wrongLogon({ ...logonRequest(core), body: '{}' }).catch(thrown => thrown)
    assert.match(spent.message, /^the budget of 2 refused logons is used up, with 2 that got no answer /)
  })
})

test('429 and any 5xx turn a request away: it is sent again; any other answer is an answer', async () => {
  for (const status of [200, 401, 404, 429, 500, 502, 503, 504]) {
    await on({ core: reluctant([{ status }]) }, async ({ core, session, pauses }) => {
      const isAway = status === 429 || status >= 500
      assert.is((await session.exchange(PROBE)).response?.status, isAway ? 401 : status)
      const isLimit = status === 429 || status === 503
      assert.equal([core.requests.length, session.pacer.notice !== undefined], [isAway ? 2 : 1, isLimit])
      // The pause may be over already when the machine was busy.
      assert.ok(pauses.length <= Number(isLimit), `${status}: ${pauses.length} pauses`)
    })
  }
})

test('what is served when it is sent again at once was chance of the way, and no limit', async () => {
  for (const status of [500, 502, 504]) {
    let requests = 0
    const core = new OddCore(() => (++requests % 11 === 0 ? { status } : undefined))
    await on({ core, controlRequest: () => PROBE }, async ({ session, pauses }) => {
      for (let sent = 0; sent < 30; sent++) assert.is((await session.exchange(PROBE)).response?.status, 401)
      assert.equal([pauses, session.pacer.notice, session.pacer.spacingMs('any')], [[], undefined, 0])
    })
  }
})

test('what stays turned away when it is sent again at once shows a limit', () =>
  on({ core: reluctant(Array(2).fill({ status: 502 })) }, async ({ core, session, pauses }) => {
    assert.is((await session.exchange(PROBE)).response?.status, 401)
    assert.equal([core.requests.length, pauses.length], [3, 1])
  }))

test('what is turned away again and again, while its control is answered, is the answer of this Core', async () => {
  const odd = { ...PROBE, headers: [...PROBE.headers, ['X-Odd', 'yes'] as [string, string]] }
  const core = new OddCore(({ headers }) => (headers['x-odd'] ? { status: 500 } : undefined))
  await on({ core, controlRequest: () => PROBE }, async ({ core, session, pauses }) => {
    await session.exchange(PROBE)
    const exchange = await session.exchange(odd)
    assert.equal([exchange.response?.status, exchange.earlier?.length], [500, 2])
    // One before, three tries, and a control beside the second and the third: the run does not slow down for it.
    assert.equal([core.requests.length, pauses.length], [6, 0])
    assert.is(session.pacer.notice, undefined, 'that is no limit')
    assert.is(session.pacer.spacingMs('any'), 0)
  })
})

test('where a limit answers 429, a 500 is believed as soon as where there is none', async () => {
  const odd = { ...PROBE, headers: [...PROBE.headers, ['X-Odd', 'yes'] as [string, string]] }
  const first = [undefined, undefined, undefined, limited(), limited()]
  const core = new OddCore(({ headers }) => (headers['x-odd'] ? { status: 500 } : first.shift()))
  await on({ core, controlRequest: () => PROBE }, async ({ session }) => {
    for (let each = 0; each < 4; each++) await session.exchange(PROBE)
    assert.ok(session.pacer.spacingMs('any') > 0)
    const { response, earlier } = await session.exchange(odd)
    assert.equal([response?.status, earlier?.length], [500, 2])
  })
})

/** Gives this answer to each request without Host. */
const withoutHost = (reaction: Reaction) => new OddCore(({ hasHost }) => (hasHost ? undefined : reaction))

test('where no request without Host is ever answered, the third is sent once, and shows no limit', () =>
  on({ core: withoutHost('drop'), controlRequest: () => PROBE }, async ({ session }) => {
    await session.exchange(PROBE)
    const hostless = { ...PROBE, omitHost: true }
    const tries: number[] = []
    for (let each = 0; each < 4; each++) tries.push(1 + ((await session.exchange(hostless)).earlier?.length ?? 0))
    assert.equal(tries, [3, 3, 1, 1])
    assert.is(session.pacer.notice, undefined, 'that is no limit')
    assert.is(session.pacer.spacingMs('any'), 0)
  }))

test('logons without Host that get no answer, side by side, show no limit of logons', () =>
  on({ core: withoutHost('drop'), controlRequest: () => PROBE }, async ({ session }) => {
    for (let each = 0; each < 4; each++) await session.exchange(PROBE)
    const hostless = { ...PROBE, method: 'POST', path: LOGON, omitHost: true }
    await Promise.all([1, 2, 3].map(() => session.exchange(hostless)))
    assert.equal([session.pacer.notice, session.pacer.spacingMs('logon')], [undefined, 0])
  }))

test('where every request without Host gets a 500, those sent side by side show no limit, and later ones are sent once', async () => {
  await on({ core: withoutHost({ status: 500 }), controlRequest: () => PROBE }, async ({ session }) => {
    await session.exchange(PROBE)
    const hostless = { ...PROBE, omitHost: true }
    const statuses = await Promise.all([1, 2, 3].map(async () => (await session.exchange(hostless)).response?.status))
    assert.equal(statuses, [500, 500, 500])
    assert.is((await session.exchange(hostless)).earlier, undefined)
    assert.is(session.pacer.notice, undefined, 'that is no limit')
    assert.is(session.pacer.spacingMs('any'), 0)
  })
})

test('a connection that is closed at once shows a limit on new ones, but not where the Core takes fewer at a time', async () => {
  for (const isShort of [false, true]) {
    let atMs = () => 0
    let openedMs: number[] = []
    // It takes ten new connections a second, and drops the others.
    const core = new OddCore(() => {
      openedMs = [...openedMs.filter(ms => ms > atMs() - 1000), atMs()]
      return openedMs.length > 10 ? 'drop' : undefined
    })
    const connections = new Connections(4)
    if (isShort) meetLimit(connections, 2, 2)
    assert.is(connections.areShort, isShort)
    await on({ core, connections, controlRequest: () => PROBE }, async ({ session, pauses }) => {
      atMs = () => performance.now() + pauses.reduce((sum, ms) => sum + ms, 0)
      for (let sent = 0; sent < 60; sent++) await session.exchange(PROBE, undefined, { isOnce: true })
      const { notice = '' } = session.pacer
      assert.is(/new connections/.test(notice), !isShort, notice)
    })
  }
})

long(test)(
  'where a limit leaves requests without an answer, each is waited for only as long as answers take',
  async () => {
    let hangs = 0
    const core = new OddCore(() => (hangs-- > 0 ? 'hang' : undefined))
    const tookMs = ({ earlier = [] }: Exchange) => earlier.map(({ sentAt, receivedAt }) => receivedAt - sentAt)
    await on({ core, deadlineMs: 2600 }, async ({ session, logOn }) => {
      const token = await logOn()
      await session.exchange(PROBE)
      session.pacer.isDropping = true
      hangs = 2
      const [first = 0, second = 0] = tookMs(await session.exchange(PROBE))
      // A late answer may be one of a server that lets requests wait: only a whole deadline shows that none comes.
      assert.ok(first >= 2590, `${first} ms`)
      assert.ok(second >= 1990 && second < 2550, `${second} ms`)
      hangs = 1
      const exchanges: Exchange[] = []
      await session.giveBack([token], exchanges)
      const [given = 0] = exchanges.flatMap(tookMs)
      assert.ok(given >= 2590, `a token is given back with all the time there is, and not within ${given} ms`)
      assert.is(session.left, 0)
    })
  },
)

test('what may have had its effect is not sent again, though it was turned away: 503 says that it had none', async () => {
  for (const [status, requests] of [
    [502, 2],
    [503, 3],
  ] as const) {
    await on({}, async ({ core, session, logOn }) => {
      const token = await logOn()
      let isFirst = true
      core.revoke = () => {
        const reply = isFirst ? { status } : { status: 204 }
        isFirst = false
        return reply
      }
      const exchange = await session.exchange(withToken(REVOKE, token.value))
      assert.is(exchange.response?.status, status === 503 ? 204 : 502)
      assert.is(core.requests.length, requests)
    })
  }
})

test('a logon that is turned away, while others are answered, is left to who logs on: giving tokens back may help', async () => {
  for (const reply of [limited(), limited('1'), limited('3600')]) {
    await on({ controlRequest: () => PROBE }, async ({ core, session, pauses, logOn }) => {
      await logOn()
      core.logon = () => reply
      assert.is((await session.exchange(logonRequest(core))).response?.status, 429)
      assert.equal(pauses, [])
    })
  }
})

test('a logon that is refused while the run holds no token looks for those that still live on the connection that it has', () =>
  on({ connections: new Connections(1) }, async ({ core, session, logOn }) => {
    session.isAlive = async (token, on) =>
      (await session.exchange(withToken(PROBE, token.value), on)).response?.status === 200
    await session.giveBack([await logOn()], [])
    const turnedAway: Reaction[] = [limited()]
    const serve = core.logon.bind(core)
    core.logon = request => turnedAway.shift() ?? serve(request)
    assert.is((await session.exchange(logonRequest(core))).response?.status, 201)
    assert.equal(
      core.requests.map(({ method }) => method),
      ['POST', 'DELETE', 'POST', 'GET', 'POST'],
    )
  }))

test('where the run is interrupted while a refused revocation waits, the other tokens are given back all the same', () =>
  on({ pause: () => Promise.reject(new Error('interrupted')) }, async ({ core, session, logOn }) => {
    const unauthorized = { status: 401, headers: [], body: '' }
    const accepted = { ...unauthorized, status: 200 }
    const state = { accepted, refusals: [unauthorized], signs: ['status=401'], tells: true }
    session.answers = new AnswerBook(new Answers(state as never))
    session.isAlive = async (token, on) =>
      (await session.exchange(withToken(PROBE, token.value), on)).response?.status === 200
    const [refused, other] = [await logOn(), await logOn('token b')]
    const revoke = core.revoke.bind(core)
    core.revoke = (token, request) => (token === refused.value ? { status: 409 } : revoke(token, request))
    await session.giveBack([refused, other], [])
    assert.equal([refused.givenBack, other.givenBack], [false, true])
  }))

test('a token is counted, hidden and given back', () =>
  on({}, async ({ core, session, redactor, logOn }) => {
    const token = await logOn()
    assert.ok(core.sessions.has(token.value))
    assert.equal(session.tokens, [token])
    assert.is(redactor.text(`x ${token.value}`), 'x [token a]')
    assert.equal([session.live, session.left], [1, 1])
    const exchanges: Exchange[] = []
    await session.giveBack([token], exchanges)
    assert.equal(core.left, [])
    assert.is(exchanges.length, 1)
    assert.ok(exchanges.every(({ response }) => response?.status === 204))
    assert.is(token.revocation, exchanges[0], 'a later look at it would show that it lives on')
    assert.equal([session.live, session.left], [0, 0])
  }))

test('what is given back once is not given back again, and the same value once only', () =>
  on({}, async ({ session, logOn }) => {
    const token = await logOn()
    const twin = new Token('token b', token.value, token.issued)
    const exchanges: Exchange[] = []
    await session.giveBack([token, twin, token], exchanges)
    assert.is(exchanges.length, 1)
    await session.giveBack([token, twin], exchanges)
    assert.is(exchanges.filter(({ response }) => response?.status === 204).length, 1)
  }))

test('a revocation that fails is tried once more', async () => {
  const failures: Reaction[] = ['drop', { status: 500 }, { status: 401 }, { status: 302, headers: { Location: '/' } }]
  for (const failure of failures) {
    await on({ core: reluctant([failure], isDelete) }, async ({ core, session, logOn }) => {
      const token = await logOn()
      await session.giveBack([token], [])
      assert.is(session.left, 0)
      assert.is(core.sessions.get(token.value)?.revoked, true)
    })
  }
})

test('what cannot be given back is left over, and said so', () =>
  on({}, async ({ core, session, logOn }) => {
    core.revoke = () => ({ status: 500 })
    const tokens = [await logOn(), await logOn('token b')]
    const exchanges: Exchange[] = []
    await session.giveBack(tokens, exchanges)
    assert.is(session.left, 2)
    assert.is(exchanges.length, 4)
  }))

test('a Core that is gone keeps what it issued', () =>
  on({}, async ({ core, session, logOn }) => {
    const token = await logOn()
    await core.stop()
    const { now } = performance
    // Half a minute of tries takes a moment.
    const timer = setTimeout(() => {
      performance.now = () => now.call(performance) + 60_000
    }, 300)
    await session.giveBack([token], []).finally(() => {
      clearTimeout(timer)
      performance.now = now
    })
    assert.is(session.left, 1)
  }))

test('a token that was seen dead is tried all the same, and a refusal of it is the end of it', () =>
  on({}, async ({ core, session, logOn }) => {
    const token = await logOn()
    core.sessions.delete(token.value)
    token.rejected()
    const exchanges: Exchange[] = []
    await session.giveBack([token], exchanges)
    assert.equal(
      exchanges.map(({ response }) => response?.status),
      [401],
    )
    assert.is(session.left, 0)
  }))

test('giving back is patient with a Core that limits the rate', async () => {
  await on({ core: reluctant([limited('7'), limited('7')], isDelete) }, async ({ core, session, pauses, logOn }) => {
    const token = await logOn()
    await session.giveBack([token], [])
    assert.is(pauses.length, 2)
    assert.ok(
      pauses.every(ms => ms > 6000 && ms <= 7000),
      `${pauses}`,
    )
    assert.equal(core.left, [])
    assert.is(session.left, 0)
  })
})

test('giving back does not end when the clock of the run has', async () => {
  await on(
    { core: reluctant([limited('1')], isDelete), pause: () => Promise.reject(new Error('interrupted')) },
    async ({ core, session, logOn }) => {
      const token = await logOn()
      await session.giveBack([token], [])
      assert.is(core.sessions.get(token.value)?.revoked, true)
      assert.is(session.left, 0)
    },
  )
})

test('a logon response without a token gives none, and hides what may be one', async () => {
  const bodies: [unknown, hidden: string | undefined][] = [
    [{ error: 'no' }, undefined],
    [{ token: null }, undefined],
    [{ token: '' }, undefined],
    [{ token: 'two words\r\nX: y' }, undefined],
    [{ other: '0123456789abcdef0123' }, '0123456789abcdef0123'],
    ['{"token":"0123456789abcdef0123', '0123456789abcdef0123'],
    [{ token: { value: '0123456789abcdef0123' } }, '0123456789abcdef0123'],
  ]
  for (const [body, hidden] of bodies) {
    await on({ core: reluctant([{ status: 200, body }]) }, async ({ core, session, redactor }) => {
      const exchange = await session.exchange(logonRequest(core))
      assert.is(session.take(exchange, 'token a'), undefined)
      assert.is(session.tokens.length, 0)
      const text = JSON.stringify(exchange.response?.body)
      if (hidden) assert.not.ok(redactor.text(text).includes(hidden))
      else assert.is(redactor.text(text), text)
    })
  }
})

test('in a list of sessions the token may stand in any item, and an old one beside it is none', async () => {
  const tokens = ['a1', 'b2', 'c3', 'd4'].map(word => word.repeat(16))
  const items = [['a1'], ['a1', 'b2'], ['****', '****', 'c3'], ['d4', 'e5', 'f6'], []]
  const bodies = items.map(words => ({
    sessions: words.map(word => ({ token: word.repeat(word === '****' ? 1 : 16) })),
  }))
  await on({ core: reluctant(bodies.map(body => ({ status: 200, body }))) }, async ({ core, session }) => {
    session.tokenPointer = '/sessions/1/token'
    const taken = []
    for (const _ of bodies) taken.push(session.take(await session.exchange(logonRequest(core)), 'token')?.value)
    // Of two new ones nobody knows which it is.
    assert.equal(taken, [tokens[0], tokens[1], tokens[2], 'e5'.repeat(16), undefined])
    session.tokenPointer = '/sessions/7/token'
    const list = (...words: string[]) => JSON.stringify({ sessions: words.map(word => ({ token: word.repeat(16) })) })
    const answer = (body: string) => ({ status: 200, headers: [], body }) as unknown as WireResponse
    assert.equal(
      [list('a1'), list('a1', 'd4'), list('d4', '77')].map(body => session.tokenIn(answer(body))),
      [tokens[0], tokens[3], undefined],
    )
  })
})

test('words, paths and media types beside a token are no secrets', () =>
  on({}, async ({ session, redactor }) => {
    const secrets = ['0123456789abcdef', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJh.dBjftJeZ4CVP', 'Zm9vYmFyYmF6cXV4cXV1eA==']
    const plain = ['/api/v0/cores/self/users', 'application/json', 'Super-Administrator', 'must-revalidate']
    const response = { status: 201, statusText: '', httpVersion: '1.1', headers: [], bodyBytes: 0, complete: true }
    session.hideTokenLike({ ...response, body: JSON.stringify({ secrets, plain }) })
    for (const text of plain) assert.is(redactor.text(text), text)
    for (const secret of secrets) assert.is(redactor.text(secret), '[withheld]')
  }))

/** Whether the logons had a wrong password, in their order. */
const wrongOf = ({ requests }: ScriptedCore) =>
  requests.filter(({ path, method }) => path === LOGON && method === 'POST').map(({ body }) => body.includes('wrong'))

test('a wrong logon comes between right ones, and there are only so many', () =>
  on({ maxRefusedLogons: 3 }, async ({ core, session, wrong }) => {
    const all = await Promise.allSettled([1, 2, 3, 4].map(() => session.wrongLogon(wrong)))
    assert.equal(
      all.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
    )
    const [, , , last] = all
    assert.instance(last?.status === 'rejected' && last.reason, NotSent)
    assert.is(session.refused.count, 3)
    // No two wrong logons in a row, and the tokens of the right ones are revoked.
    assert.equal(wrongOf(core), [true, false, true, false, true])
    assert.equal(core.left, [])
    assert.is(session.left, 0)
  }))

test('wrong logons half a minute apart count as those that are spread, whoever sends them', () => {
  let nowMs = 0
  const pacer = new Pacer({ now: () => nowMs, patienceMs: 60_000 })
  return on({ maxRefusedLogons: 54, pacer }, async ({ session, wrong }) => {
    const left: number[][] = []
    for (const restMs of [0, 29_000, 30_000, 30_000, 30_000]) {
      nowMs += restMs
      session.refused.loggedOn()
      await session.wrongLogon(wrong)
      left.push([session.refused.leftAtOnce, session.refused.leftPaced])
    }
    assert.equal(left, [
      [51, 2],
      [50, 2],
      [50, 1],
      [50, 0],
      [49, 0],
    ])
  })
})

test('the first sign of a lock ends the wrong logons that are spread, and no limit of those at once does', () =>
  on({ maxRefusedLogons: 60 }, async ({ core, session, wrong }) => {
    core.logon = () => ({ status: 423 })
    await session.wrongLogon(wrong)
    assert.equal([session.refused.leftPaced, session.refused.showsLock], [8, false])
    session.refused.loggedOn()
    await session.wrongLogon(wrong, { isPaced: true })
    assert.equal([session.refused.leftPaced, session.refused.showsLock], [0, true])
  }))

test('right credentials that are refused in an odd form are not waited for, as those of a locked account are', () =>
  on({}, async ({ core, session, wrong }) => {
    core.logon = () => ({ status: 406 })
    for (let time = 0; time < 2; time++) {
      session.refused.loggedOn()
      await session.wrongLogon(wrong)
    }
    const right = logonRequest({ username: core.username, password: core.password })
    await session.exchange({ ...right, headers: [...right.headers, ['Accept', 'image/png']] })
    assert.is(core.requests.length, 3)
  }))

test('a wrong logon may come twice in a row where a spec wants that, and needs no right one in between after one', async () => {
  for (const [isAfterRight, sent] of [
    [false, [true, true, false, true]],
    [true, [true, true, true]],
  ] as const)
    await on({}, async ({ core, session, wrong }) => {
      for (let time = 0; time < 3; time++) {
        if (isAfterRight) session.refused.loggedOn()
        await session.wrongLogon(wrong, { isAgain: !isAfterRight && time > 0 })
      }
      assert.equal(wrongOf(core), sent)
    })
})

test('when the right logon between two wrong ones fails, no further wrong one is sent', () =>
  on({}, async ({ core, session, wrong }) => {
    core.logon = () => ({ status: 401 })
    await session.wrongLogon(wrong)
    const error = await session.wrongLogon(wrong).catch(thrown => thrown)
    assert.instance(error, NotSent)
    assert.is(core.requests.filter(({ body }) => body.includes('wrong')).length, 1)
  }))

test('exchanges on a kept connection share it, until the Core closes it', () =>
  on({}, async ({ core, session, logOn }) => {
    const token = await logOn()
    const kept = new KeptConnection()
    const use = () => session.exchange(withToken(PROBE, token.value), kept)
    for (let time = 0; time < 15; time++) assert.is((await use()).response?.status, 200)
    const onKept = core.requests.slice(1).map(({ connection }) => connection)
    assert.equal(new Set(onKept), new Set([2]))
    core.answer = () => ({ status: 200, headers: { Connection: 'close' } })
    await use()
    await use()
    assert.equal(
      core.requests.slice(-2).map(({ connection }) => connection),
      [2, 3],
    )
    kept.close()
  }))

test('a kept connection that was unused for long is not trusted any more', () =>
  on({}, async ({ core, session }) => {
    const kept = new KeptConnection()
    await session.exchange(PROBE, kept)
    const { now } = performance
    // Nobody waits that long.
    performance.now = () => now.call(performance) + 60_000
    try {
      await session.exchange(PROBE, kept)
    } finally {
      performance.now = now
    }
    assert.equal(
      core.requests.map(({ connection }) => connection),
      [1, 2],
    )
    kept.close()
  }))

test('a kept connection that the Core dropped meanwhile is replaced, and the request sent again', () =>
  on({}, async ({ core, session, logOn }) => {
    const token = await logOn()
    const kept = new KeptConnection()
    const use = () => session.exchange(withToken(PROBE, token.value), kept)
    await use()
    // Dropped with the request on its way, again and again: that is no race any more.
    const answer = core.answer
    const drops: Reaction[] = ['drop']
    core.answer = request => drops.shift() ?? answer.call(core, request)
    assert.is((await use()).response?.status, 200)
    drops.push('drop', 'drop', 'drop', 'drop')
    assert.is((await use()).error?.kind, 'closed')
    assert.is((await use()).response?.status, 200)
    kept.close()
  }))

test('what is answered by closing the connection shows no limit, also where that was a kept one', () => {
  let token = ''
  const served = () => withToken(PROBE, token)
  return on({ controlRequest: served }, async ({ core, session, logOn }) => {
    token = (await logOn()).value
    const kept = new KeptConnection()
    await session.exchange(served(), kept)
    core.refusal = () => 'drop'
    const { error, earlier = [] } = await session.exchange(PROBE, kept)
    assert.equal([error?.kind, earlier[0]?.error?.kind], ['closed', 'closed'])
    assert.ok(earlier.length > 1, 'the first try was on the kept connection')
    assert.is(session.pacer.mark.away, 0)
    kept.close()
  })
})

test('the words of an error are no token, and a token in an error is one', async () => {
  const answers: Reaction[] = [
    { status: 400, body: '"The header field Accept must admit JSON"' },
    { status: 400, body: '"E-1042-NO-JSON"' },
    { status: 400, body: JSON.stringify('a1'.repeat(32)) },
  ]
  const core = reluctant(answers, ({ path }) => path === LOGON)
  core.issued = token => ({ status: 200, body: JSON.stringify(token) })
  await withCore(core, async () => {
    const { session } = await openSession(core)
    session.tokenPointer = ''
    session.add('0f'.repeat(32), 'token of the survey', { request: logonRequest(core), sentAt: 0, receivedAt: 1 })
    const taken = []
    for (const _ of answers.slice()) taken.push(session.take(await session.exchange(logonRequest(core)), 'token'))
    assert.equal(
      taken.map(token => token?.value.length),
      [undefined, undefined, 64],
    )
    const [pointer, error] = ['/token', { status: 401 } as WireResponse]
    assert.is(session.isWord({ pointer, value: 'invalid' }, error), true)
    // Its name tells, so that it may have any length.
    assert.is(session.isWord({ pointer, value: 'A1b2C3d4' }, error), false)
  })
})

test.run()
