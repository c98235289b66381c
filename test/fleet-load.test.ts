/** What a fleet does where its machine is late: fewer Cores begin, and what can wait lets go first what cannot. */
import { setTimeout as sleep } from 'node:timers/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { UNKNOWN_ANSWERS } from '../dist/core/answers.js'
import { Connections } from '../dist/core/connections.js'
import { Courtesy } from '../dist/core/courtesy.js'
import { Pacer } from '../dist/core/pacer.js'
import { Sender } from '../dist/core/sender.js'
import type { Transport } from '../dist/core/transport.js'
import { Pulse } from '../dist/ground/pulse.js'

const test = suite('a machine that is late')
const BLOCKED_MS = 150
/** Far more than anything here takes. */
const LONG_MS = 20_000

/** Keeps this thread from everything else. */
function block(ms: number): void {
  for (const endMs = performance.now() + ms; performance.now() < endMs; );
}

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const endMs = performance.now() + LONG_MS; !holds(); await sleep(10))
    if (performance.now() > endMs) throw new Error(`never: ${what}`)
}

/** Whether a promise is kept before others had a chance to. */
const isSettled = async (promise: Promise<unknown>) =>
  (await Promise.race([promise.then(() => 'settled'), sleep(50, 'open')])) === 'settled'

test('a pulse feels that its thread was blocked, and forgets it after a while', async () => {
  const pulse = new Pulse()
  pulse.start()
  try {
    // It ends a moment before the next beat at the worst.
    await sleep(30)
    block(BLOCKED_MS)
    await until(() => pulse.lateMs > BLOCKED_MS / 2, 'it is late')
    await until(() => pulse.lateMs < BLOCKED_MS / 2, 'it is on time again')
  } finally {
    pulse.stop()
  }
})

test('what can wait goes so many at a time, first come, first served', async () => {
  const courtesy = new Courtesy()
  const inside = await Promise.all(Array.from({ length: courtesy.capacity }, () => courtesy.enter()))
  const order: string[] = []
  const [first, second] = ['first', 'second'].map(name =>
    courtesy.enter().then(leave => {
      order.push(name)
      return leave
    }),
  )
  inside[0]?.()
  inside[0]?.()
  await first
  assert.equal(order, ['first'], 'whoever leaves twice leaves once')
  inside[1]?.()
  await second
  assert.equal(order, ['first', 'second'])
})

test('one that is not answered does not keep others from going', async () => {
  const courtesy = new Courtesy()
  await Promise.all(Array.from({ length: courtesy.capacity }, () => courtesy.enter()))
  const leave = await courtesy.enter()
  leave()
})

test('a late thread has fewer under way, never none; one on time has as many as are wanted', async () => {
  const courtesy = new Courtesy()
  const { capacity } = courtesy
  const beat = (lateMs: number, times = 10) => {
    for (let beats = 0; beats < times; beats++) courtesy.beat(lateMs)
  }
  beat(500)
  assert.is(courtesy.capacity, capacity, 'what made it late was nothing of ours')
  const leave = await courtesy.enter()
  beat(500)
  assert.ok(courtesy.capacity < capacity)
  beat(500, 1000)
  assert.is(courtesy.capacity, 4)
  leave()
  beat(0, 1000)
  assert.is(courtesy.capacity, 4, 'nobody wants more')
  const many = Array.from({ length: 40 }, () => courtesy.enter())
  beat(0, 1000)
  for (const each of await Promise.all(many)) each()
  assert.ok(courtesy.capacity > capacity)
})

test('a request that cannot wait does not', async () => {
  class Full extends Courtesy {
    override enter(): Promise<() => void> {
      return new Promise(() => {})
    }
  }
  const connections = new Connections(2)
  const request = { method: 'GET', path: '/', headers: [], httpVersion: '1.1', omitHost: false } as const
  const response = {
    status: 200,
    statusText: '',
    httpVersion: '1.1',
    headers: [],
    body: '',
    bodyBytes: 0,
    complete: true,
  }
  const transport = { exchange: async () => ({ request, sentAt: 0, receivedAt: 1, response }) }
  const sender = new Sender({
    transport: transport as unknown as Transport,
    connections,
    pacer: new Pacer({ now: () => performance.now(), patienceMs: 1000 }),
    pause: async () => {},
    isEnding: () => false,
    answers: () => UNKNOWN_ANSWERS,
    courtesy: new Full(),
  })
  const send = (isUrgent: boolean) => {
    const on = connections.lease()
    on.isUrgent = isUrgent
    return sender.send({ ...request, headers: [] }, { on, mayRepeat: () => false })
  }
  assert.is((await send(true)).response?.status, 200)
  assert.not(await isSettled(send(false)))
})

test.run()
