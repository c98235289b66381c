/** The pace of a run: no request goes out before the time that a Core asks for, and later requests are less frequent. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { describe, Limit } from '../dist/core/limit.js'
import { Pacer } from '../dist/core/pacer.js'
import { OutOfPatience, Patience } from '../dist/core/patience.js'
import { RateHistory } from '../dist/core/rate-history.js'
import type { RunContext } from '../dist/engine/context.js'
import { answerTime, Estimate } from '../dist/engine/estimate.js'
import { LOGON_SPANS_MS } from '../dist/ground/logon-spans.js'
import { estimateLine } from '../dist/report/plan.js'
import { assertTold, crowd, pacing } from './support/paced.js'
import { SUITE, specsOf } from './support/suite-run.js'

const test = suite('pacer')

test('a Core that limits logons puts off logons, and nothing else', async () => {
  const { pacer, admit } = pacing()
  pacer.refused('logon', 0, 2000)
  assert.is(await admit('any'), 0)
  assert.is(await admit('logon'), 2000)
  const other = pacing()
  other.pacer.refused('any', 0, 3000)
  assert.is(await other.admit('logon'), 3000)
})

test('with a limit of 5 logons a second, the pace settles under it', async () => {
  const { pacer, admit, now } = pacing()
  const taken: number[] = []
  let refused = 0
  for (let logon = 0; logon < 60; logon++) {
    for (;;) {
      await admit('logon')
      if (taken.filter(ms => ms > now() - 1000).length < 5) break
      refused++
      pacer.refused('logon', now(), 1000)
    }
    taken.push(now())
    pacer.taken('logon')
  }
  assert.ok(refused <= 4, `${refused} refused`)
  assert.ok(now() < 60 * 400, `${now()} ms`)
  const [, told] =
    /^the Core takes about ([\d.]+) logons a second \(\d+ turned away\); the run slowed/.exec(pacer.notice ?? '') ?? []
  assert.ok(Number(told) >= 4 && Number(told) <= 6, pacer.notice)
})

test('a pace that a busy network made slow is raised again, and hardly faster than the limit', async () => {
  const { pacer, admit, now } = pacing({ patienceMs: 600_000 })
  const taken: number[] = []
  const refusedAt: number[] = []
  for (let logon = 0; logon < 400; logon++) {
    for (;;) {
      await admit('logon')
      // The network delays some of the first hundred, so the Core counts more than there are.
      const isBunched = logon < 100 && logon % 7 === 0
      const [most, spanMs] = isBunched ? [3, 2000] : [5, 1000]
      if (taken.filter(ms => ms > now() - spanMs).length < most) break
      refusedAt.push(logon)
      pacer.refused('logon', now(), spanMs)
    }
    taken.push(now())
    pacer.taken('logon')
  }
  assert.ok(refusedAt.length >= 4, `${refusedAt}`)
  const lateMs = now() - (taken[300] ?? 0)
  assert.ok(lateMs < 100 * 450, `the last hundred took ${lateMs} ms`)
  // It tries now and then whether it may go faster.
  const late = refusedAt.filter(logon => logon > 100)
  assert.ok(late.length <= 4, `${late}`)
})

/** A bucket that each request fills and that empties at this rate, with room for a burst beside. */
function bucket(rate: number, burst: number) {
  let level = 0
  let lastMs = 0
  return (ms: number) => {
    level = Math.max(0, level - ((ms - lastMs) * rate) / 1000)
    lastMs = ms
    if (level > burst) return false
    level++
    return true
  }
}

/** So many requests in a span. @param countsAll whether it counts those that it turns away, too */
function perSpan(most: number, spanMs: number, countsAll = false) {
  let counted: number[] = []
  return (ms: number) => {
    counted = counted.filter(each => ms - each < spanMs)
    const isServed = counted.length < most
    if (isServed || countsAll) counted.push(ms)
    return isServed
  }
}

/** As many at the beginning of each span. */
function perFixedSpan(most: number, spanMs: number) {
  const counted = new Map<number, number>()
  return (ms: number) => {
    const span = Math.floor(ms / spanMs)
    counted.set(span, (counted.get(span) ?? 0) + 1)
    return (counted.get(span) ?? 0) <= most
  }
}

for (const [name, rate, serves] of [
  ['20 a second, with a burst of 10', 20, bucket(20, 10)],
  ['20 a second, without a burst', 20, bucket(20, 0)],
  ['20 in the last second', 20, perSpan(20, 1000)],
  ['20 in the last second, those turned away included', 20, perSpan(20, 1000, true)],
  ['10 in each second', 10, perFixedSpan(10, 1000)],
  ['100 in the last 10 seconds', 10, perSpan(100, 10_000)],
  ['2 a second, with a burst of 5', 2, bucket(2, 5)],
] as const) {
  test(`a limit is found, kept and told: ${name}`, async () => {
    const { pacer, admit, now, pass } = pacing()
    const wanted = 40 * rate
    let away = 0
    for (let served = 0; served < wanted; ) {
      await admit('any')
      pass(3)
      const sentMs = now()
      if (serves(sentMs)) {
        pacer.taken('any', sentMs)
        served++
      } else {
        away++
        pacer.refused('any', sentMs, undefined)
      }
    }
    assert.ok(now() < 55_000, `40 s of requests took ${now()} ms`)
    assert.ok(away <= 40, `${away} turned away`)
    assertTold(pacer, rate)
  })
}

/** What HAProxy counts: this second, and the part of the last that is not over for a second. */
function slidingCount(most: number) {
  let [second, counted, before] = [0, 0, 0]
  return (ms: number) => {
    const now = Math.floor(ms / 1000)
    if (now > second) [second, before, counted] = [now, now === second + 1 ? counted : 0, 0]
    counted++
    return counted + Math.floor(before * (1 - (ms % 1000) / 1000)) <= most
  }
}

for (const seed of [3001, 4001, 5001])
  test(`the pace of connections is found where those that are refused count, too: chance ${seed}`, async () => {
    const serves = slidingCount(10)
    const { pacer, tookMs, away } = await crowd({
      tries: 960,
      seed,
      async attempt({ pacer, now, pass, chance }) {
        const opens = chance() < 0.25
        const pause = async (ms: number) => pass(ms).then(() => false)
        await pacer.admit('any', pause, { opens: () => opens })
        const openedMs = now()
        if (opens) await pass(1 + chance() * 2)
        if (opens && !serves(now())) {
          pacer.unconnected(openedMs)
          await pass(200)
          return false
        }
        const sentMs = pacer.sent('any')
        await pass(4 + chance() * 4)
        pacer.landed(sentMs)
        pacer.taken('any', sentMs, { opens, openedMs })
        return true
      },
    })
    assert.ok(tookMs < 34_000, `24 s of connections took ${tookMs} ms`)
    assert.ok(away <= 45, `${away} turned away`)
    assertTold(pacer, 10, 'new connections')
  })

test('a Core that is gone for good is told as no limit', async () => {
  const { pacer, admit, pass, now } = pacing({ patienceMs: 3_600_000 })
  for (let sent = 0; sent < 40; sent++) {
    await admit('any', true)
    pacer.taken('any', now(), { opens: true })
    pass(10)
  }
  for (let tries = 0; tries < 60; tries++) {
    pacer.unconnected(now())
    pass(100)
  }
  assert.is(pacer.notice, undefined)
})

test('a pace that is a little too fast, and is turned away every other time, is given up', async () => {
  const serves = bucket(1, 0)
  const { tookMs, away } = await crowd({
    tries: 100,
    seed: 1002,
    async attempt({ pacer, now, pass, chance }) {
      await pacer.admit('logon', ms => pass(ms).then(() => false))
      const sentMs = pacer.sent('logon')
      await pass(chance() * 4)
      const isServed = serves(now())
      await pass(3)
      pacer.landed(sentMs)
      if (isServed) pacer.taken('logon', sentMs)
      else pacer.refused('logon', sentMs, undefined)
      return isServed
    },
  })
  assert.ok(tookMs < 135_000, `100 s of logons took ${tookMs} ms`)
  assert.ok(away <= 40, `${away} turned away`)
})

for (const [what, seed, openingMs, wayMs] of [
  [
    'connections that take a while and the way take nothing of the pace',
    7,
    chance => (chance() < 0.3 ? 10 + chance() * 20 : 0),
    chance => 1 + chance() * 4,
  ],
  [
    'what arrived late, on its way, contradicts no limit: a refusal that this explains slows nothing down',
    11,
    () => 0,
    chance => (chance() < 0.2 ? chance() * 80 : 1),
  ],
] satisfies [string, number, ...((chance: () => number) => number)[]][])
  test(`without a burst, ${what}`, async () => {
    const { pacer, admit, now, pass, chance } = pacing({ seed })
    const serves = bucket(20, 0)
    let away = 0
    for (let served = 0; served < 600; ) {
      await admit()
      pass(openingMs(chance))
      pass(Math.max(pacer.dueMs('any'), 0))
      const sentMs = pacer.sent('any')
      pass(wayMs(chance))
      if (serves(now())) {
        pacer.taken('any', sentMs)
        served++
      } else {
        away++
        pacer.refused('any', sentMs, undefined)
      }
    }
    assert.ok(now() < 30_000 * 1.5, `30 s of requests took ${now()} ms`)
    assert.ok(away <= 90, `${away} turned away`)
    assertTold(pacer, 20)
  })

test('an answer that may be chance, and came so late that a limit had room again, counts for a limit', () => {
  for (const [tookMs, isLimit] of [
    [2000, true],
    [50, false],
  ] as const) {
    const { pacer, now, pass } = pacing()
    for (let times = 0; times < 5; times++) {
      const fromMs = now()
      for (let sent = 0; sent < 23; sent++) {
        pass(20)
        if (sent < 20) pacer.taken('any', now())
      }
      pass(tookMs - 20)
      for (const sent of [20, 21, 22]) pacer.lost('any', fromMs + 20 * (sent + 1))
      pass(1000)
    }
    assert.is(pacer.spacingMs('any') > 0, isLimit, `${pacer.spacingMs('any')} ms`)
    if (isLimit) assert.match(pacer.notice ?? '', /takes (about|between) .* requests a second .15 turned away/)
  }
})

test('a rate is told from a number of requests at a time: what comes right behind another may be turned away by both', async () => {
  for (const [isRate, gapMs, behindMs] of [
    [true, 50, 40],
    [false, 3, 1],
  ] as const) {
    const { pacer, now, pass } = pacing()
    for (let times = 0; times < 60; times++) {
      pass(gapMs)
      pacer.taken('any', now())
      if (times % 10 > 0) continue
      pass(behindMs)
      pacer.refused('any', now(), 0)
      pass(gapMs)
    }
    assert.is(pacer.mayBeRate, isRate, pacer.notice)
    assert.match(pacer.notice ?? '', isRate ? /takes about 2\d requests a second/ : /turned requests away now and then/)
  }
})

test('what is turned away right behind another on the same connection says nothing of the pace', async () => {
  const { pacer, admit, now, pass } = pacing()
  const serves = bucket(20, 0)
  const one = async () => {
    await admit('any')
    pass(Math.max(pacer.dueMs('any'), 0))
    if (serves(now())) pacer.taken('any', pacer.sent('any'))
    else pacer.refused('any', pacer.sent('any'), undefined)
  }
  for (let times = 0; times < 400; times++) await one()
  const before = pacer.spacingMs('any')
  for (let times = 0; times < 20; times++) {
    await admit('any')
    pass(Math.max(pacer.dueMs('any'), 0))
    pacer.sentBefore()
    serves(now())
    pacer.refused('any', now(), undefined)
  }
  assert.is(pacer.spacingMs('any'), before)
})

/** Logs on with two tokens at a time where a place is free only some time after its token was given back. */
function places(heldMs: number) {
  const { pacer, admit, now, pass } = pacing({ patienceMs: 600_000 })
  let ends: number[] = []
  let away = 0
  const logOn = async () => {
    for (;;) {
      pass(pacer.fullForMs ?? 0)
      await admit('logon')
      const sentMs = now()
      ends = ends.filter(ms => ms > sentMs)
      const isServed = ends.length < 2
      pass(5)
      pacer.loggedOn(sentMs, isServed)
      if (isServed) {
        ends.push(Number.POSITIVE_INFINITY)
        pacer.taken('logon', sentMs)
        return sentMs
      }
      away++
      if (pacer.fullForMs === undefined) pacer.refused('logon', sentMs, undefined)
    }
  }
  const giveBack = (issuedMs: number) => {
    pass(5)
    ends[ends.indexOf(Number.POSITIVE_INFINITY)] = now() + heldMs
    pacer.givenBack(issuedMs)
  }
  return { pacer, logOn, giveBack, now, pass, away: () => away }
}

test('tokens that take their room for a while after they were given back are told from a limit on logons', async () => {
  const { pacer, logOn, giveBack, now, pass, away } = places(1000)
  for (let pairs = 0; pairs < 40; pairs++) {
    const tokens = [await logOn(), await logOn()]
    // Some are used for longer than others.
    pass(20 + (pairs % 5) * 300)
    for (const token of tokens) giveBack(token)
  }
  assert.match(pacer.notice ?? '', /^the Core has room for 2 tokens, and none for another until about 1 s after one/)
  assert.ok(away() < 12, `${away()} turned away`)
  assert.ok(now() < 40 * 1800, `${now()} ms`)
})

test('logons that a ban turns away show no lack of room', () => {
  const { pacer, now, pass } = pacing({ patienceMs: 600_000 })
  for (let bans = 0; bans < 12; bans++) {
    for (let refusals = 0; refusals < 10; refusals++) {
      pass(5)
      pacer.taken('any', now(), { refused: { isRefusal: true } })
      for (let answers = 0; answers < (bans * 3) % 5; answers++) pacer.taken('any', now())
      pacer.loggedOn(now(), true)
      pacer.givenBack(now())
    }
    for (let dropped = 0; dropped < 4; dropped++) {
      pass(300)
      pacer.dropped('any', now())
      pacer.loggedOn(now(), false)
    }
    pass(1000)
    pacer.taken('any', now())
  }
  assert.match(pacer.notice ?? '', /^the Core serves nothing for about/)
  assert.not.match(pacer.notice ?? '', /has room/)
})

test('a pace that was seen in how long answers wait is no guess', () => {
  const { pacer, now } = pacing()
  for (const ms of [0, 1000]) pacer.waited('logon', ms, ms + 700)
  for (const index of [0, 1, 2, 3]) pacer.waited('logon', 5000, 5000 + 700 * (index + 1))
  for (let times = 0; times < 3; times++) pacer.taken('logon', now())
  assert.ok(pacer.spacingMs('logon') > 600, `${pacer.spacingMs('logon')} ms`)
})

test('a burst that a Core takes is spent after a while without requests, and a bit of it kept back', async () => {
  const { pacer, admit, now, pass } = pacing()
  const serves = bucket(20, 10)
  let away = 0
  for (let served = 0; served < 400; ) {
    await admit('any')
    pass(3)
    if (!serves(now())) {
      away++
      pacer.refused('any', now(), undefined)
      continue
    }
    pacer.taken('any', now())
    // The next eight depend on something that takes a while.
    if (++served % 8 === 0) pass(200)
  }
  assert.ok(now() < 21_500, `20 s of requests took ${now()} ms`)
  assert.ok(away <= 20, `${away} turned away`)
})

test('whoever waits keeps its place, and goes as soon as the pace allows', async () => {
  let nowMs = 0
  const sleepers: { atMs: number; wake: () => void }[] = []
  const pacer = new Pacer({ now: () => nowMs, patienceMs: 60_000, over: () => {} })
  const went: { name: number; atMs: number }[] = []
  pacer.refused('logon', 0, 1000)
  const all = Array.from({ length: 12 }, async (_, name) => {
    await pacer.admit('logon', async ms => {
      await new Promise<void>(wake => sleepers.push({ atMs: nowMs + ms, wake }))
      return false
    })
    went.push({ name, atMs: nowMs })
    pacer.taken('logon', nowMs)
  })
  // A further, late refusal delays the first logon; the others keep their places in the queue.
  nowMs = 100
  pacer.refused('logon', 0, 1000)
  for (let turn = 0; sleepers.length > 0 && turn < 1000; turn++) {
    sleepers.sort((a, b) => a.atMs - b.atMs)
    const next = sleepers.shift()
    nowMs = Math.max(nowMs, next?.atMs ?? nowMs)
    next?.wake()
    await new Promise(setImmediate)
  }
  await Promise.all(all)
  assert.equal(
    went.map(({ name }) => name),
    Array.from({ length: 12 }, (_, name) => name),
  )
  assert.is(went[0]?.atMs, 1100)
  assert.ok((went.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) < 5000, JSON.stringify(went))
})

test('refusals of what was under way together slow down once', async () => {
  const { pacer, admit } = pacing()
  for (let logon = 0; logon < 4; logon++) pacer.refused('logon', 0, 1000)
  assert.is(await admit('logon'), 1000)
  assert.match(pacer.notice ?? '', /turned logons away now and then \(4\).*spent 1 s/)
})

test('all that a limit left without an answer is told, also what came before the limit was known', async () => {
  const { pacer, admit, now } = pacing()
  const serves = perSpan(12, 1000)
  let dropped = 0
  for (let sent = 0; sent < 200; sent++) {
    await admit('any')
    if (serves(now())) pacer.taken('any', now())
    else {
      dropped++
      pacer.dropped('any', now())
    }
  }
  assert.ok(dropped >= 3, `${dropped}`)
  assert.match(pacer.notice ?? '', new RegExp(`\\(${dropped} turned away\\)`))
})

test('what is lost again and again at a pace below a limit of which nobody spoke is lost on the way', async () => {
  const lossy = (refusals: number, served: number) => {
    const limit = new Limit()
    Object.assign(limit, { drops: 3, refusals, spacingMs: 50 })
    let [nowMs, losses] = [0, 0]
    for (; losses < 30; losses++) {
      for (let sent = 0; sent < served; sent++) {
        nowMs += limit.spacingMs
        limit.taken(nowMs)
      }
      nowMs += limit.spacingMs
      limit.lost(nowMs)
      if (limit.isRefuted) break
      limit.slowDown(nowMs)
    }
    return losses
  }
  assert.ok(lossy(0, 5) < 30)
  const { pacer, admit, now, pass } = pacing({ patienceMs: 600_000 })
  const states: boolean[] = []
  for (let sent = 0; sent < 400; sent++) {
    await admit('any')
    pass(sent < 8 ? 5 : 0)
    // Three right behind each other, which a limit explains, and then now and then at every pace.
    if ((sent > 4 && sent < 8) || (sent > 8 && sent % 9 === 0)) pacer.dropped('any', now())
    else pacer.taken('any', now())
    if (pacer.isDropping !== states.at(-1)) states.push(pacer.isDropping)
  }
  assert.equal(states.slice(0, 3), [false, true, false], 'a limit is believed, and given up')
  assert.is(lossy(1, 5), 30, 'the Core said that there is a limit')
  assert.is(lossy(0, 0), 30, 'nothing was served at this pace')
})

test('a Core that does not say for how long is given longer and longer', async () => {
  const { pacer, admit } = pacing()
  const at: number[] = []
  for (let times = 0; times < 4; times++) {
    pacer.refused('any', at.at(-1) ?? 0, undefined)
    at.push(await admit('any'))
  }
  assert.equal(at, [250, 750, 1750, 3750])
})

test('a refusal that looked like any other answer does not count as let through', () => {
  const { pacer } = pacing()
  const sent = [0, 100, 200, 300]
  for (const ms of sent) pacer.taken('logon', ms)
  assert.ok(pacer.tookMany('logon', 300))
  pacer.refusedAfterAll('logon', 300)
  const spacing = pacer.spacingMs('logon')
  assert.ok(spacing * 3 > 1000, `a limit of 3 a second refuses four at ${spacing} ms`)
})

test('a limit of which next to nothing is known is told without a figure of a hundred times', () => {
  const limit = new Limit()
  limit.taken(0)
  limit.history.note(1, false)
  limit.refusals++
  limit.slowDown(1)
  for (const ms of [700, 1400]) limit.taken(ms)
  const fit = limit.history.fit(0, true)
  assert.ok(fit && fit.fastest > fit.slowest * 10, JSON.stringify(fit))
  assert.match(describe(limit, 'request'), /^takes at least \S+ requests a second/)
})

test('what it takes to connect counts for how slow a Core is, where each request does', () => {
  const exchanges = [{ request: { method: 'GET' }, response: {}, sentAt: 0, receivedAt: 4 }] as never
  assert.is(answerTime(exchanges, null), 4)
  assert.is(answerTime(exchanges, { freshMs: 607, keptMs: 606, logonMs: 4, slowestMs: 4 }), 606)
  assert.is(answerTime(exchanges, { freshMs: 607, keptMs: 3, logonMs: 4, slowestMs: 4 }), 4)
})

test('a few logons in some seconds are known as a limit of logons, which a window of a second or ten does not explain', () => {
  const fits = [new RateHistory(LOGON_SPANS_MS), new RateHistory()].map(history => {
    const taken: number[] = []
    for (let ms = 0; ms < 60_000; ms += 350 + (ms % 7) * 90) {
      const isServed = taken.filter(each => each > ms - 4000).length < 4
      if (isServed) taken.push(ms)
      history.note(ms, isServed)
    }
    return history.fit(0, true)
  })
  assert.equal([fits[0]?.wrong, fits[0]?.rate], [0, 1])
  assert.ok((fits[1]?.wrong ?? 100) > 0)
})

test('patience is bounded: for all pauses together, and for one', async () => {
  const { pacer, admit, reasons } = pacing()
  for (let times = 0; times < 2; times++) {
    pacer.refused('any', times * 25_000, 25_000)
    await admit('any')
  }
  assert.throws(
    () => pacer.refused('any', 50_000, 25_000),
    (error: unknown) => error instanceof OutOfPatience,
  )
  assert.is(reasons.length, 1)
  // What cannot be waited for is tried sooner first.
  const { pacer: hour, admit: soon } = pacing()
  let nowMs = 0
  for (const laterMs of [250, 500, 1000, 2000, 4000]) {
    hour.refused('any', nowMs, 3_600_000)
    nowMs += laterMs
    assert.is(await soon('any'), nowMs)
  }
  assert.throws(
    () => hour.refused('any', nowMs, 3_600_000),
    /asks to slow down, now for 1 h, after 7.8 s .*: that is more/,
  )
})

test('a refusal that was chance does not slow down all that follows', async () => {
  const { pacer, admit, now } = pacing()
  // Three in a second, because the Core is slow: the pacer takes this rate for the limit.
  for (const sentMs of [-900, -600, -300]) pacer.taken('any', sentMs)
  pacer.refused('any', 0, 0)
  const at: number[] = []
  for (let request = 0; request < 400; request++) {
    at.push(await admit('any'))
    pacer.taken('any', now())
  }
  const lastMs = (at.at(-1) ?? 0) - (at.at(-101) ?? 0)
  assert.ok(lastMs < 2000, `the last hundred took ${lastMs} ms`)
})

test('what several connections lose at the same time counts once, and all that is lost counts', () => {
  let nowMs = 0
  const reasons: string[] = []
  const patience = new Patience({
    now: () => nowMs,
    patienceMs: 10_000,
    setting: '--patience',
    over: reason => reasons.push(reason),
  })
  nowMs = 4000
  for (const fromMs of [1000, 0, 2000, 3000]) patience.lost('wire', fromMs, 4000)
  patience.pause('refusal', 3000)
  patience.pause('limit', 3000)
  assert.is(patience.limitMs, 0)
  nowMs = 7000
  patience.pause('limit', 2000)
  assert.is(patience.limitMs, 2000)
  assert.throws(
    () => patience.pause('limit', 4000),
    /^the Core asks to slow down, now for 4 s, after 2 s of such pauses, 3 s of waiting for logons that were refused, 4 s of answers that came late or not whole: that is more than the patience of this run \(--patience 10 s\)$/,
  )
  assert.is(patience.isOver, true)
  assert.throws(() => patience.check(), /more than the patience/)
  assert.is(reasons.length, 1)
})

test('a limit, on logons too, and a slow logon are told before, with what they cost', () => {
  const [spec] = specsOf('revocation-rejects')
  const estimated = (specs: number, logonMs: number) => {
    const estimate = new Estimate(4)
    const latency = { freshMs: 5, keptMs: 2, logonMs, slowestMs: logonMs }
    const context = { parts: { requests: SUITE.requests }, dialect: { latency } } as unknown as RunContext
    estimate.surveyed(Array(specs).fill(spec), context, 0)
    return estimate
  }
  const fast = estimated(400, 5)
  const limited = fast.left(0, { any: 50, logon: 0 })
  assert.ok(limited && limited[0] === limited[1] && limited[0] > 400 * 50, `${limited}`)
  assert.ok((fast.left(0)?.[1] ?? 0) < 20_000)
  assert.match(
    estimateLine({ leftMs: limited, answerMs: 2, logonMs: 5, perSecond: 1000 / 50 }, { durationMs: 0 }) ?? '',
    /^plan: this Core takes about 20 requests a second, so the requests take (about|less than) \d/,
  )
  const slow = estimated(100, 902)
  const leftMs = slow.left(0) ?? [0, 0]
  assert.ok(leftMs[0] > (100 * 900) / 4 && leftMs[1] > 100 * 900, `${leftMs}`)
  const [least] = slow.left(0, { any: 0, logon: 1000 }) ?? [0]
  assert.ok(least >= 100 * 1000 && least < 101 * 1000, `${least}`)
  assert.match(
    estimateLine({ leftMs, answerMs: 2, logonMs: 902 }, { durationMs: 0 }) ?? '',
    /^plan: this Core answers in 2 ms, and a logon in 902 ms, so the requests take (about|less than) \d/,
  )
})

test.run()
