/** Connections: limited in number, first come first served, no deadlock, and fewer where the Core takes fewer. */
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Connections } from '../dist/core/connections.js'
import { NotSent } from '../dist/core/not-sent.js'
import { BEGUN, NO_HASTE, Quiet, type Stretch } from '../dist/engine/phases/quiet.js'
import { Schedule } from '../dist/engine/schedule.js'
import { Branches } from '../dist/engine/steps/branches.js'
import type { SpecTalk } from '../dist/engine/steps/spec-talk.js'
import { meetLimit, socket } from './support/few-connections.js'

const test = suite('connections')

/** Makes a schedule whose clock leaps as soon as nothing is in progress. */
function virtual() {
  let at = 0
  const leaps: number[] = []
  const clock = {
    now: () => at,
    wall: () => at,
    leap: async (ms: number) => {
      leaps.push(ms)
      at += ms
    },
  }
  return { schedule: new Schedule(clock, new AbortController().signal), leaps }
}

/** Takes so many connections. */
async function taken(connections: Connections, wants = 1) {
  const lease = connections.lease()
  lease.wants = wants
  await lease.take()
  return lease
}

/** Opens a connection. */
function opened({ crowding }: Connections) {
  const one = socket()
  crowding.opening().opened(one)
  return one
}

test('so many at a time, all at once, first come first served', async () => {
  const connections = new Connections(3)
  let open = 0
  let most = 0
  const order: number[] = []
  const work = async (index: number) => {
    const lease = connections.lease()
    lease.wants = index % 3 === 0 ? 2 : 1
    await lease.take()
    order.push(index)
    open += lease.wants
    most = Math.max(most, open)
    await sleep(index % 4)
    open -= lease.wants
    lease.give()
    // Giving back twice counts once.
    lease.give()
  }
  await Promise.all(Array.from({ length: 30 }, (_, index) => work(index)))
  assert.is(most, 3)
  assert.equal(
    order,
    Array.from({ length: 30 }, (_, index) => index),
  )
})

test('who takes, gives back at its waits and takes again never deadlocks, and time leaps past nobody who waits for its turn', async () => {
  const { schedule, leaps } = virtual()
  const connections = new Connections(2, take => schedule.park(take))
  let held = 0
  const work = (index: number) =>
    schedule.task(async () => {
      const lease = connections.lease()
      for (let stretch = 0; stretch < 4; stretch++) {
        lease.wants = (index + stretch) % 2 === 0 ? 2 : 1
        await lease.take()
        held++
        const leapt = leaps.length
        await sleep(1)
        assert.is(leaps.length, leapt, 'nothing is in flight when time leaps')
        held--
        lease.give()
        await schedule.until(schedule.now() + 1000 + index, { spec: `${index}`, what: 'a while' })
      }
    })
  await Promise.all(Array.from({ length: 12 }, (_, index) => work(index)))
  assert.is(held, 0)
  assert.ok(leaps.length > 0)
})

test('what is of no use later comes before all that can wait, in its own order', async () => {
  const connections = new Connections(1)
  const first = await taken(connections)
  const order: string[] = []
  const look = async (name: string, isUrgent: boolean) => {
    const lease = connections.lease()
    lease.isUrgent = isUrgent
    await lease.take()
    order.push(name)
    lease.give()
  }
  const all = [look('a', false), look('b', true), look('c', false), look('d', true)]
  first.give()
  await Promise.all(all)
  assert.equal(order, ['b', 'd', 'a', 'c'])
})

test('who holds connections for long yields them to what is of no use later, and to nothing else', async () => {
  const connections = new Connections(1)
  const long = await taken(connections)
  const [calm, urgent] = [connections.lease(), connections.lease()]
  urgent.isUrgent = true
  const waiting = [calm.take()]
  long.yield()
  assert.ok(long.isHeld)
  waiting.push(urgent.take())
  long.yield()
  assert.equal([long.isHeld, urgent.isHeld], [false, false])
  await waiting[1]
  assert.ok(urgent.isHeld)
  urgent.give()
  await Promise.all(waiting)
})

test('between waits, what is of no use later comes first, and what stirs still comes alone', async () => {
  const { schedule } = virtual()
  const quiet = new Quiet(schedule)
  const order: string[] = []
  let inside = 0
  const stretch = (name: string, kind: 'calm' | 'stirs', isUrgent: boolean) =>
    schedule.task(async () => {
      await quiet.enter(kind, isUrgent ? 1 : NO_HASTE)
      assert.ok(inside === 0 || kind === 'calm')
      inside++
      order.push(name)
      await sleep(5)
      inside--
      quiet.leave()
    })
  await Promise.all([
    stretch('first', 'stirs', false),
    stretch('logs on', 'stirs', false),
    stretch('looks', 'calm', false),
    stretch('revokes in time', 'stirs', true),
    stretch('looks in time', 'calm', true),
  ])
  assert.equal(order, ['first', 'revokes in time', 'looks in time', 'logs on', 'looks'])
})

/** Returns how units begin that send some requests in a stretch and make way before each but the first, and who sent in which order. */
function unitsOf(): {
  unit: (name: string, kind: Stretch, untilMs: number, sent?: number) => Promise<void>
  order: string[]
} {
  const { schedule } = virtual()
  const quiet = new Quiet(schedule)
  const order: string[] = []
  const unit = (name: string, kind: Stretch, untilMs: number, sent = 1) =>
    schedule.task(async () => {
      const gate = quiet.gate()
      await gate.enter(kind, untilMs)
      for (let request = 0; request < sent; request++) {
        if (request > 0) await gate.makeWay(Math.min(untilMs, BEGUN))
        order.push(name)
        await sleep(5)
      }
      gate.end()
    })
  return { unit, order }
}

test('a long look makes way for what is of no use later, and for nothing else', async () => {
  const { unit, order } = unitsOf()
  await Promise.all([
    unit('long', 'calm', NO_HASTE, 3),
    unit('logs on', 'stirs', NO_HASTE),
    unit('revokes in time', 'stirs', 1),
    unit('looks in time', 'calm', 1),
  ])
  assert.equal(order, ['long', 'revokes in time', 'looks in time', 'long', 'long', 'logs on'])
})

test('what is of no use sooner goes first, also before the rest of a long stretch that stirs', async () => {
  const { unit, order } = unitsOf()
  await Promise.all([
    unit('refusals', 'stirs', 7000, 3),
    unit('revokes later', 'stirs', 8000),
    unit('looks later', 'calm', 9000),
    unit('looks', 'calm', 5000),
    unit('revokes', 'stirs', 6000),
  ])
  assert.equal(order, ['refusals', 'looks', 'revokes', 'refusals', 'refusals', 'revokes later', 'looks later'])
})

test('no more calm stretches are under way than there are connections', async () => {
  const { schedule } = virtual()
  const quiet = new Quiet(schedule, () => 2)
  let [inside, most] = [0, 0]
  const looks = () =>
    schedule.task(async () => {
      await quiet.enter('calm')
      most = Math.max(most, ++inside)
      await sleep(5)
      inside--
      quiet.leave()
    })
  await Promise.all([looks(), looks(), looks(), looks(), looks()])
  assert.is(most, 2)
})

test('who waits for its turn with connections lends them to those that it waits for, and keeps them where nobody needs them', async () => {
  const connections = new Connections(2)
  const lane = await taken(connections, 2)
  const closed: number[] = []
  const close = lane.kept.close.bind(lane.kept)
  lane.kept.close = () => {
    closed.push(1)
    close()
  }
  await lane.lend(sleep(5))
  assert.equal(closed, [], 'nobody needed them')

  const look = async () => {
    const lease = await taken(connections)
    await sleep(1)
    lease.give()
  }
  // Lends to a look that starts with the loan, and to one that started before.
  await lane.lend(look())
  await lane.take()
  const early = look()
  await lane.lend(early)
  await lane.take()
  assert.is(closed.length, 2)
  let isServed = false
  const late = look().then(() => {
    isServed = true
  })
  await sleep(5)
  assert.not(isServed, 'what is not lent is kept')
  lane.give()
  await late
})

test('a branch that gave its connection back during a long pause gets that of the step that waits for it', async () => {
  const { schedule } = virtual()
  const connections = new Connections(1, take => schedule.park(take))
  const [lease, ofBranch] = [connections.lease(), connections.lease()]
  const talk = { lease: ofBranch, exchanges: [] }
  const context = { lanes: 2, schedule, session: { connections } }
  const branches = new Branches({ context, lease, exchanges: [], branch: () => talk } as unknown as SpecTalk)
  const sent = branches.run(async () => {
    await schedule.until(1, { spec: '', what: 'an answer' })
    ofBranch.give()
    await lease.take()
    await schedule.until(1000, { spec: '', what: 'a pause' })
    await ofBranch.take()
    return 'sent'
  })
  assert.is(await schedule.task(async () => sent && branches.wait(sent)), 'sent')
})

test('what a branch keeps for its next request is for whoever needs it while its step waits for its turn', async () => {
  const connections = new Connections(2)
  const trunk = await taken(connections)
  const schedule = new Schedule({ now: () => 0, wall: () => 0 }, new AbortController().signal)
  const branch = () => ({ lease: connections.lease(), exchanges: [] })
  const context = { lanes: 3, schedule, session: { connections } }
  const branches = new Branches({ context, lease: trunk, exchanges: [], branch } as unknown as SpecTalk)
  const send = async () => branches.wait(branches.run(async ({ lease }) => lease) ?? Promise.reject())
  const first = await send()
  assert.is(await send(), first, 'kept')
  const turn = trunk.lend(taken(connections, 2).then(urgent => urgent.give()))
  const late = sleep(1000, 'stood still', { ref: false })
  assert.is(await Promise.race([turn, late]), undefined)
  assert.not(first.isHeld)
  const second = await send()
  assert.is.not(second, first)
  branches.end()
  trunk.give()
  assert.ok(connections.isFree)
})

test('more than can be had is refused, also to who waits when the Core turns out to take fewer', async () => {
  const error = await taken(new Connections(1), 2).catch(thrown => thrown)
  assert.instance(error, NotSent)
  assert.is(
    error.message,
    "needs 2 connections, but only 1 is available (see run --concurrency, or the Core's own limit)",
  )
})

test('a Core that is seen to take fewer is given fewer, and one line says so', async () => {
  const connections = new Connections(4)
  meetLimit(connections, 2, 1)
  assert.equal([connections.capacity, connections.notice], [4, undefined], 'once may be chance')
  meetLimit(connections, 2, 1)
  assert.is(connections.capacity, 2)
  assert.is(
    connections.notice,
    'this Core was seen to take no more than 2 connections at a time, so it was given that many and not 4',
  )
})

test('a Core that closes any connection beyond its limit at once, with others made between, is given fewer', async () => {
  for (const limit of [2, 3]) {
    const connections = new Connections(4)
    for (let round = 0; round < 4; round++) {
      const open = Array.from({ length: limit }, () => opened(connections))
      connections.crowding.opening().failed()
      for (const one of open) one.emit('close')
      await sleep(300)
    }
    assert.is(connections.capacity, limit)
  }
})

test('a Core that is gone, or drops connections by chance, is given as many as before', async () => {
  const connections = new Connections(4)
  for (let round = 0; round < 10; round++) {
    const one = opened(connections)
    for (let fail = 0; fail < 2; fail++) connections.crowding.opening().failed()
    one.emit('close')
    for (let fail = 0; fail < 5; fail++) connections.crowding.opening().failed()
    opened(connections).emit('close')
  }
  assert.equal([connections.capacity, connections.notice], [4, undefined])
})

test('a Core that had more connections open, with an answer on each, has another limit: how often one may connect', async () => {
  const connections = new Connections(4)
  const open = [opened(connections), opened(connections), opened(connections)]
  // A single answer may be late: the other connection may have ended meanwhile.
  for (let times = 0; times < 3; times++) for (const each of open) connections.crowding.answered(each)
  for (const each of open) each.emit('close')
  for (let times = 0; times < 4; times++) meetLimit(connections, 2, 1)
  assert.equal([connections.capacity, connections.notice], [4, undefined])
})

test('a connection that hangs until another is closed is a sign too, and one that is only slow is none', async () => {
  const capacityOf = async (isLimit: boolean) => {
    const connections = new Connections(4)
    for (let round = 0; round < 3; round++) {
      const [first, second] = [opened(connections), socket()]
      const hanging = connections.crowding.opening()
      await sleep(700)
      assert.is(connections.capacity, 4)
      // Where no connection was closed, it was only slow.
      if (isLimit) first.emit('close')
      hanging.opened(second)
      if (!isLimit) first.emit('close')
      second.emit('close')
    }
    return connections.capacity
  }
  assert.equal(await Promise.all([true, false].map(capacityOf)), [1, 4])
})

test('a connection without an answer until others are closed for it is a sign too, and one that waits for something else is none', async () => {
  for (const isLimit of [true, false]) {
    const connections = new Connections(4)
    const open = () => {
      const one = opened(connections)
      connections.crowding.asked(one)
      return one
    }
    for (let round = 0; round < 2; round++) {
      const lease = await taken(connections)
      const first = Object.assign(open(), { destroyed: false, destroy: () => first.emit('close') })
      connections.crowding.answered(first)
      lease.kept.leave(first)
      const other = open()
      connections.crowding.answered(other)
      const waiting = open()
      const hungMs = performance.now()
      // What runs a test ends where nothing but this is waited for.
      const ends = new Promise(resolve => first.once('close', resolve))
      await Promise.race([ends, sleep(5000)])
      assert.ok(performance.now() - hungMs > 400 && performance.now() - hungMs < 4000)
      if (!isLimit) await sleep(400)
      connections.crowding.answered(waiting)
      for (const each of [other, waiting]) each.emit('close')
      lease.give()
    }
    assert.is(connections.capacity, isLimit ? 2 : 4)
  }
})

test('a Core that serves more at a time than was believed is given as many again', () => {
  const connections = new Connections(4)
  const note = (sentMs: number, receivedMs: number, isServed: boolean, isElse: boolean) =>
    connections.served({ sentMs, receivedMs, isServed }, () => isElse)
  for (let round = 0; round < 20; round++)
    for (const place of [0, 1]) note(round * 100 + place, round * 100 + 20 - place * 10, place === 0, false)
  assert.is(connections.capacity, 1)
  for (let index = 0; index < 12; index++) note(5000 + index * 20, 5003 + index * 20, index % 3 > 0, true)
  assert.equal([connections.capacity, connections.notice], [4, undefined])
})

test('a connection that rests is left open, unless others want more than there are beside it', async () => {
  const connections = new Connections(3)
  const resting = await taken(connections)
  const closed: string[] = []
  const open = Object.assign(socket(), { readableLength: 0, setKeepAlive() {}, destroy: () => closed.push('resting') })
  resting.kept.leave(open as unknown as Socket)
  resting.rest(1000)
  const [one, two] = [await taken(connections), await taken(connections)]
  const waiting = taken(connections)
  await sleep(5)
  assert.ok(resting.isHeld, 'who waits for one of the others waits')
  one.give()
  const third = await waiting
  assert.equal([resting.isHeld, closed], [true, []])
  two.give()
  third.give()
  const all = await taken(connections, 3)
  assert.equal([resting.isHeld, closed], [false, ['resting']])
  all.give()
  await resting.take()
  assert.ok(resting.isHeld)
})

test('where connections that rest are needed, the one that rests for longest is closed last', async () => {
  const connections = new Connections(3)
  const [shorter, longest, short] = [await taken(connections), await taken(connections), await taken(connections)]
  for (const lease of [shorter, longest, short]) lease.rest(lease === longest ? 1050 : 400)
  await taken(connections, 2)
  assert.equal([shorter.isHeld, longest.isHeld, short.isHeld], [false, true, false])
})

test('a connection that rests is left open while its holder waits for its turn, too', async () => {
  const connections = new Connections(2)
  const [resting, lent] = [await taken(connections), await taken(connections)]
  resting.rest(1000)
  let turn = () => {}
  const comes = new Promise<void>(resolve => {
    turn = resolve
  })
  const waits = [resting, lent].map(lease => lease.lend(comes))
  await taken(connections)
  assert.equal([resting.isHeld, lent.isHeld], [true, false])
  turn()
  await Promise.all(waits)
})

test('a connection that rests is closed where the Core turns out to take only one', async () => {
  const connections = new Connections(2)
  const [resting, other] = [await taken(connections), await taken(connections)]
  resting.rest(1000)
  const waiting = taken(connections)
  meetLimit(connections, 1, 3)
  assert.equal([connections.capacity, resting.isHeld], [1, false])
  other.give()
  await waiting
})

test.run()
