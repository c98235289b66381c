/** Time: waits, leaps and the budget of tokens, on the real clock and on one under the test's control. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as afterPendingEvents, setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Lease, TokenBudget } from '../dist/engine/budget.js'
import { type Clock, clockOf, controlClockMs, realClock } from '../dist/engine/clock.js'
import { Interrupted, Schedule, type ScheduleListener } from '../dist/engine/schedule.js'

const HOUR = 3_600_000

/** A clock that only leaps move; it also records them. */
class HandClock implements Clock {
  at = 0
  readonly leaps: number[] = []
  /** Called in the middle of each leap. */
  during: () => Promise<void> | void = () => {}

  now(): number {
    return this.at
  }

  wall(): number {
    return this.at
  }

  leap = async (ms: number): Promise<void> => {
    await this.during()
    this.leaps.push(ms)
    this.at += ms
  }
}

const NEVER = new AbortController().signal

function virtual(signal = NEVER, listener?: ScheduleListener) {
  const clock = new HandClock()
  return { clock, schedule: new Schedule(clock, signal, listener) }
}

/** A task that waits. */
const until = (schedule: Schedule, ms: number, what = 'a while') =>
  schedule.task(() => schedule.until(ms, { spec: 'x', what }))

/** Returns what a promise is rejected with. */
const errorOf = (promise: Promise<unknown> | undefined): Promise<Error | undefined> =>
  soon(promise ?? Promise.resolve()).then(
    () => undefined,
    error => error,
  )

/** Fails where the promise hangs. */
async function soon<T>(promise: Promise<T>): Promise<T> {
  const timer = new AbortController()
  const late = sleep(5000, undefined, { signal: timer.signal, ref: true }).then(() => {
    throw new Error('it never came to an end')
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    timer.abort()
    late.catch(() => {})
  }
}

const waits = suite('waits')

waits('a wait on the real clock never ends early', async () => {
  const schedule = new Schedule(realClock(), NEVER)
  const from = schedule.now()
  const wait = async (ms: number) => {
    await until(schedule, from + ms)
    assert.ok(schedule.now() >= from + ms, `${schedule.now() - from} ms instead of ${ms}`)
  }
  await soon(Promise.all([0, 1, 5, 10.25, 20, 33.3, 60].map(wait)))
})

waits('a wait for what is past is none', async () => {
  const { clock, schedule } = virtual()
  clock.at = 100
  for (const ms of [100, -5]) await until(schedule, ms)
  assert.equal(clock.leaps, [])
})

waits('the next wait that lets a token expire is told, where it ends soon', async () => {
  const { schedule } = virtual()
  const seen: (number | undefined)[] = []
  const expiry = () => schedule.task(() => schedule.until(2 * HOUR, { spec: 'x', what: 'a while', isExpiry: true }))
  const look = (ms: number) => until(schedule, ms).then(() => seen.push(schedule.expiryWithin(HOUR / 2)))
  await soon(Promise.all([expiry(), look(HOUR), look(1.75 * HOUR), look(3 * HOUR)]))
  assert.equal(seen, [undefined, HOUR / 4, undefined])
})

waits('when all wait, the clock leaps from one end of a wait to the next', async () => {
  const { clock, schedule } = virtual()
  const ends: string[] = []
  const wait = (name: string, ms: number) => until(schedule, ms).then(() => ends.push(`${name} at ${clock.at}`))
  await soon(Promise.all([wait('c', 3 * HOUR), wait('a', HOUR), wait('b', 2 * HOUR), wait('also a', HOUR)]))
  assert.equal(ends, [`a at ${HOUR}`, `also a at ${HOUR}`, `b at ${2 * HOUR}`, `c at ${3 * HOUR}`])
  assert.equal(clock.leaps, [HOUR, HOUR, HOUR])
})

waits('nothing leaps while anything runs, be it before its wait or at once after it', async () => {
  const { clock, schedule } = virtual()
  let inFlight = 0
  clock.during = () => assert.is(inFlight, 0, 'nothing is in flight when the clock leaps')
  const work = (gap: number) =>
    schedule.task(async () => {
      for (let turn = 1; turn <= 10; turn++) {
        inFlight++
        await sleep(turn % 3)
        inFlight--
        await schedule.until(clock.at + gap, { spec: 'x', what: 'a while' })
      }
    })
  await soon(Promise.all([work(HOUR), work(HOUR / 7), work(HOUR / 13), work(HOUR * 2)]))
  assert.ok(clock.at >= 20 * HOUR)
})

waits('a leap in which the clock does not get far enough is followed by another', async () => {
  const { clock, schedule } = virtual()
  const leap = clock.leap
  clock.leap = ms => leap(Math.ceil(ms / 2))
  await soon(until(schedule, 100))
  assert.ok(clock.at >= 100)
  assert.ok(clock.leaps.length > 3)
})

waits('an interruption ends the waits, and those that come after', async () => {
  const controller = new AbortController()
  const { signal } = controller
  for (const schedule of [new Schedule(realClock(), signal), virtual(signal).schedule]) {
    // Kept awake, so that the virtual clock does not leap meanwhile.
    const awake = schedule.task(() => sleep(50))
    const ends = [HOUR, 2 * HOUR].map(ms => errorOf(until(schedule, ms)))
    setTimeout(() => controller.abort(), 10)
    for (const end of await Promise.all(ends)) assert.instance(end, Interrupted)
    assert.instance(await errorOf(until(schedule, HOUR)), Interrupted)
    // A moment in the past needs no wait even then.
    await until(schedule, -1)
    await awake
  }
})

waits('an interruption in the middle of a leap is no harm', async () => {
  const controller = new AbortController()
  const { clock, schedule } = virtual(controller.signal)
  clock.during = () => controller.abort()
  assert.instance(await errorOf(until(schedule, HOUR)), Interrupted)
})

waits('a clock that cannot be advanced fails the waits, and those that come after', async () => {
  const { clock, schedule } = virtual()
  clock.during = () => Promise.reject(new Error('no control'))
  const ends = await Promise.all([HOUR, 2 * HOUR].map(ms => errorOf(until(schedule, ms))))
  for (const end of [...ends, await errorOf(until(schedule, HOUR))]) assert.is(end?.message, 'no control')
})

waits('a task that fails lets time go on', async () => {
  const { clock, schedule } = virtual()
  const waiting = until(schedule, HOUR)
  const failing = schedule.task(() => sleep(5).then(() => Promise.reject(new Error('broken'))))
  assert.is((await errorOf(failing))?.message, 'broken')
  await soon(waiting)
  assert.is(clock.at, HOUR)
})

waits('whoever watches is told of the earliest wait, and of its end', async () => {
  const told: string[] = []
  const { schedule } = virtual(NEVER, ([next, ...others], isIdle) =>
    told.push(isIdle && next ? `${next.what} until ${next.untilMs}, ${others.length + 1}` : 'running'),
  )
  await soon(Promise.all([until(schedule, HOUR, 'one'), until(schedule, 2 * HOUR, 'two')]))
  await afterPendingEvents()
  assert.ok(told.includes(`one until ${HOUR}, 2`), told.join('; '))
  assert.ok(told.includes(`two until ${2 * HOUR}, 1`), told.join('; '))
  assert.is(told.at(-1), 'running')
})

waits('where every task waits for another, those end with an error, and leave their places in line', async () => {
  const schedule = new Schedule(new HandClock(), NEVER, undefined, 20)
  const budget = new TokenBudget(1, schedule)
  const hold = (work: () => Promise<void>) => schedule.task(() => budget.hold(1, work))
  const other = () => schedule.park(resume => void hold(async () => {}).then(resume, resume))
  assert.match(
    (await errorOf(hold(other)))?.message ?? '',
    /^every part of the run waited for another, a fault of this pro/,
  )
  assert.is(await soon(schedule.task(() => budget.hold(1, async () => 'held'))), 'held')
  assert.not(budget.isWanted)
})

waits.run()

const budget = suite('budget of tokens')

/**
 * Runs holders that each want some tokens for a while. Returns the order of their starts, and the most tokens held at a time.
 */
async function hold(capacity: number, wanted: number[], worksMs = 3, atMost?: () => number) {
  const { clock, schedule } = virtual()
  const tokens = new TokenBudget(capacity, schedule)
  const order: number[] = []
  let held = 0
  let most = 0
  const tasks = wanted.map((wish, index) =>
    schedule.task(() =>
      tokens.hold(
        wish,
        async () => {
          order.push(index)
          held += Math.min(wish, capacity)
          most = Math.max(most, held)
          await schedule.until(clock.at + worksMs, { spec: 'x', what: 'work' })
          held -= Math.min(wish, capacity)
        },
        atMost,
      ),
    ),
  )
  await soon(Promise.all(tasks))
  return { order, most }
}

budget('first come, first served, also where a later one would fit', async () => {
  const { order, most } = await hold(4, [3, 4, 1, 1, 2])
  assert.equal(order, [0, 1, 2, 3, 4])
  assert.is(most, 4)
})

budget('no more than a slow Core bears begin together, and one that wants more begins alone', async () => {
  assert.is((await hold(12, Array(9).fill(2), 3, () => 5)).most, 4)
  const { order, most } = await hold(12, [3, 3, 8, 1], 3, () => 6)
  assert.equal(order, [0, 1, 2, 3])
  assert.is(most, 8)
  assert.is((await hold(12, [3, 3, 3], 3, () => 0.5)).most, 3)
})

budget('no deadlock where all want several, or more than there are', async () => {
  assert.is((await hold(2, Array(20).fill(2))).most, 2)
  assert.is((await hold(3, [5, 9, 100, 1, 3])).most, 3)
  assert.is((await hold(1, [2, 2, 1])).most, 1)
  assert.is((await hold(4, [0, 0, 4, 0])).order.length, 4)
})

budget('who waits for tokens does not keep time from leaping', async () => {
  const { clock, schedule } = virtual()
  const tokens = new TokenBudget(1, schedule)
  const use = () =>
    schedule.task(() => tokens.hold(1, () => schedule.until(clock.at + HOUR, { spec: 'x', what: 'an hour' })))
  await soon(Promise.all([use(), use(), use()]))
  assert.equal(clock.leaps, [HOUR, HOUR, HOUR])
})

/** Makes a budget, and holders of it that tell the most tokens that were held at a time. */
function holders(capacity: number) {
  const { schedule } = virtual()
  const tokens = new TokenBudget(capacity, schedule)
  const seen = { held: 0, most: 0 }
  const hold = <T>(wish: number, use: (lease: Lease) => Promise<T>) => schedule.task(() => tokens.hold(wish, use))
  const use = (wish: number) =>
    hold(wish, async () => {
      const given = Math.min(wish, tokens.capacity)
      seen.held += given
      seen.most = Math.max(seen.most, seen.held)
      await sleep(3)
      seen.held -= given
    })
  /** Returns the most that are held at a time by many that want one each. */
  const mostOf = async (holders: number) => {
    seen.most = seen.held = 0
    await soon(Promise.all(Array.from({ length: holders }, () => use(1))))
    return seen.most
  }
  return { tokens, hold, use, mostOf }
}

budget('a holder that fails gives its tokens back', async () => {
  const { hold } = holders(2)
  const broken = hold(2, () => Promise.reject(new Error('broken')))
  const next = hold(2, async () => 'went on')
  assert.is((await errorOf(broken))?.message, 'broken')
  assert.is(await soon(next), 'went on')
})

budget('it can be made smaller while tokens are held and wanted, and stays so', async () => {
  const { tokens, hold, use, mostOf } = holders(6)
  const all = [3, 3, 3, 2, 2, 1].map(use)
  assert.is(tokens.shrink(2), true)
  assert.is(tokens.shrink(4), false)
  assert.is(tokens.capacity, 2)
  await soon(Promise.all(all))
  assert.is(await mostOf(12), 2)
  assert.is(await soon(hold(9, async () => 'all of it')), 'all of it')
})

budget('who needs fewer tokens than before gives the others to those that wait, at once and only once', async () => {
  const { hold } = holders(4)
  const told: string[] = []
  let finish = () => {}
  const holder = hold(4, async lease => {
    const keeps = async (some: number[], ...wanted: string[]) => {
      for (const count of some) lease.keep(count)
      await sleep(5)
      assert.equal(told, wanted)
    }
    await keeps([])
    await keeps([3], 'one')
    // Asking for more, or for the same number, returns no tokens.
    await keeps([4, 3], 'one')
    await keeps([1], 'one', 'two')
    await new Promise<void>(resolve => {
      finish = resolve
    })
  })
  const use = (name: string, wanted: number) =>
    hold(wanted, async () => {
      told.push(name)
      await sleep(60)
    })
  await soon(Promise.all([use('one', 1), use('two', 2)]))
  // The kept token is still held: of four, three are free for others.
  const all = use('all', 4)
  await sleep(5)
  assert.equal(told, ['one', 'two'])
  finish()
  await soon(Promise.all([holder, all]))
  assert.equal(told, ['one', 'two', 'all'])
  assert.is(await soon(hold(4, async () => 'all four are back')), 'all four are back')
})

budget('what a holder was given less of, it gives back no more of', async () => {
  const { tokens, hold, mostOf } = holders(4)
  const first = hold(4, () => sleep(10))
  const second = hold(4, async lease => {
    for (const count of [1, 0, 0]) lease.keep(count)
  })
  tokens.shrink(2)
  await soon(Promise.all([first, second]))
  assert.is(await mostOf(8), 2)
})

budget.run()

const clocks = suite('clocks')

clocks('the real clock starts at nothing and cannot leap', async () => {
  const clock: Clock = realClock()
  const first = clock.now()
  assert.ok(first >= 0 && first < 1000)
  await sleep(5)
  assert.ok(clock.now() > first)
  assert.is(clock.leap, undefined)
})

/** A control endpoint that answers with a status. */
async function withControl(
  status: number,
  use: (clock: Clock, asked: { url: string; body: string; authorization: string }[]) => Promise<void>,
): Promise<void> {
  const asked: { url: string; body: string; authorization: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    asked.push({ url: request.url ?? '', body, authorization: request.headers.authorization ?? '' })
    response.writeHead(status).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    await use(clockOf({ url, key: 'the-key' }), asked)
  } finally {
    server.close()
  }
}

clocks('a controlled clock leaps together with the Core', () =>
  withControl(200, async (clock, asked) => {
    await clock.leap?.(HOUR)
    assert.ok(clock.now() >= HOUR && clock.now() < HOUR + 5000)
    assert.equal(asked, [{ url: '/advance', body: `{"ms":${HOUR}}`, authorization: 'Bearer the-key' }])
  }),
)

clocks('where the Core does not leap, neither does the clock, and it is said why', async () => {
  const said: Record<number, RegExp> = { 401: /the key is wrong \(CORE_CONTROL_KEY\)$/, 500: /it answered 500$/ }
  for (const [status, reason] of Object.entries(said)) {
    await withControl(Number(status), async clock => {
      const { message = '' } = (await errorOf(clock.leap?.(HOUR))) ?? {}
      assert.match(message, /^the mock Core's clock at http:\S+ cannot be advanced: /)
      assert.match(message, reason)
      assert.not.ok(message.includes('the-key'))
      assert.ok(clock.now() < HOUR)
    })
  }
  const nobody = clockOf({ url: 'http://127.0.0.1:9', key: 'k' })
  assert.match((await errorOf(nobody.leap?.(HOUR)))?.message ?? '', /ECONNREFUSED$/)
})

clocks('a clock that goes on starts where the run stood, with the leaps in that on the wall clock too', () => {
  assert.ok(realClock(5000).now() >= 5000 && realClock(5000).now() < 6000)
  const wall = Date.now()
  const clock = clockOf({ url: 'http://127.0.0.1:9', key: 'k' }, HOUR + 5000, HOUR)
  assert.ok(clock.now() >= HOUR + 5000 && clock.now() < HOUR + 6000)
  assert.ok(clock.wall() >= wall + HOUR && clock.wall() < wall + HOUR + 5000)
})

clocks('the clock of a mock Core is read, and what tells none is named', async () => {
  const error = await errorOf(controlClockMs({ url: 'http://127.0.0.1:9', key: 'k' }))
  assert.match(error?.message ?? '', /ECONNREFUSED/)
})

clocks.run()
