/** What separates served from turned away: bans after refusals, drops beyond a rate, and logons that wait for each other. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { Answers } from '../dist/core/answers.js'
import { BanLooks } from '../dist/core/ban-looks.js'
import { Beside } from '../dist/core/beside.js'
import type { Exchange } from '../dist/core/exchange.js'
import { Limit } from '../dist/core/limit.js'
import { Queueing } from '../dist/core/queueing.js'
import { Turnover } from '../dist/core/turnover.js'
import { assertTold, crowd, pacing } from './support/paced.js'

const test = suite('bans')

/** Pauses before further tries, as those of the run. */
const PAUSES_MS = [50, 200, 400, 800]

for (const [resets, told] of [
  ['the requests', /^the Core serves nothing for about 2(\.[0-3])? s after 10 refusals; the run slowed down/],
  // A connection is tried less often, so the end of a ban is known less well.
  ['new connections, too', /^the Core serves nothing for about 2(\.\d)? s after 10 refusals; the run slowed down/],
] as const)
  test(`a ban after many refusals is learned, waited for, and told; what it drops is no limit: ${resets}`, async () => {
    const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
    let refusals: number[] = []
    let bannedUntilMs = 0
    let dropped = 0
    for (let sent = 0, unserved = 0; sent < 600; ) {
      const opens = unserved > 0 && resets !== 'the requests'
      await admit('any', opens)
      pass(5)
      if (now() < bannedUntilMs) {
        dropped++
        if (opens) pacer.unconnected(now())
        else pacer.dropped('any', now())
        pass(PAUSES_MS[unserved++] ?? 0)
        if (unserved >= PAUSES_MS.length) pacer.putOff()
        continue
      }
      sent++
      unserved = 0
      const isRefusal = chance() < 0.5
      pacer.taken('any', now(), { opens, ...(isRefusal && { refused: { isRefusal } }) })
      if (isRefusal) refusals = [...refusals.filter(ms => ms > now() - 10_000), now()]
      if (refusals.length < 10) continue
      bannedUntilMs = now() + 2000
      refusals = []
    }
    assert.match(pacer.notice ?? '', told)
    assert.ok(dropped < 100, `${dropped} dropped`)
    // One ban for each ten refusals, and a few to learn it.
    assert.ok(now() < 30 * 5000 + 30_000, `${now()} ms`)
  })

test('a Core that serves nothing after a request too many, and begins that anew with each try, is not hammered on', async () => {
  let level = 0
  let lastMs = 0
  let shutUntilMs = 0
  /** Takes twelve requests a second, and twelve at once; after one too many nothing for a second and a half. */
  const serves = (ms: number) => {
    level = Math.max(0, level - (ms - lastMs) * 0.012)
    lastMs = ms
    const isServed = ms >= shutUntilMs && level <= 12
    if (isServed) level++
    else shutUntilMs = ms + 1500
    return isServed
  }
  const { pacer, tookMs, away } = await crowd({
    tries: 480,
    async attempt({ pacer, now, pass, chance }) {
      await pacer.admit('any', async ms => pass(ms).then(() => false))
      const sentMs = pacer.sent('any')
      await pass(1 + chance() * 4)
      const isServed = serves(now())
      await pass(3)
      pacer.landed(sentMs)
      if (isServed) pacer.taken('any', sentMs)
      else {
        pacer.dropped('any', sentMs)
        await pass(PAUSES_MS[1] ?? 0)
      }
      return isServed
    },
  })
  assert.ok(tookMs < 40_000 * 1.6, `40 s of requests took ${tookMs} ms`)
  assert.ok(away <= 60, `${away} turned away`)
  assertTold(pacer, 12)
})

/** Counts as HAProxy does: what is in the present period, and the part of the one before that still lies within one. */
function slidingCount(periodMs: number) {
  let fromMs = 0
  let now = 0
  let before = 0
  const at = (ms: number) => {
    const periods = Math.floor((ms - fromMs) / periodMs)
    if (periods > 0) [before, now, fromMs] = [periods === 1 ? now : 0, 0, fromMs + periods * periodMs]
    return now + Math.floor((before * (periodMs - (ms - fromMs))) / periodMs)
  }
  const note = (ms: number) => {
    at(ms)
    now++
  }
  return { at, note }
}

for (const [most, periodMs] of [
  [15, 5000],
  [40, 10_000],
  [6, 1000],
] as const) {
  test(`errors are spread where more than ${most} in ${periodMs} ms are followed by an answer of a ban`, async () => {
    const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
    const counter = slidingCount(periodMs)
    let errors = 0
    let away = 0
    for (let unserved = 0; errors < most * 20; ) {
      await admit()
      const sentMs = pacer.sent('any')
      pass(3)
      pacer.landed(sentMs)
      if (counter.at(now()) > most) {
        counter.note(now())
        away++
        pacer.banned()
        if (++unserved > 1) pacer.putOff()
        else pass(50)
        continue
      }
      unserved = 0
      const isRefusal = chance() < 0.3
      const isError = isRefusal || chance() < 0.2
      if (isError) counter.note(now())
      errors += Number(isError)
      pacer.taken('any', sentMs, isError ? { refused: { isRefusal } } : {})
    }
    assert.match(pacer.notice ?? '', new RegExp(`after (${most}|${most + 1}) errors`))
    // Two more bans are met before errors are believed.
    assert.ok(now() < periodMs * 20 * 1.1 + 8000, `20 periods took ${now()} ms`)
    assert.ok(away < 40, `${away} turned away`)
  })
}

test('where what is too fast gets no answer, only requests that the pace held back are a reason to go faster', () => {
  for (const apartMs of [150, 60]) {
    const limit = new Limit()
    limit.slowDown(0, 1000, undefined)
    Object.assign(limit, { drops: 1, spacingMs: 60 })
    for (let at = 1; at <= 100; at++) limit.taken(at * apartMs)
    assert.is(limit.spacingMs < 60, apartMs === 60, `${limit.spacingMs} ms`)
  }
})

test('a worker that starts anew after so many answers is told as that, and slows nothing down', async () => {
  const { pacer, admit, pass, now } = pacing({ patienceMs: 3_600_000 })
  let answers = 0
  let backAtMs = 0
  let away = 0
  for (let served = 0; served < 600; ) {
    await admit('any', true)
    // For a while each takes the Core longer.
    pass(served < 200 || served > 400 ? 15 : 80)
    if (now() < backAtMs) {
      away++
      pacer.unconnected(now())
      pass(200)
      continue
    }
    served++
    pacer.taken('any', now(), { opens: true })
    if (++answers < 25) continue
    answers = 0
    backAtMs = now() + 300
  }
  assert.match(pacer.notice ?? '', /^the Core serves nothing for about \d+ ms after 25 answers; the run slowed down/)
  assert.is(pacer.spacingMs('any'), 0)
  // The answers take 22 s, and 24 restarts 7 s; to learn that no pace helps takes a while.
  assert.ok(now() < 50_000, `${now()} ms, ${away} turned away`)
})

/** Lets a Core serve nothing for a moment after each of these numbers of answers, which take so long each. */
function turned(numbers: readonly number[], eachMs: (turn: number) => number): Turnover {
  const turnover = new Turnover()
  let nowMs = 0
  for (const [turn, number] of numbers.entries()) {
    for (let answer = 0; answer < number; answer++) {
      nowMs += eachMs(turn)
      turnover.served(nowMs, nowMs)
    }
    turnover.away(nowMs + 1, nowMs + 1)
    nowMs += 300
  }
  turnover.served(nowMs, nowMs)
  return turnover
}

const slower = (turn: number) => 10 * (turn + 1)

test('as many answers each time, at whatever pace, are a worker that starts anew; now and then nothing is sent meanwhile', () => {
  assert.is(turned([25, 25, 25, 25, 25, 25], slower).belief?.after, 25)
  assert.is(turned([25, 24, 50, 25, 25, 26], slower).belief?.after, 25)
})

test('as many answers at one pace may be a limit of it, other numbers are one, and a few are a burst', () => {
  assert.is(turned([25, 25, 25, 25, 25, 25], () => 10).belief, undefined)
  assert.is(turned([25, 30, 36, 43, 52, 62], slower).belief, undefined)
  assert.is(turned([4, 4, 4, 4, 4, 4], slower).belief, undefined)
  // With so few, most numbers are nearly some times as many.
  assert.is(turned([8, 15, 9, 24, 7, 16], turn => slower(turn) * 4).belief, undefined)
  assert.is(turned(Array(12).fill(8), slower).belief?.after, 8)
})

test('what is turned away after as many refusals, and served at the next try, may be a rate', async () => {
  for (const forMs of [100, 900]) {
    const { pacer, admit, pass, now } = pacing({ patienceMs: 3_600_000 })
    for (let ban = 0; ban < 4; ban++) {
      for (let sent = 0; sent < 9 + ban * 3; sent++) {
        await admit()
        pass(20)
        pacer.taken('any', now(), sent < 5 ? { refused: { isRefusal: true } } : {})
      }
      const untilMs = now() + forMs
      for (await admit(); now() < untilMs; await admit()) pacer.refused('any', now(), undefined)
      pacer.taken('any', now())
    }
    assert.is(/after 5 refusals/.test(pacer.notice ?? ''), forMs === 900, pacer.notice)
  }
})

test('turns after fewer answers contradict it, three in a row', () => {
  const numbers = [25, 25, 25, 25, 25, 25, 5, 5]
  assert.is(turned(numbers, slower).belief?.after, 25)
  assert.is(turned([...numbers, 5], slower).belief, undefined)
})

test('a limit of spans that follow one another is told as one, and not as a ban after errors', async () => {
  const [most, spanMs] = [24, 2000]
  const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
  let span = 0
  let inSpan = 0
  let unserved = 0
  for (let served = 0; served < 600; ) {
    await admit()
    const sentMs = pacer.sent('any')
    pass(3)
    pacer.landed(sentMs)
    const its = Math.floor((now() + 700) / spanMs)
    if (its !== span) inSpan = 0
    span = its
    if (inSpan >= most) {
      pacer.banned()
      if (++unserved > 1) pacer.putOff()
      else pass(50)
      continue
    }
    unserved = 0
    inSpan++
    served++
    pacer.taken('any', sentMs, chance() < 0.3 ? { refused: { isRefusal: true } } : {})
  }
  assert.match(pacer.notice ?? '', /takes (about|at least) 1[0-4] requests a second/)
  assert.ok(now() < ((600 * spanMs) / most) * 1.4, `took ${now()} ms`)
})

test('a ban for some seconds after many requests in a second, which each try prolongs, is told as a limit of the rate', async () => {
  const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
  let second = 0
  let inSecond = 0
  let bannedUntilMs = 0
  let away = 0
  let unserved = 0
  // Long enough for three tries to go faster: each is met by a ban, which the rate explains.
  for (let served = 0; served < 2000; ) {
    await admit()
    const sentMs = pacer.sent('any')
    pass(3)
    pacer.landed(sentMs)
    // As mod_evasive counts: by the second of the clock.
    if (Math.floor(sentMs / 1000) !== second) [second, inSecond] = [Math.floor(sentMs / 1000), 0]
    if (sentMs < bannedUntilMs || ++inSecond > 20) {
      bannedUntilMs = sentMs + 3000
      away++
      pacer.banned(sentMs)
      if (++unserved > 1) pacer.putOff()
      else pass(50)
      continue
    }
    unserved = 0
    served++
    const isRefusal = chance() < 0.3
    pacer.taken('any', sentMs, chance() < 0.5 ? { refused: { isRefusal } } : {})
  }
  assert.match(pacer.notice ?? '', /takes about (1[6-9]|2[0-4])(\.\d)? requests a second/)
  assert.ok(now() < 105_000 + 30_000, `${now()} ms`)
  assert.ok(away < 40, `${away} turned away`)
})

test('a ban after many logons in a while is told as a limit of logons, and slows nothing else down', async () => {
  const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
  let logons: number[] = []
  let bannedUntilMs = 0
  let banned = 0
  let unserved = 0
  for (let served = 0; served < 1200; ) {
    const kind = chance() < 0.15 ? 'logon' : 'any'
    await admit(kind)
    const sentMs = pacer.sent(kind)
    pass(5)
    pacer.landed(sentMs)
    if (sentMs >= bannedUntilMs && kind === 'logon') {
      logons = [...logons.filter(ms => ms > sentMs - 2000), sentMs]
      if (logons.length > 5) [logons, bannedUntilMs] = [[], sentMs + 1200]
      banned += Number(bannedUntilMs > sentMs)
    }
    if (sentMs < bannedUntilMs) {
      pacer.banned(sentMs)
      if (++unserved > 1) pacer.putOff()
      else pass(50)
      continue
    }
    unserved = 0
    served++
    const isRefusal = chance() < 0.7
    pacer.taken(kind, sentMs, chance() < 0.6 ? { refused: { isRefusal } } : {})
  }
  assert.match(pacer.notice ?? '', /^the Core takes about (2(\.\d)?|3) logons a second \(\d+ turned away\); the run/)
  assert.ok(banned < 12, `${banned} bans`)
  assert.ok(now() < (1200 * 0.15 * 2000) / 5 + 30_000, `${now()} ms`)
})

test('what was sent into a ban and answered after its end shows no other one, and what was served since ended it', async () => {
  const { pacer, admit, pass, now } = pacing({ patienceMs: 3_600_000 })
  let refusals = 0
  let bannedUntilMs = 0
  for (let served = 0; served < 300; ) {
    await admit()
    const sentMs = now()
    pass(5)
    if (sentMs < bannedUntilMs) {
      pacer.refused('any', sentMs, undefined)
      pass(bannedUntilMs - sentMs)
      pacer.taken('any', now() - 1)
      // Its answer is late.
      pacer.refused('any', sentMs + 10, undefined)
      continue
    }
    served++
    const isRefusal = served % 3 > 0
    pacer.taken('any', sentMs, isRefusal ? { refused: { isRefusal } } : {})
    refusals += Number(isRefusal)
    if (refusals < 6) continue
    bannedUntilMs = now() + 1000
    refusals = 0
  }
  assert.match(pacer.notice ?? '', /serves nothing for about 1(\.\d)? s after 6 refusals/)
  assert.ok(now() < 34 * 2500, `${now()} ms`)
})

test('a ban that is told is believed after one stretch; a single answer shows none', async () => {
  for (const isLong of [true, false]) {
    const { pacer, pass, now } = pacing({ patienceMs: 3_600_000 })
    for (let errors = 0; errors < 10; errors++) {
      pass(20)
      pacer.taken('any', now(), { refused: { isRefusal: true } })
    }
    pass(20)
    pacer.banned()
    pass(500)
    if (isLong) pacer.banned()
    pass(500)
    pacer.taken('any', now())
    assert.is(pacer.isBanning, isLong)
  }
})

test('drops beyond a rate show a limit; drops by chance show none, and cost no time', async () => {
  for (const isLimited of [true, false]) {
    const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
    let taken: number[] = []
    for (let served = 0; served < 500; ) {
      await admit()
      pass(3)
      taken = taken.filter(ms => now() - ms < 1000)
      const isDropped = isLimited ? taken.length >= 12 : chance() < 0.05
      if (isDropped) {
        pacer.dropped('any', now())
        pass(50)
        continue
      }
      taken.push(now())
      pacer.taken('any', now())
      served++
    }
    if (isLimited) {
      assertTold(pacer, 12)
    } else {
      assert.is(pacer.notice, undefined)
      assert.ok(now() < 6000, `${now()} ms`)
    }
  }
})

test('a rate that explains what was dropped is no ban, though as many were refused before each stretch', async () => {
  const { pacer, admit, pass, chance, now } = pacing({ patienceMs: 3_600_000 })
  let taken: number[] = []
  let tries = 0
  for (let served = 0; served < 500; ) {
    await admit()
    const sentMs = pacer.sent('any')
    pass(3)
    taken = taken.filter(ms => now() - ms < 1000)
    if (taken.length >= 12) {
      pacer.dropped('any', sentMs)
      pacer.landed(sentMs)
      if (++tries % 3 === 0) pacer.putOff()
      continue
    }
    taken.push(now())
    pacer.landed(sentMs)
    pacer.taken('any', sentMs, { refused: { isRefusal: chance() < 0.95 } })
    served++
    // Now and then something else is done.
    if (served % 40 === 0) pass(3000)
  }
  assert.not(pacer.isBanning)
  assert.match(pacer.notice ?? '', /takes about 1[1-3] requests a second/)
})

test('a limit that counts what it drops, too, over a count that falls little by little, is found and told', async () => {
  const { pacer, admit, pass, now } = pacing({ patienceMs: 3_600_000 })
  const counter = slidingCount(1000)
  let dropped = 0
  for (let served = 0; served < 600; ) {
    await admit()
    pass(4)
    counter.note(now())
    if (counter.at(now()) > 20) {
      pacer.dropped('any', now())
      pass(++dropped % 2 === 0 ? 200 : 50)
      continue
    }
    served++
    pacer.taken('any', now())
  }
  assertTold(pacer, 20)
  assert.ok(dropped < 60, `${dropped} dropped`)
})

test('a limit on new connections slows down what opens one, and nothing else', async () => {
  const { pacer, admit, pass, now } = pacing({ patienceMs: 3_600_000 })
  let opened: number[] = []
  for (let served = 0; served < 400; ) {
    const opens = served % 4 === 0
    await admit('any', opens)
    pass(2)
    opened = opened.filter(ms => now() - ms < 1000)
    if (opens && opened.length >= 10) {
      pacer.dropped('any', now(), { opens })
      pass(50)
      continue
    }
    if (opens) opened.push(now())
    pacer.taken('any', now(), { opens })
    served++
  }
  assertTold(pacer, 10, 'new connections')
  assert.is(pacer.spacingMs('any'), 0)
})

test('logons that are worked out one after another are seen, and those at the same time are not', () => {
  const answers = (doneMs: (index: number) => number) => {
    const queueing = new Queueing('logon')
    for (const ms of [0, 1000]) queueing.answered(ms, ms + 700)
    return [0, 1, 2, 3].map(index => queueing.answered(5000, 5000 + doneMs(index)))
  }
  assert.is(answers(index => 700 * (index + 1)).at(-1), 700)
  assert.ok(answers(() => 720).every(each => each === undefined))
})

test('requests wait for a limit where each has its turn, and not where a busy machine has its stops', () => {
  for (const [isLimit, ownMs] of [
    [true, [50, 48, 52, 50]],
    [false, [1, 46, 1, 90, 24, 1, 30, 30]],
  ] as const) {
    const queueing = new Queueing('any')
    for (const index of [0, 1, 2]) queueing.answered(index * 100, index * 100 + 3)
    let nowMs = 5000
    const found = Array.from({ length: 80 }, (_, index) => {
      nowMs += ownMs[index % ownMs.length] ?? 0
      return queueing.answered(nowMs - 150, nowMs)
    })
    assert.is(found.at(-1) !== undefined, isLimit, `${found.at(-1)}`)
  }
})

test('how many answers a Core gives where others wait is told by how long each took, until more are given', () => {
  const { pacer, pass, now } = pacing({ patienceMs: 3_600_000 })
  for (const ms of [0, 100, 200]) pacer.waited('any', ms, ms + 3)
  for (let times = 0; times < 40; times++) {
    pass(50)
    pacer.waited('any', now() - 150, now())
    pacer.taken('any', now())
  }
  for (let times = 0; times < 200; times++) {
    pass(50)
    pacer.taken('any', now())
  }
  assert.match(pacer.notice ?? '', /takes about 20 requests a second, and lets others wait/)
  for (let times = 0; times < 2000; times++) {
    pass(5)
    pacer.taken('any', now())
  }
  assert.is(pacer.notice, undefined)
})

test('requests to a slow Core that refuses some at first sight do not wait for each other', () => {
  const queueing = new Queueing('any')
  for (const [index, ms] of [300, 4, 302, 301].entries()) queueing.answered(index * 1000, index * 1000 + ms)
  // Four at a time, each of which takes as long as one alone.
  const four = Array.from({ length: 60 }, (_, index) => queueing.answered(5000 + index * 75, 5300 + index * 75))
  assert.ok(four.every(spacingMs => spacingMs === undefined))
})

test('answers without a body, which may come sooner, do not make the others look late', () => {
  const queueing = new Queueing('any')
  for (let index = 0; index < 24; index++)
    queueing.answered(index * 100, index * 100 + (index % 3 ? 60 : 2), !(index % 3))
  // Four at a time, each of which takes as long as one alone.
  const four = Array.from({ length: 60 }, (_, index) => queueing.answered(5000 + index * 20, 5080 + index * 20))
  assert.ok(four.every(spacingMs => spacingMs === undefined))
})

/** Answers four requests at the same time. @param isServed says whether the one with this place among them is */
function four(beside: Beside, round: number, isServed: (place: number) => boolean, isElse = false): boolean {
  const places = [0, 1, 2, 3].map(place => ({
    sentMs: round * 100 + place,
    receivedMs: round * 100 + (isServed(place) ? 30 - place : 10 + place),
    isServed: isServed(place),
  }))
  return places.map(each => beside.note(each, () => isElse)).some(Boolean)
}

test('a limit on what is served at a time shows where as many are served beside what is turned away', () => {
  const few = new Beside()
  for (let round = 0; round < 10; round++) four(few, round, place => place < 2)
  assert.is(few.most, 2)
  // Some end on the Core before that is known here, or after.
  const noisy = new Beside()
  for (let round = 0; round < 15; round++) four(noisy, round, place => (round === 7 ? place === 3 : place < 2))
  assert.is(noisy.most, 2)
  // A ban serves none beside it, and a limit of the rate turns away what comes alone.
  const ban = new Beside()
  for (let round = 0; round < 20; round++) four(ban, round, () => round % 4 > 0)
  const rate = new Beside()
  for (let round = 0; round < 20; round++) four(rate, round, place => (round * 4 + place) % 3 > 0)
  assert.equal([ban.most, rate.most], [undefined, undefined])
})

test('what a rate explains as well is no limit on what is served at a time, and such a belief is given up', () => {
  const beside = new Beside()
  for (let round = 0; round < 20; round++) four(beside, round, place => place < 1, true)
  assert.is(beside.most, undefined)
  for (let round = 20; round < 40; round++) four(beside, round, place => place < 1)
  assert.is(beside.most, 1)
  const alone = (index: number, isElse: boolean) =>
    beside.note({ sentMs: 5000 + index * 20, receivedMs: 5003 + index * 20, isServed: index % 3 > 0 }, () => isElse)
  for (let index = 0; index < 12; index++) alone(index, false)
  assert.is(beside.most, 1)
  for (let index = 12; index < 24; index++) alone(index, true)
  assert.is(beside.most, undefined)
})

test('a ban that answers 403 is told from an answer by a request that is answered otherwise', async () => {
  const exchange = (status: number, body: string): Exchange => ({
    request: { method: 'GET', path: '/', headers: [], httpVersion: '1.1', omitHost: false },
    response: { status, statusText: '', httpVersion: '1.1', headers: [], body, bodyBytes: body.length, complete: true },
    sentAt: 0,
    receivedAt: 1,
  })
  const probe = Answers.learn([exchange(200, '[]')], [[exchange(401, 'no')]])
  const looks = new BanLooks()
  let controls = 0
  const good = (status: number, answered: Exchange) => ({
    probe,
    control: async () => {
      controls++
      const beside = status === 0 ? answered : exchange(status, 'no')
      return { ...beside, request: { ...beside.request, path: '/other' } }
    },
  })
  const other = exchange(403, 'not for you')
  assert.not(await looks.isBan(other, good(401, other)))
  assert.not(await looks.isBan(other, good(401, other)))
  assert.is(controls, 1)
  const banned = exchange(403, 'go away')
  // The same request once more says nothing.
  assert.not(await new BanLooks().isBan(banned, { ...good(0, banned), control: async () => banned }))
  assert.ok(await looks.isBan(banned, good(0, banned)))
  assert.ok(looks.isKnown(banned))
  assert.not(await looks.isBan(exchange(401, 'no'), good(0, banned)))
})

for (const [forMs, isBrief] of [
  [60, true],
  [1000, false],
] as const)
  test(`what looks like bans of ${forMs} ms ${isBrief ? 'turns single requests away, as a limit does' : 'are bans'}`, () => {
    const { pacer, pass, now } = pacing({ patienceMs: 3_600_000 })
    for (let bans = 0; bans < 3; bans++) {
      assert.not(pacer.bansAreBrief)
      pacer.banned(now())
      pass(forMs)
      pacer.taken('any', now())
      pass(500)
    }
    assert.is(pacer.bansAreBrief, isBrief)
  })

test('what was taken for an answer is looked into again where its request succeeded before, and is no answer once it is that of a ban', async () => {
  const exchange = (status: number, body: string, sentAt = 0, method = 'GET'): Exchange => {
    const headers: [string, string][] = [['Content-Length', String(body.length)]]
    return {
      request: { method, path: '/', headers: [], httpVersion: '1.1', omitHost: false },
      response: {
        status,
        statusText: '',
        httpVersion: '1.1',
        headers,
        body: method === 'HEAD' ? '' : body,
        bodyBytes: 0,
        complete: true,
      },
      sentAt,
      receivedAt: sentAt + 1,
    }
  }
  const probe = Answers.learn([exchange(200, '[]')], [[exchange(403, 'no token')]])
  const looks = new BanLooks()
  // What was sent without a control takes no look away from those that have one.
  for (const body of ['far too many', 'a', 'b', 'c', 'd', 'e'])
    assert.not(await looks.isBan(exchange(403, body), { probe }))
  let [controls, beside] = [0, 'no token']
  const bans: number[] = []
  const isBan = (each: Exchange) =>
    looks.isBan(each, {
      probe,
      control: async () => {
        controls++
        const { request, ...other } = exchange(403, beside)
        return { ...other, request: { ...request, path: '/other' } }
      },
      wasBan: ({ sentAt }) => bans.push(sentAt),
    })
  const many = (at: number, method?: string) => exchange(403, 'far too many', at, method)
  assert.not(await isBan(many(1)))
  assert.not(await isBan(many(2)))
  assert.is(controls, 1)
  looks.answered(exchange(200, '[]'))
  assert.not(await isBan(many(3)))
  assert.is(controls, 2)
  beside = 'far too many'
  assert.ok(await isBan(many(4)))
  assert.equal(bans, [0, 1, 2, 3])
  // An answer to HEAD is known by its head.
  assert.ok(looks.isKnown(many(5, 'HEAD')))
  assert.not(looks.isKnown(exchange(403, 'no token', 6, 'HEAD')))
  assert.ok(looks.hasStatus(403))
  assert.not(looks.hasStatus(400))
  looks.forget(many(7, 'HEAD'))
  assert.not(looks.isKnown(many(8, 'HEAD')))
  assert.ok(looks.isKnown(many(9)))
})

test.run()
