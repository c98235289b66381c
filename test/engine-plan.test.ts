/** The plan of a run: its time and its tokens, before anything is sent. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { durationMs, longestFirst, planRun, TOKENS_BESIDE_WAITING, tokensWanted } from '../dist/engine/plan/plan.js'
import { priceOf } from '../dist/engine/plan/price.js'
import { inChains, runsAlone, sharedSteps, takesOver } from '../dist/engine/plan/sharing.js'
import { timelineOf, visitsFor } from '../dist/engine/plan/timeline.js'
import { isWaiting, tokensNeeded, toUnits, type Unit } from '../dist/engine/plan/units.js'
import { stretchAt } from '../dist/engine/stretch.js'
import type { Lifetime } from '../dist/engine/window.js'
import type { Plan } from '../dist/result.js'
import { withBystanders } from '../dist/suite/bystanders.js'
import type { LogonStep, RequestTemplate, SendStep, Spec, Step, WaitStep } from '../dist/suite/spec.js'
import { SEND, SPECS, SUITE, specsOf } from './support/suite-run.js'

/** Short for an hour: each millisecond is a thousandth of this lifetime. */
const LIFETIME: Lifetime = { lifetimeMs: 1000, tolerance: 0.1 }
const PAST_MS = 1101
/** As in a full run. */
const COVERING = { strength: 'pairs', seed: 1 } as const
const PARTS = {
  requests: new Map<string, RequestTemplate>([
    ['access', { method: 'GET', path: '/api/x' }],
    ['revoke', { method: 'DELETE', path: '/api/logon' }],
    ['change', { method: 'PUT', path: '/api/x' }],
  ]),
}

const logon = (token = 'a', http: LogonStep['http'] = '1.1'): LogonStep => ({
  action: 'logon',
  token,
  http,
  tests: [],
})

const send = (token: string, expect: SendStep['expect'], others: Partial<SendStep> = {}): SendStep => ({
  ...SEND,
  role: 'probe',
  token: { name: token },
  expect,
  ...others,
})

const use = (token = 'a', others: Partial<SendStep> = {}) => send(token, ['accepted'], others)
const dead = (token = 'a', others: Partial<SendStep> = {}) => send(token, ['expired'], others)
const revoke = (token = 'a') => send(token, [], { request: 'revoke', role: 'revoke' })

function wait(span: WaitStep['span'] = 'past lifetime', others: Partial<WaitStep> = {}): WaitStep {
  return { action: 'wait', token: 'a', since: 'used', span, tests: [], ...others }
}

function spec(id: string, given: Step[], steps: Step[]): Spec {
  const plain = {
    area: 'idle',
    title: id,
    level: 'must',
    requirements: [],
    accessControl: 'on',
    file: 'x',
    line: 1,
  } as const
  return { id, ...plain, requirements: [], measuresLifetime: false, given, steps }
}

const names = (units: Unit[]) => units.map(unit => unit.map(({ id }) => id).join('+'))
const unitsOf = (...specs: Spec[]) => names(toUnits(specs, PARTS))

/** Makes a spec that can share its wait with any similar one. */
const sharing = (id: string, steps: Step[] = [dead()], given: Step[] = [logon(), use()]) =>
  spec(id, given, [wait(), ...steps])

// ---- Sharing ------------------------------------------------------------------------------------------------------

const joint = suite('sharing')

joint('specs that only use a token are joined, and what they share is paid once', () => {
  const reader = (id: string) => spec(id, [logon(), use()], [send('unknown', ['rejected'])])
  const units = toUnits([reader('x'), reader('y'), reader('z')], PARTS)
  assert.equal(names(units), ['x+y+z'])
  assert.equal(sharedSteps(units[0] ?? []), { senders: [0, 0, 0].map(by => [by, by]), before: 0, last: 0 })
  assert.is(tokensNeeded(units[0] ?? []), 1)
  // A logon, a look, three requests and a revocation.
  assert.equal(priceOf(units, { covering: COVERING }), { requests: 6, logons: 1 })
})

joint('what comes before the waits has a price of its own', () => {
  const spread = send('a', ['nothing issued'], { request: 'logon', role: 'logon', isSpread: true, times: 9 })
  const units = toUnits([spec('x', [logon(), use()], [use(), wait(), dead()]), spec('y', [logon()], [spread])], PARTS)
  // Two logons, two uses, and a revocation of each token.
  assert.equal(priceOf(units, { covering: COVERING, isBeforeWaits: true }), { requests: 6, logons: 2 })
  assert.equal(priceOf(units, { covering: COVERING }), { requests: 16, logons: 11 })
})

joint('specs that watch share bystanders and a token, but for those that end theirs or want it fresh', () => {
  const watcher = (id: string, requirement: string, given: Step[], steps: Step[]) =>
    withBystanders(spec(id, given, steps), requirement, 'access')
  const changed = send('a', ['rejected'], { token: { name: 'a', change: 'shortened' } })
  const specs = [
    watcher('ends', 'REVOKE-2', [logon(), use()], [revoke()]),
    watcher('wrong', 'LOGON-4', [logon()], [revoke('unknown')]),
    watcher('changed', 'HOST-2', [logon(), use(), changed], [use()]),
    watcher('more', 'HOST-2', [logon(), use(), changed, send('a', [], { method: 'PUT' })], []),
    watcher('saves', 'HOST-2', [logon(), use('a', { save: [{ name: 'x', at: '/x' }] })], []),
    watcher('fresh', 'ACCESS-2', [{ ...logon(), isCold: true }], [use()]),
  ]
  const units = toUnits(specs, PARTS)
  assert.equal(names(units), ['ends+wrong+changed+more+saves+fresh'])
  assert.equal(sharedSteps(specs), {
    senders: [
      [0, 0],
      [0, 0, 1],
      [0, 0, 1, 2, 2],
      [0, 0, 1, 2, 2],
      [0, 0, 1],
      [0, 0],
    ],
    before: 2,
    last: 7,
  })
  // Bystanders, and a token of each of three.
  assert.is(tokensNeeded(specs), 3 + 3)
})

joint('specs that run alone take the token of the one before over, where it was left alive', () => {
  const wrong = send('a', ['nothing issued'], { request: 'logon', role: 'logon', method: 'POST', body: '{}' })
  const specs = [
    spec('wrong', [logon()], [wrong]),
    spec('wrong-too', [logon()], [wrong]),
    spec('ends', [logon(), use()], [revoke(), revoke()]),
    spec('ends-too', [logon('b'), use('b')], [revoke('b'), revoke('b')]),
    spec('keeps', [logon(), use()], [revoke('unknown')]),
    spec('keeps-too', [logon()], [revoke('unknown')]),
    spec('unused', [logon()], [revoke(), revoke()]),
    spec('fresh', [{ ...logon(), isCold: true }, use()], [revoke('unknown')]),
    { ...spec('alone', [logon(), use()], [wrong]), isAlone: true },
  ]
  assert.equal(
    specs.filter(each => runsAlone(each, PARTS.requests)).map(({ id }) => id),
    ['wrong', 'wrong-too', 'ends', 'ends-too', 'keeps', 'keeps-too', 'unused', 'fresh', 'alone'],
  )
  const beside = specs.map(each => ({ ...each, isAlone: false }))
  assert.equal(
    beside.filter(each => runsAlone(each, PARTS.requests)),
    [],
    'a spec may say that it need not',
  )
  const chain = inChains(specs)
  assert.equal(
    chain.map(({ id }) => id),
    ['keeps', 'keeps-too', 'ends', 'wrong', 'ends-too', 'wrong-too', 'unused', 'fresh', 'alone'],
  )
  const takers = chain.filter((each, at) => takesOver(each, chain[at - 1]))
  assert.equal(
    takers.map(({ id }) => id),
    ['keeps-too', 'ends', 'ends-too'],
  )
  const one = (each: Spec) =>
    planRun({ specs: [each], parts: PARTS, lifetime: LIFETIME, covering: COVERING, maxTokens: null }).price
  const all = planRun({ specs, parts: PARTS, lifetime: LIFETIME, covering: COVERING, maxTokens: null }).price
  const sum = specs.reduce((logons, each) => logons + (one(each)?.logons ?? 0), 0)
  assert.is(all?.logons, sum - 3)
})

joint('a unit has a dozen specs at the most, and long ones go to different units', () => {
  const many = Array.from({ length: 25 }, (_, at) => spec(String(at), [logon()], [use()]))
  const units = toUnits(many, PARTS)
  assert.equal(
    units.map(({ length }) => length),
    [9, 8, 8],
  )
  assert.equal(
    units.slice(0, 2).map(([first]) => first?.id),
    ['0', '1'],
  )
})

joint('what revokes, logs on again, lets a moment pass or runs alone has tokens of its own', () => {
  const others = [
    spec('revokes', [logon()], [revoke()]),
    spec('again', [logon()], [logon('b')]),
    spec('later', [logon()], [use(), { action: 'later', tests: [] }, use()]),
    spec('changes', [logon()], [send('a', [], { request: 'change' })]),
    { ...spec('alone', [logon()], [use()]), isAlone: true },
    spec('special', [logon()], [use('a', { connection: 'resumed' })]),
  ]
  assert.is(toUnits(others, PARTS).length, others.length)
  const readers = [spec('x', [logon()], [use()]), spec('y', [logon()], [use()])]
  assert.is(toUnits(readers, PARTS).length, 1)
  assert.is(toUnits(readers, PARTS, false).length, 2, 'where the tokens of a user depend on each other')
})

joint.run()

// ---- Units --------------------------------------------------------------------------------------------------------

const units = suite('units')

units('specs that use a token, let it expire and look at it share one wait', () => {
  assert.equal(unitsOf(sharing('x'), sharing('y'), sharing('z')), ['x+y+z'])
  const variants = [
    sharing('head', [dead('a', { method: 'HEAD' })]),
    sharing('options', [dead('a', { method: 'OPTIONS' })]),
    sharing('often', [dead(), send('a', ['rejected'], { times: 3 }), send('a', [])]),
    sharing('other-uses', [dead()], [logon(), use(), use('a', { method: 'HEAD' })]),
    sharing('old', [dead('a', { http: '1.0' })]),
  ]
  assert.equal(unitsOf(sharing('x'), ...variants), ['x+head+options+often+other-uses+old'])
})

units('only a wait for the same end is shared', () => {
  const others = [
    spec('fraction', [logon(), use()], [wait({ fraction: 0.6 }), use()]),
    spec('within', [logon(), use()], [wait('within lifetime'), use()]),
    spec('by-age', [logon(), use()], [wait('past lifetime', { since: 'issued' }), dead()]),
    spec('window', [logon(), use()], [wait('past lifetime', { before: 2 }), dead()]),
    spec('of-another', [logon(), use()], [wait('past lifetime', { token: 'b' }), dead()]),
    spec('twice', [logon(), use()], [wait(), dead(), wait(), dead()]),
    spec('later', [logon(), use()], [use(), wait(), dead()]),
    spec('early', [logon(), wait(), use()], [dead()]),
    spec('none', [logon(), use()], [use()]),
  ]
  const found = unitsOf(sharing('x'), ...others, sharing('y'))
  assert.equal(found, ['x+y', ...others.slice(0, -1).map(({ id }) => id), 'none'])
})

units('what prepares may do nothing but use the token rightly', () => {
  const others = [
    sharing('old-logon', [dead()], [logon('a', '1.0'), use()]),
    sharing('refused', [dead()], [logon(), send('a', ['rejected'])]),
    sharing('unjudged', [dead()], [logon(), send('a', [])]),
    sharing('change', [dead()], [logon(), use('a', { request: 'change' })]),
    sharing('put', [dead()], [logon(), use('a', { method: 'PUT' })]),
    sharing('no-host', [dead()], [logon(), use('a', { without: ['Host'] })]),
    sharing('made', [dead()], [logon(), use('a', { token: { name: 'a', change: 'shortened' } })]),
    sharing('two', [dead()], [logon(), logon('b'), use()]),
    sharing('no-logon', [dead()], [use()]),
    // A token that is to expire without ever having been used.
    sharing('unused', [dead()], [logon()]),
  ]
  assert.equal(unitsOf(sharing('x'), ...others, sharing('y')), ['x+y', ...others.map(({ id }) => id)])
})

units('of specs that do more than look, one is in a unit at the most, and it comes last', () => {
  const meddling: [id: string, steps: Step[]][] = [
    ['logon', [logon('b'), send('a', ['rejected'])]],
    ['revoke', [dead(), revoke()]],
    ['change', [dead('a', { request: 'change' })]],
    ['post', [dead('a', { method: 'POST' })]],
    ['made', [dead('a', { token: { name: 'a', change: 'shortened' } })]],
    ['unknown', [dead('unknown')]],
    ['no-host', [dead('a', { without: ['Host'] })]],
    ['distinct', [dead(), { action: 'distinct', tokens: ['a'], tests: [] }]],
  ]
  for (const [id, steps] of meddling) {
    assert.equal(unitsOf(sharing(id, steps), sharing('x'), sharing('y')), [`x+y+${id}`])
    assert.equal(unitsOf(sharing('x'), sharing(id, steps), sharing('y')), [`x+y+${id}`])
  }
  const specs = meddling.map(([id, steps]) => sharing(id, steps))
  assert.equal(unitsOf(sharing('x'), ...specs, sharing('y')), ['x+y+logon', ...meddling.slice(1).map(([id]) => id)])
  assert.equal(
    unitsOf(...specs),
    meddling.map(([id]) => id),
  )
})

units('in a unit, a name stands for one token', () => {
  const other = spec('other', [logon('b'), use('b')], [wait('past lifetime', { token: 'b' }), dead('b')])
  assert.equal(unitsOf(sharing('x'), other, sharing('y')), ['x+y', 'other'])
  assert.equal(unitsOf(other, sharing('x'), sharing('y')), ['other', 'x+y'], 'the name that most have, not the first')
})

units('every spec of the suite is in one unit; those that wait come first', () => {
  const all = toUnits(SPECS, SUITE)
  assert.equal(
    all
      .flat()
      .map(({ id }) => id)
      .sort(),
    SPECS.map(({ id }) => id).sort(),
  )
  const firstShort = all.findIndex(unit => !isWaiting(unit))
  assert.ok(firstShort > 5)
  assert.ok(all.slice(firstShort).every(unit => !isWaiting(unit)))
  assert.equal(
    names(all.filter(unit => isWaiting(unit) && unit.length > 1)),
    ['idle-expires+idle-expires-elsewhere+idle-expires-head+observe-expired-token+idle-survives-logon'],
    'the waits that are shared in the suite',
  )
  assert.equal(toUnits([], SUITE), [])
})

units('a unit needs as many tokens as the greediest of its specs', () => {
  const two = sharing('two', [logon('b'), send('a', ['rejected'])])
  assert.is(tokensNeeded([sharing('x')]), 1)
  assert.is(tokensNeeded([sharing('x'), two]), 2)
  assert.is(tokensNeeded([spec('none', [], [send('unknown', ['rejected'])])]), 0)
})

units.run()

// ---- Timelines ----------------------------------------------------------------------------------------------------

const timelines = suite('timelines')

const ever = Number.POSITIVE_INFINITY
const stop = (fromMs: number, untilMs: number) => ({ fromMs, untilMs })
/** Writes a lane as `SPECS TOKEN FROM-TO: EVENT AT, …`. */
const laneText = ({ specs, token, fromMs, toMs, events }: Plan['lanes'][number]) =>
  `${specs.join('+')} ${token} ${fromMs}-${toMs}: ${events.map(({ kind, atMs }) => `${kind} ${atMs}`).join(', ')}`
/** Returns the timeline of one spec. */
const timeline = (given: Step[], steps: Step[]) => timelineOf([spec('x', given, steps)], LIFETIME)

timelines('one spec: a lane from the logon to the last use, with what happens to the token', () => {
  const { durationMs, lanes, needs, stops } = timeline(
    [logon(), use()],
    [wait({ fraction: 0.6 }), use(), wait(), dead(), dead()],
  )
  assert.is(durationMs, 600 + PAST_MS)
  assert.equal(lanes.map(laneText), ['x a 0-1701: issued 0, used 0, used 600, checked 1701'])
  assert.equal(needs, [{ fromMs: 0, tokens: 1 }])
  assert.equal(stops, [stop(600, 900), stop(600 + PAST_MS, ever)])
})

timelines('an age counts from the logon, however often the token was used since', () => {
  const steps = [wait({ fraction: 0.4 }), use(), wait('past lifetime', { since: 'issued' }), use()]
  const { durationMs, stops } = timeline([logon()], steps)
  assert.is(durationMs, PAST_MS)
  assert.equal(stops[1], stop(PAST_MS, 1300))
})

timelines('what was refused is no use, and a wait for what is past is none', () => {
  const refused = [wait({ fraction: 0.5 }), send('a', ['rejected']), wait(), dead()]
  assert.is(timeline([logon()], refused).durationMs, PAST_MS)
  assert.is(timeline([logon()], [wait({ fraction: 0.5 }), wait({ fraction: 0.3 }), use()]).durationMs, 500)
})

timelines('a wait that ends soon enough only has until then', () => {
  assert.equal(timeline([logon()], [wait({ fraction: 0.4 }), use()]).stops, [stop(400, 900)])
  // A status of its own is that of a good token, too; without Host it is that of any.
  const early = wait({ fraction: 0.4 })
  assert.equal(timeline([logon()], [early, send('a', [405])]).stops, [stop(400, 900)])
  assert.equal(timeline([logon()], [early, send('a', [406], { without: ['Host'] })]).stops, [stop(400, ever)])
  assert.equal(timeline([logon()], [wait({ fraction: 0.4 }, { before: 0.5 }), use()]).stops, [stop(400, 500)])
})

timelines('a shared wait takes the time of one, whatever each does after it', () => {
  const unit = [sharing('x'), sharing('seen', [send('a', [])]), sharing('z', [logon('b'), send('a', ['rejected'])])]
  const { durationMs, lanes, needs } = timelineOf(unit, LIFETIME)
  assert.is(durationMs, PAST_MS)
  assert.equal(lanes.map(laneText), [
    'x+seen+z a 0-1101: issued 0, used 0, checked 1101',
    'x+seen+z b 1101-1101: issued 1101',
  ])
  assert.equal(needs, [{ fromMs: 0, tokens: 2 }])
})

timelines('a token that was revoked is not needed any more', () => {
  const steps = [
    wait({ fraction: 0.3 }),
    revoke('b'),
    wait({ fraction: 0.6 }),
    use(),
    revoke(),
    wait('within lifetime'),
  ]
  const { needs, lanes } = timeline([logon(), logon('b')], steps)
  assert.equal(needs, [
    { fromMs: 0, tokens: 2 },
    { fromMs: 300, tokens: 1 },
    { fromMs: 600, tokens: 0 },
  ])
  assert.is(lanes[1] && laneText(lanes[1]), 'x b 0-300: issued 0, revoked 300')
})

timelines('a token that is only wanted later is needed from the start', () => {
  const steps = [wait({ fraction: 0.5 }), logon('b'), wait({ fraction: 0.6 }), use()]
  assert.equal(timeline([logon()], steps).needs, [{ fromMs: 0, tokens: 2 }])
})

timelines.run()

// ---- Visits -------------------------------------------------------------------------------------------------------

const visits = suite('visits')

visits('as few as serve every wait in time', () => {
  assert.equal(visitsFor([], 0), [])
  assert.equal(visitsFor([stop(600, 900), stop(400, 700), stop(1100, ever)], 0), [stop(600, 700), stop(1100, ever)])
  assert.equal(visitsFor([stop(400, 500), stop(600, 900)], 0), [stop(400, 500), stop(600, 900)])
  assert.equal(visitsFor([stop(1100, ever), stop(1060, ever)], 0), [stop(1100, ever)])
})

visits('with some time to spare, but never before the wait is over', () => {
  assert.equal(visitsFor([stop(600, 900)], 50), [stop(600, 850)])
  assert.equal(visitsFor([stop(600, 620)], 50), [stop(600, 600)])
})

visits.run()

// ---- Plans --------------------------------------------------------------------------------------------------------

const plans = suite('plans')

function plan(specs: Spec[], maxTokens: number | null = null, lifetime = LIFETIME): Plan {
  return planRun({ specs, parts: PARTS, lifetime, covering: COVERING, maxTokens })
}

const HOUR = 3_600_000

plans('the suite takes little more than one lifetime, whatever that is', () => {
  for (const lifetimeMs of [1000, HOUR, 7 * 24 * HOUR]) {
    const { durationMs, unlimitedMs, oneByOneMs, specs } = planRun({
      specs: SPECS,
      parts: SUITE,
      lifetime: { lifetimeMs, tolerance: 0.05 },
      covering: COVERING,
      maxTokens: null,
    })
    assert.ok(durationMs <= 1.15 * lifetimeMs && durationMs > 1.05 * lifetimeMs, `${durationMs} of ${lifetimeMs} ms`)
    assert.is(unlimitedMs, durationMs)
    assert.ok(oneByOneMs > 10 * lifetimeMs, `${oneByOneMs} of ${lifetimeMs} ms one by one`)
    assert.is(specs, SPECS.length)
  }
})

plans('what is left takes as long as the tokens let it', () => {
  const [x, y, z] = ['x', 'y', 'z'].map(id => [spec(id, [logon(), logon('b')], [wait(), dead()])])
  const left = [x, y, z] as Unit[]
  assert.equal(
    [6, 4, 2].map(capacity => durationMs(left, capacity, LIFETIME)),
    [PAST_MS, 2 * PAST_MS, 3 * PAST_MS],
  )
  // A spec that needs more tokens than there are gets all of them, alone.
  assert.is(durationMs(left, 1, LIFETIME), 3 * PAST_MS)
  assert.is(durationMs([], 1, LIFETIME), 0)
})

plans('the suite holds few tokens: those of its lanes, and some beside', () => {
  const specs = SPECS.filter(({ accessControl }) => accessControl === 'on')
  const parts = { specs, parts: SUITE, lifetime: { lifetimeMs: HOUR, tolerance: 0.05 }, covering: COVERING }
  const { tokens, lanes, durationMs } = planRun({ ...parts, maxTokens: null })
  assert.ok(tokens <= 58, `${tokens} tokens`)
  assert.ok(lanes.length >= 15, `${lanes.length} lanes`)
  assert.ok(lanes.every(({ fromMs, toMs }) => fromMs >= 0 && toMs <= durationMs))
  // With any number of tokens there is a plan; fewer tokens take longer.
  let before = durationMs
  for (const maxTokens of [20, 10, 3]) {
    const limited = planRun({ ...parts, maxTokens })
    assert.ok(limited.tokens <= maxTokens)
    assert.ok(limited.durationMs >= before, `${maxTokens} tokens`)
    assert.is(limited.unlimitedMs, durationMs)
    assert.is(limited.lanes.length, lanes.length)
    assert.ok(mostHeld(limited) <= maxTokens, `${mostHeld(limited)} lanes at a time of ${maxTokens}`)
    before = limited.durationMs
  }
  assert.ok(before > 5 * HOUR)
})

/**
 * Returns the most tokens that are held at a time. One ends before another begins at the same moment. A token that was revoked
 * is checked later, and takes no room.
 */
function mostHeld({ lanes }: Plan): number {
  const changes = lanes
    .map(({ fromMs, toMs, events }) => ({
      fromMs,
      toMs: events.find(({ kind }) => kind === 'revoked')?.atMs ?? toMs,
    }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)
    .flatMap(({ fromMs, toMs }) => [[fromMs, 1] as const, [toMs, -1] as const])
    .sort(([a, one], [b, other]) => a - b || one - other)
  let held = 0
  return Math.max(0, ...changes.map(([, by]) => (held += by)))
}

/** Makes a spec that waits for a while with this many tokens, and shares with no other. */
function holding(id: string, fraction: number, tokens = 1): Spec {
  const more = ['b', 'c', 'd', 'e'].slice(0, tokens - 1).map(name => logon(name))
  return spec(id, [logon(), ...more], [wait({ fraction }), use()])
}

plans('what cannot be held together waits in a later round, and the plan says what that costs', () => {
  const specs = [holding('x', 0.5), holding('y', 0.9), holding('z', 0.7)]
  for (const [most, endMs, ...starts] of [
    [3, 900, 'y a 0-900', 'z a 0-700', 'x a 0-500'],
    [2, 1200, 'y a 0-900', 'z a 0-700', 'x a 700-1200'],
    [1, 2100, 'y a 0-900', 'z a 900-1600: issued 900, used 1600', 'x a 1600-2100'],
  ] as const) {
    const { unlimitedMs, oneByOneMs, durationMs, tokens, lanes } = plan(specs, most)
    assert.equal([unlimitedMs, oneByOneMs, durationMs, tokens], [900, 2100, endMs, most])
    assert.equal(
      lanes.map((lane, at) => laneText(lane).slice(0, starts[at]?.length)),
      starts,
    )
  }
})

plans('tokens that are needed no more make room before the end', () => {
  const gives = spec(
    'gives',
    [logon(), logon('b')],
    [wait({ fraction: 0.3 }), revoke('b'), wait({ fraction: 0.9 }), use()],
  )
  const { lanes, durationMs } = plan([gives, holding('x', 0.5)], 2)
  assert.equal(lanes.at(-1)?.fromMs, 300)
  assert.is(durationMs, 900)
})

plans('what needs more tokens than are allowed is not planned', () => {
  const specs = [holding('three', 0.9, 3), holding('x', 0.5)]
  assert.equal(
    plan(specs, 2).lanes.map(({ specs }) => specs.join()),
    ['x'],
  )
  assert.is(plan(specs, 2).durationMs, 500)
  assert.is(plan(specs, 3).lanes.length, 4)
  assert.is(plan(specs, 3).durationMs, 1400)
})

plans('as many tokens as one lifetime needs, and no more than are allowed', () => {
  const waiting = [holding('x', 0.5), holding('y', 0.5, 2)]
  const short = spec('short', [logon()], [use()])
  assert.is(tokensWanted(toUnits(waiting, PARTS)), 3 + TOKENS_BESIDE_WAITING)
  assert.is(plan([...waiting, short]).tokens, 3 + TOKENS_BESIDE_WAITING)
  assert.is(plan([...waiting, short], 100).tokens, 3 + TOKENS_BESIDE_WAITING)
  assert.is(plan([...waiting, short], 4).tokens, 4)
  const greedy = spec(
    'greedy',
    ['a', 'b', 'c', 'd', 'e', 'f'].map(name => logon(name)),
    [use()],
  )
  assert.is(tokensWanted(toUnits([...waiting, greedy], PARTS)), 3 + 6)
})

plans('a run without waits takes no time', () => {
  const { durationMs, oneByOneMs, lanes } = plan([spec('short', [logon()], [use()])])
  assert.equal([durationMs, oneByOneMs, lanes], [0, 0, []])
  assert.is(plan([]).specs, 0)
})

plans('those that wait begin first, the longest before the others; where they do not fit, the short ones do', () => {
  const short = spec('short', [logon()], [use()])
  const all = toUnits([short, holding('x', 0.5), holding('y', 0.9), holding('z', 0.7)], PARTS)
  assert.equal(names(longestFirst(all, LIFETIME)), ['y', 'z', 'x', 'short'])
  assert.equal(names(longestFirst(all, LIFETIME, false)), ['short', 'y', 'z', 'x'])
  const suited = longestFirst(
    toUnits(specsOf('idle-expires', 'idle-counts-from-last-use', 'access-with-token'), SUITE),
    LIFETIME,
  )
  assert.equal(names(suited), ['idle-counts-from-last-use', 'idle-expires', 'access-with-token'])
})

plans('a stretch that has to look in time does not wait until all others have ended', () => {
  const lastOf = (id: string) => {
    const [spec] = specsOf(id)
    if (!spec) throw new Error(id)
    const steps = [...spec.given, ...spec.steps]
    return stretchAt(steps, steps.findLastIndex(({ action }) => action === 'wait') + 1, SUITE.requests)
  }
  assert.equal(['variations-uses-reset', 'revocation-expired-token', 'idle-expires'].map(lastOf), [
    'stirs',
    'last',
    'calm',
  ])
})

plans.run()
