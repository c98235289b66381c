/** The limits of a mock Core on its clock: what is counted, when there is room again, and that time which is advanced counts. */
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { DialectData, MockCore } from '../dist/mock/index.js'
import { PenaltyBox, RateLimiter } from '../dist/mock/limits.js'
import { ask, USER, withMockCore } from './support/mock-client.js'

const OPEN = '/api/v0/cores/self/access_mode'

function clockAt(nowMs: number) {
  const clock = { now: nowMs, nowMs: () => clock.now }
  return clock
}

/** Takes one at each of these moments. Returns how long there was no room, each time. */
function takenAt(rate: ConstructorParameters<typeof RateLimiter>[0], moments: readonly number[]): number[] {
  const clock = clockAt(0)
  const limiter = new RateLimiter(rate, clock)
  return moments.map(ms => {
    clock.now = ms
    return limiter.take()
  })
}

/** Uses a mock Core whose clock stands still, but for what is advanced. */
const withLimits = (dialect: DialectData, use: (core: MockCore) => Promise<void>) =>
  withMockCore({ dialect, timeScale: 1e-9 }, use)

test('in any period there is room for the count', () => {
  assert.equal(takenAt({ count: 2, perMs: 1000 }, [0, 400, 500, 999, 1000, 1001, 1400]), [0, 0, 500, 1, 0, 399, 0])
})

test('with a burst, room comes evenly', () => {
  const rate = { count: 20, perMs: 1000, burst: 2 }
  assert.equal(takenAt(rate, [0, 0, 0, 0, 50, 51, 100]), [0, 0, 0, 50, 0, 49, 0])
  assert.equal(takenAt({ ...rate, burst: 0 }, [0, 49, 50, 60, 1000]), [0, 1, 0, 40, 0])
})

test('where refused ones count, whoever goes on is never served', () => {
  const moments = [0, 400, 800, 1200, 1600, 2000]
  assert.equal(takenAt({ count: 1, perMs: 1000, counted: 'all' }, [...moments, 3000]), [0, 600, 600, 600, 600, 600, 0])
  assert.equal(takenAt({ count: 1, perMs: 1000 }, moments), [0, 600, 200, 0, 600, 200])
})

test('those that wait get a place each', () => {
  assert.equal(takenAt({ count: 2, perMs: 1000, beyond: 'wait' }, [0, 0, 0, 0, 0, 500]), [0, 0, 1000, 1000, 2000, 1500])
})

test('too many within the period, and no more than that, are followed by a penalty', () => {
  const clock = clockAt(0)
  const box = new PenaltyBox({ count: 3, perMs: 1000, forMs: 500 }, clock)
  const noted = (...moments: number[]) =>
    moments.map(ms => {
      clock.now = ms
      box.note()
      return box.leftMs()
    })
  assert.equal(noted(0, 600, 1000, 1100), [0, 0, 0, 500])
  clock.now = 1599
  assert.is(box.leftMs(), 1)
  assert.equal(noted(1600, 1700, 1800), [0, 0, 500], 'it begins anew')
})

test('a request that waits is served when the clock has been advanced', () =>
  withLimits({ limits: { requests: { count: 1, perMs: 60_000, beyond: 'wait' } } }, async core => {
    assert.is((await ask(core, 'GET', OPEN)).status, 200)
    const second = ask(core, 'GET', OPEN)
    while (core.requests.length < 2) await new Promise(resolve => setTimeout(resolve, 5))
    core.advance(59_999)
    assert.is(core.state().requests, 1)
    core.advance(1)
    assert.is((await second).status, 200)
  }))

test('a logon that is being worked out has no effect yet', () =>
  withLimits({ logon: { takesMs: 700 } }, async core => {
    const logon = ask(core, 'POST', '/api/v0/logon', { body: JSON.stringify(USER) })
    while (core.requests.length < 1) await new Promise(resolve => setTimeout(resolve, 5))
    assert.is(core.state().tokens.issued, 0)
    core.advance(700)
    assert.is((await logon).status, 201)
  }))

test('a reset forgets what was counted', () =>
  withLimits({ limits: { requests: { count: 1, perMs: 1000 } } }, async core => {
    const two = async () => [(await ask(core, 'GET', OPEN)).status, (await ask(core, 'GET', OPEN)).status]
    assert.equal(await two(), [200, 429])
    core.reset()
    assert.equal(await two(), [200, 429])
  }))

test('a ban counts refusals of tokens and of logons, and nothing else', () =>
  withLimits({ limits: { refusals: { count: 2, perMs: 1000, forMs: 1000 } } }, async core => {
    const open = async () => (await ask(core, 'GET', OPEN)).status
    await ask(core, 'GET', '/api/v0/cores/self/users', { host: false })
    await ask(core, 'POST', '/api/v0/logon', { body: '{' })
    await ask(core, 'GET', '/api/v0/cores/self/users')
    assert.is(await open(), 200)
    await ask(core, 'POST', '/api/v0/logon', { body: JSON.stringify({ ...USER, password: 'falsch' }) })
    assert.is(await open(), 429)
    core.advance(1000)
    assert.is(await open(), 200)
  }))

test.run()
