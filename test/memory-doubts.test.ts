/** What a Core does once, wherever in the run: an honest Core is not in doubt, and a fault is never passed over. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { RecordedRequest } from '../dist/mock/index.js'
import type { RunResult } from '../dist/result.js'
import { long } from './support/long.js'
import { CREDENTIALS, type InMemory, runInMemory } from './support/memory-run.js'
import { QUICK, SPECS, specsOf } from './support/suite-run.js'

const test = suite('memory doubts')
const LOGON = '/api/v0/logon'
const USERS = '/api/v0/cores/self/users'
/** The headers of a plain use of a token. */
const PLAIN = 'accept,authorization,connection,host'
/** The host of a Core in memory. Another one in `Host` is odd. */
const HOST = 'mock-core'

type Core = InMemory['core']
/** Every spec of a quick run but most of those that range over families: these send most of its requests, each alike. */
const QUICK_SPECS = SPECS.filter(
  ({ isForFull, id }) => !isForFull && (!id.startsWith('variations-') || /-(?:valid-token|revocations)$/.test(id)),
)

/**
 * Runs specs in a quick run. `happens` is called with the Core when so many requests have been answered; `answered` with each.
 */
async function runWith(
  at: number,
  happens: (core: Core) => void,
  specs = QUICK_SPECS,
  answered: (request: RecordedRequest) => void = () => {},
): Promise<RunResult> {
  let count = 0
  return runInMemory(specs, {
    configuration: { ...QUICK, keepHistory: true },
    answered: (request, { core }) => {
      answered(request)
      if (++count === at) happens(core)
    },
  })
}

const doubted = ({ doubts = [] }: RunResult) => doubts.map(({ requirement }) => requirement)

test('a token that is refused once, and accepted when it is sent again, leaves ACCESS-2 in doubt', async () => {
  const refuse = (core: Core) => core.refuseNext(1, 401, { method: 'GET', path: USERS })
  const result = await runWith(
    40,
    refuse,
    specsOf('access-token-lasts', 'access-two-tokens', 'revocation-spares-older'),
  )
  assert.is(result.verdict, 'incomplete')
  assert.match(
    result.reason,
    /^ACCESS-2 is in doubt: a valid token was refused, and accepted again later \(GET \/api\/v0\/cores\/self\/users: 401/,
  )
  assert.equal(doubted(result), ['ACCESS-2'])
  assert.is(result.requirements.find(({ id }) => id === 'ACCESS-2')?.state, 'in doubt')
})

test('a good token that is refused in front of another request leaves a requirement in doubt', async () => {
  const specs = specsOf('connections-behind-revoked-token')
  const seen: string[] = []
  await runWith(
    0,
    () => {},
    specs,
    ({ method, token }) => seen.push(`${method} ${token?.state}`),
  )
  const at = seen.findIndex((_, i) => /^DELETE .*, GET valid, GET revoked$/.test(seen.slice(i, i + 3).join(', '))) + 1
  const refused: string[] = []
  const refuse = (core: Core) => core.refuseNext(1, 401, { method: 'GET', path: USERS })
  const result = await runWith(at, refuse, specs, ({ token, status }) => {
    if (token?.state === 'valid' && status === 401) refused.push(token.state)
  })
  assert.equal(refused, ['valid'])
  assert.is(result.verdict, 'incomplete', result.reason)
  assert.is(doubted(result).length, 1)
})

test('a Core that was restarted is not in doubt', async () => {
  const result = await runWith(
    45,
    core => void core.restart(),
    specsOf('access-token-lasts', 'access-two-tokens', 'logon-repeated', 'logon-at-once', 'revocation-spares-older'),
  )
  assert.is(result.verdict, 'conformant', result.reason)
  assert.equal(doubted(result), [])
})

test('a spec that cannot be tried with this Core is skipped, also where a restart blocked it before it came so far', async () => {
  const specs = specsOf('connections-resumed-no-token')
  let sent = 0
  await runWith(
    0,
    () => {},
    specs,
    () => sent++,
  )
  const outcomes = new Set<string | undefined>()
  // Its own requests come last, and one of them is the first with its token.
  for (let at = sent - 4; at < sent; at++) {
    const result = await runWith(at, core => void core.restart(), specs)
    outcomes.add(result.specs.find(({ id }) => id === specs[0]?.id)?.outcome)
  }
  assert.equal([...outcomes], ['skipped'])
})

/** What an honest run sends. */
const sent = new Promise<RecordedRequest[]>(resolve => {
  const requests: RecordedRequest[] = []
  resolve(
    runWith(
      0,
      () => {},
      undefined,
      request => requests.push(request),
    ).then(() => requests),
  )
})
const isRightLogon = ({ method, path, body, status }: RecordedRequest) =>
  method === 'POST' && path === LOGON && body === JSON.stringify(CREDENTIALS) && status === 201
const isPlain = ({ query, headers }: RecordedRequest) =>
  query === '' &&
  Object.keys(headers).sort().join() === PLAIN &&
  headers.host === HOST &&
  headers.accept === 'application/json'

/** Moments of a run by what is sent then. */
const MOMENTS: [when: string, from: number, is: (request: RecordedRequest, next: RecordedRequest) => boolean][] = [
  ['before a revocation', 75, (_, next) => next.method === 'DELETE' && next.status === 204],
  ['in an odd form', 150, request => request.path === USERS && request.status === 200 && !isPlain(request)],
]

for (const [when, from, is] of MOMENTS) {
  const moment = async () => {
    const requests = await sent
    const at = requests.findIndex((request, index) => index >= from && is(request, requests[index + 1] ?? request))
    assert.ok(at > 0, when)
    return at
  }

  long(test)(`right credentials that are refused once are seen, ${when}`, async () => {
    const at = await moment()
    const logons = (await sent).flatMap((request, index) => (index >= at && isRightLogon(request) ? [index] : []))
    for (const before of logons) {
      const result = await runWith(before, core => core.refuseNext(1, 401, { method: 'POST', path: LOGON }))
      // No run is the other to the request: the next logon may have wrong credentials, which are to be refused.
      if (!result.history?.entries.some(({ kind, status }) => kind === 'logon' && status === 401)) continue
      assert.is.not(result.verdict, 'conformant', result.reason)
      return
    }
    assert.unreachable('no right credentials were refused')
  })

  long(test)(`a good token that is refused once is seen, ${when}`, async () => {
    const refuse = (core: Core) => core.refuseNext(1, 401, { method: 'GET', path: USERS })
    let [isWrong, isOdd] = [false, false]
    const result = await runWith(await moment(), refuse, undefined, request => {
      const { token, status, path, headers } = request
      const isRefused = path === USERS && token?.state === 'valid' && status === 401
      isWrong ||= isRefused && isPlain(request) && headers.authorization?.startsWith('Bearer ') === true
      isOdd ||= isRefused && !isPlain(request)
    })
    // What is refused may have had no good token: then nothing was wrong. With an odd header nobody knows, and nobody is accused.
    if (isOdd && !isWrong) assert.is.not(result.verdict, 'nonconformant', result.reason)
    else assert.is(result.verdict === 'conformant', !isWrong, result.reason)
  })
}

/**
 * As many tokens tell a restart from what ended the one that was used, also where one of them is given back before anybody looks at it. Of fewer, it
 * is a doubt.
 */
const TELLING = 4
long(test)('a restart accuses nobody, and leaves no doubt where several tokens lived', async () => {
  for (const [at, least] of [
    [250, TELLING],
    [80, 0],
  ] as const) {
    let [count, isRestarted] = [0, false]
    const result = await runInMemory(QUICK_SPECS, {
      configuration: QUICK,
      answered: (_, { core }) => {
        if (isRestarted || ++count < at || core.state().tokens.live < least) return
        isRestarted = true
        core.restart()
      },
    })
    assert.ok(isRestarted)
    const open = result.specs.filter(({ outcome }) => outcome === 'blocked' || outcome === 'inconclusive')
    const told = [result.reason, ...open.map(({ id, message }) => `${id}: ${message}`)].join('\n')
    assert.is.not(result.verdict, 'nonconformant', told)
    assert.equal(
      result.events?.map(event => event.kind),
      ['tokens lost'],
    )
    assert.match(
      result.events?.[0]?.text ?? '',
      /^all tokens stopped working between .* what needed them was tried again$/,
    )
    if (least === 0) continue
    assert.is(result.verdict, 'conformant', told)
    assert.equal(doubted(result), [])
  }
})

test.run()
