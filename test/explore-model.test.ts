/** The model of the reference, and the explorer's treatment of sequences: without a Core. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { roleRequest } from '../dist/engine/requests.js'
import { ShapeBook } from '../dist/engine/shape-book.js'
import { notRun } from '../dist/engine/spec-end.js'
import type { Action } from '../dist/explore/action.js'
import { actionsOf } from '../dist/explore/commands.js'
import { QUICK_MOODS, SLOW_MOODS, sequenceDrawer } from '../dist/explore/draw.js'
import { describe, joinRepeats, requirementOf } from '../dist/explore/finding.js'
import { type Forms, formsOf, inForm, wholeOf } from '../dist/explore/forms.js'
import type { Kind } from '../dist/explore/kinds.js'
import { type Bounds, lower, takesMs } from '../dist/explore/lower.js'
import { Met } from '../dist/explore/met.js'
import { Model } from '../dist/explore/model.js'
import { Spaced, spacingOf } from '../dist/explore/pace.js'
import { pursue } from '../dist/explore/pursuit.js'
import { noteSent, type Range, unsentFirst, type Varied, type Variety, varietyOf } from '../dist/explore/ranges.js'
import { toSpec, unsureIn } from '../dist/explore/sequence.js'
import { lastAlone, repeatActions, shrink, without } from '../dist/explore/shrink.js'
import { Tally } from '../dist/explore/tally.js'
import type { FindingRecord } from '../dist/result.js'
import { loadSuite } from '../dist/suite/load.js'
import { makeFolder } from './support/folder.js'
import { SUITE } from './support/suite-run.js'

const test = suite('model')

const HOUR = 3_600_000
const TIMING = { lifetimeMs: HOUR, validMs: HOUR * 0.95, withinMs: HOUR * 0.94, expiredMs: HOUR * 1.05, requestMs: 20 }
const BOUNDS: Bounds = { timing: TIMING, tokens: 6, wrongLogons: 2 }
const FEATURES = { head: true, elsewhere: true, http10: true, resumed: true, behind: true }
const varied = (action: Action): Varied => ({ action, value: { name: String(action.only) } })
const VARIETY: Variety = {
  'look-alike': [[varied({ send: 'probe', each: 'token-lookalikes', only: 'doubled' })]],
  constant: [[varied({ send: 'probe', each: 'token-constants', only: 'null' })]],
  place: [[varied({ send: 'probe', each: 'token-cookies', only: 'cookie token' })]],
  bare: [[varied({ send: 'probe', without: ['Host'], each: 'hostless-requests', only: 'GET' })]],
  right: [[varied({ send: 'logon', each: 'right-credentials', only: 'pretty' })]],
  wrong: [[varied({ send: 'logon', each: 'wrong-credentials', only: 'an empty user name' })]],
  malformed: [[varied({ send: 'logon', each: 'malformed-credentials', only: 'the word null' })]],
}
const TAKEN = new ShapeBook()
const PARTS = { requests: SUITE.requests, shared: undefined, variables: {} }
const FORMS = formsOf(SUITE, { parts: PARTS, session: { tokens: [] }, shapes: TAKEN } as never, true)
const use = (token: string): Action => ({ send: 'probe', token })
const revoke = (token: string): Action => ({ send: 'revoke', token })
const logon = (name: string): Action => ({ logon: name })
const until = (token: string, unused: string): Action => ({ wait: { token, unused } })
const expects = (actions: Action[], bounds = BOUNDS) => lower(actions, bounds)?.map(({ raw }) => raw.expect)

test('a token is issued, revoked or expired, and in doubt between', () => {
  const model = new Model(TIMING)
  model.issued('a')
  model.issued('b')
  assert.is(model.state('a'), 'issued')
  model.waited('a', HOUR * 0.6)
  model.used('a', true)
  assert.equal([model.state('a'), model.age('a')], ['issued', 0])
  model.waited('b', HOUR)
  // Between the limits both answers of a Core are right.
  assert.equal([model.state('a'), model.state('b')], ['issued', 'doubt'])
  model.waited('b', HOUR * 1.06)
  assert.is(model.state('b'), 'expired')
  model.revoked('a')
  model.revoked('b')
  assert.equal([model.state('a'), model.state('b')], ['revoked', 'expired'])
})

test('what may have been a use leaves the token in doubt, never expired', () => {
  const model = new Model(TIMING)
  model.issued('a')
  model.waited('a', HOUR * 0.8)
  model.used('a', false)
  model.waited('a', HOUR * 0.5)
  assert.is(model.state('a'), 'doubt')
})

test('slow requests take away from what is certain', () => {
  const model = new Model({ ...TIMING, requestMs: HOUR * 0.2 })
  model.issued('a')
  model.took(4)
  assert.is(model.state('a'), 'issued')
  model.took(1)
  assert.is(model.state('a'), 'doubt')
})

test('each action gets what the reference says of it', () => {
  const actions: Action[] = [
    logon('a'),
    use('a'),
    revoke('a'),
    use('a'),
    { send: 'probe' },
    { send: 'probe', token: 'unknown' },
  ]
  assert.equal(expects(actions), [undefined, 'accepted', undefined, 'rejected', 'rejected', 'rejected'])
  assert.equal(expects([logon('a'), until('a', 'past lifetime'), use('a')]), [undefined, undefined, 'expired'])
  assert.equal(expects([logon('a'), until('a', '60%'), use('a')]), [undefined, undefined, 'accepted'])
  assert.equal(expects([logon('a'), { ...use('a'), without: ['Host'] }, use('a')]), [undefined, 406, 'accepted'])
  assert.equal(expects([{ send: 'logon', without: ['Host'] }]), ['nothing issued'])
})

test('what cannot be said or done is refused: doubt, unknown names, too many tokens, wrong logons beyond the budget', () => {
  assert.is(expects([use('a')]), undefined)
  assert.is(expects([logon('a'), until('a', '100%'), use('a')]), undefined)
  assert.is(expects([logon('a'), logon('b')], { ...BOUNDS, tokens: 1 }), undefined)
  assert.ok(expects([logon('a'), revoke('a'), logon('b')], { ...BOUNDS, tokens: 1 }))
  const wrong: Action = { send: 'logon', body: { username: '{username}', password: '{wrong-password}' } }
  assert.ok(expects([wrong, wrong]))
  assert.is(expects([wrong, wrong, wrong]), undefined)
})

test('what is sent at the same time is in no order: a token that one ends is in no other', () => {
  const beside = (action: Action): Action => ({ ...action, beside: true })
  const two = [logon('a'), logon('b')]
  assert.ok(expects([...two, revoke('a'), beside(use('b'))]))
  assert.is(expects([...two, revoke('a'), beside(use('a'))]), undefined)
  assert.is(expects([...two, use('a'), beside(revoke('a'))]), undefined)
  assert.is(expects([logon('a'), beside(use('a'))]), undefined)
})

test('what a Core is known to break is not looked at', () => {
  const known = new Set<Kind>(['revoked'])
  assert.equal(expects([logon('a'), revoke('a'), use('a')], { ...BOUNDS, known }), [undefined, undefined, undefined])
})

test('the same seed draws the same sequences, another one others, and each of them can be played', async () => {
  const all = async (seed: number) => [...QUICK_MOODS, ...SLOW_MOODS].map(await sequenceDrawer(seed))
  const one = await all(7)
  assert.equal(await all(7), one)
  assert.is.not(JSON.stringify(await all(8)), JSON.stringify(one))
  for (const drawn of one) {
    for (const leftMs of [Number.POSITIVE_INFINITY, 1.5 * BOUNDS.timing.lifetimeMs]) {
      const limits = {
        ...BOUNDS,
        features: FEATURES,
        variety: VARIETY,
        forms: FORMS,
        requests: 34,
        leftMs,
        met: new Met(),
      }
      const actions = actionsOf(drawn, limits)
      assert.ok(lower(actions, BOUNDS), JSON.stringify(actions))
      assert.ok(takesMs(actions, BOUNDS) <= leftMs, 'a sequence fits into the time that is left')
    }
  }
})

test('a variation of a family is judged by what the reference says of it', () => {
  const one = (range: Range, token?: string): Action => ({
    ...VARIETY[range]?.[0]?.[0]?.action,
    ...(token !== undefined && { token }),
  })
  const last = (...actions: Action[]) => {
    const step = lower(actions, BOUNDS)?.at(-1)
    return step && [step.raw.expect, step.kind]
  }
  assert.equal(last(logon('a'), one('look-alike', 'a')), ['rejected', 'unknown'])
  assert.equal(last(logon('a'), revoke('a'), one('look-alike', 'a')), ['rejected', 'unknown'])
  assert.equal(last(one('constant')), ['rejected', 'unknown'])
  assert.equal(last(one('bare')), [406, 'host'])
  assert.equal(last(one('wrong')), ['nothing issued', 'wrong'])
  assert.equal(last(one('malformed')), ['nothing issued', 'malformed'])
  assert.equal(last(logon('a'), one('place', 'a')), ['rejected', 'place'])
  assert.equal(last(one('right')), ['issued', 'issue'])
  // The reference says nothing about a valid token there.
  assert.is(last(logon('a'), revoke('a'), one('place', 'a')), undefined)
  assert.is(lower([one('wrong')], { ...BOUNDS, wrongLogons: 0 }), undefined)
  // A text that resembles a token is no use of it.
  const aged = [logon('a'), until('a', '80%'), one('look-alike', 'a'), until('a', 'past lifetime'), use('a')]
  assert.equal(last(...aged), ['expired', 'expired'])
})

test('what found no place in the budget of the specs is drawn first, and each of it once', () => {
  const wrong = (only: string) => varied({ send: 'logon', each: 'wrong-credentials', only })
  const variety = { wrong: [[wrong('a'), wrong('b'), wrong('c')]], right: VARIETY.right ?? [] }
  const unsent = new Map<string, readonly string[]>([['wrong-credentials', ['b', 'c']]])
  assert.equal(unsentFirst(variety, unsent), { ...variety, wrong: [[wrong('b'), wrong('c')]] })
  noteSent(unsent, [logon('t'), wrong('b').action])
  assert.equal(unsentFirst(variety, unsent).wrong, [[wrong('c')]])
  noteSent(unsent, [wrong('c').action])
  assert.equal(unsentFirst(variety, unsent), variety)
})

test('there is a variation of each kind to draw from, and each is one of its family', () => {
  const variables = { username: 'operator', password: 'Correct-Horse-7-Staple' }
  const context = { session: { tokens: [{ value: '0123456789abcdef'.repeat(4) }] }, parts: { variables } }
  const variety = varietyOf(SUITE, context, { ...FEATURES, http10: false })
  assert.equal(Object.keys(variety).sort(), Object.keys(VARIETY).sort())
  for (const { action: each } of Object.values(variety).flat(2)) {
    const { requirements, ...scope } = SUITE
    const steps = lower([logon('a'), each], BOUNDS) ?? lower([logon('a'), { ...each, token: 'a' }], BOUNDS)
    assert.ok(steps, JSON.stringify(each))
    assert.ok(toSpec(steps, { id: 'x', title: 'x', requirements: [] }, scope))
  }
  assert.ok(variety.bare?.flat().every(({ action }) => action.only !== 'HTTP/1.0'))
  assert.is(variety.place?.length, 4, 'those of each family apart: a large one is not drawn more often')
})

test('a request departs in some ways at once that go together, and a good one by what this Core takes', () => {
  const ways = ({ each = [], only = [] }: Action) => [[each].flat(), [only].flat()] as const
  const forms = Array.from({ length: 60 }, (_, pick) => ways(inForm(use('a'), FORMS.all, pick))[1])
  assert.ok(forms.some(({ length }) => length === 1) && forms.some(({ length }) => length > 12))
  for (const names of forms) assert.is(new Set(names).size, names.length)
  assert.equal(inForm(use('a'), FORMS.all, 7), inForm(use('a'), FORMS.all, 7))
  const isUse = (forms: Forms, ...only: string[]) =>
    lower([logon('a'), { ...use('a'), each: only, only }], { ...BOUNDS, forms })?.at(-1)?.kind === 'open'
  assert.ok(isUse(FORMS, 'names in small letters', 'a cookie'))
  assert.not.ok(isUse(FORMS, 'a JSON body'), 'nobody saw that it takes one')
  assert.not.ok(isUse(FORMS, '20 header fields more'), 'how many header fields a Core takes is its own affair')
  const shapes = new ShapeBook()
  const taken = ['a JSON body', 'Accept XML', 'a query']
  for (const { variations } of SUITE.families.values())
    for (const each of variations.filter(({ name }) => taken.includes(name)))
      shapes.note(roleRequest(PARTS, 'probe'), each)
  shapes.turn()
  const known = formsOf(SUITE, { parts: PARTS, session: { tokens: [] }, shapes } as never, true)
  assert.ok(isUse(known, 'a JSON body', 'a cookie'))
  assert.not.ok(isUse(known, 'a JSON body', 'Accept XML'), 'nobody saw that it takes both at once')
  const both = taken.slice(0, 2)
  const steps = lower([logon('a'), { ...use('a'), each: both, only: both }], { ...BOUNDS, forms: known }) ?? []
  assert.is(unsureIn(steps, { 'form-1.accepted': 'none' }).length, 1)
  assert.is(unsureIn(steps, { 'form-1.accepted': both.join(' and ') }).length, 0)
  known.whole.set(wholeOf({ only: both }), true)
  assert.ok(isUse(known, ...both), 'a fresh token was taken with both')
  assert.not.ok(isUse(known, 'a query'), 'another target may be another thing')
  // A cookie of its own would take the place of the one with the token.
  const carrier = { name: 'cookie token', listed: { name: 'cookie token', headers: { Cookie: 'token={token}' } } }
  const varied = { ...use('a'), each: 'token-cookies', only: 'cookie token' }
  const beside = Array.from(
    { length: 60 },
    (_, pick) => ways(inForm(varied, FORMS.plain, pick, { own: carrier }))[1],
  ).flat()
  assert.ok(beside.includes('X-Forwarded-For') && !beside.includes('a cookie'))
})

test('what must be refused is drawn by what has met least, so that each of it is sent before one comes again', async () => {
  const draw = await sequenceDrawer(1)
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const lookAlikes = names.map(only => varied({ send: 'probe', each: 'token-lookalikes', only }))
  const variety: Variety = { ...VARIETY, 'look-alike': [lookAlikes] }
  const limits = { ...BOUNDS, features: FEATURES, variety, forms: FORMS, requests: 60, leftMs: 1e12, met: new Met() }
  const firstOf = ({ only = [] }: Action) => [only].flat()[0] ?? ''
  const sent = actionsOf(draw('rows', 0), limits)
    .map(firstOf)
    .filter(name => names.includes(name))
  assert.ok(sent.length >= names.length, sent.join(' '))
  assert.is(new Set(sent.slice(0, names.length)).size, names.length, sent.join(' '))
})

test('of a finding only what it needs is left in the form of each request', async () => {
  const formed = { ...use('a'), each: ['orders', 'clients', 'arrivals'], only: ['names in capitals', 'x', 'y'] }
  const about = { ...use('a'), each: ['token-cookies', 'clients'], only: ['cookie token', 'x'] }
  const needs = (some: readonly Action[]) => some.some(({ only }) => [only].flat().includes('names in capitals'))
  const { actions, isShortest } = await shrink([logon('a'), formed], async some => needs(some) && some.length === 2)
  assert.equal(actions, [logon('a'), { ...use('a'), each: 'orders', only: 'names in capitals' }])
  assert.ok(isShortest)
  const { actions: left } = await shrink([logon('a'), about], async some => some.length === 2)
  assert.equal(left, [logon('a'), { ...use('a'), each: 'token-cookies', only: 'cookie token' }])
})

test('nothing is sent beside a request with variations, which are sent one after another', () => {
  const formed = { ...use('a'), each: 'orders', only: 'names in capitals' }
  assert.ok(lower([logon('a'), formed, use('a')], BOUNDS))
  assert.is(lower([logon('a'), formed, { ...use('a'), beside: true }], BOUNDS), undefined)
})

test('a Core with a short lifetime is asked more often, one with an hour twice a second at most', () => {
  assert.equal([spacingOf(HOUR), spacingOf(HOUR / 6), spacingOf(12_000)], [500, 500, 10])
})

test('a shrunk sequence shows what it showed, and nothing can be left out of it', async () => {
  const actions = [logon('a'), use('a'), logon('b'), use('b'), revoke('a'), use('b'), use('a'), use('b')]
  const shows = (some: readonly Action[]) => {
    const revoked = some.findIndex(({ send, token }) => send === 'revoke' && token === 'a')
    const isLooked = some.slice(revoked).some(({ send, token }) => send === 'probe' && token === 'a')
    return revoked >= 0 && isLooked && some.some(({ logon: name }) => name === 'b')
  }
  const { actions: left, isShortest } = await shrink(actions, async some => shows(some))
  assert.equal(left, [logon('a'), logon('b'), revoke('a'), use('a')])
  assert.ok(isShortest)
  for (const index of left.keys()) assert.not.ok(shows(without(left, index, index + 1)), `without step ${index}`)
  const cut = await shrink(actions, async () => undefined)
  assert.equal(cut, { actions, isShortest: false })
})

test('a sequence is done several times over with tokens of its own each time', () => {
  const twice = repeatActions([logon('a'), use('a'), { send: 'probe', token: 'unknown' }], 2)
  assert.equal(
    twice.map(({ logon: name, token }) => name ?? token),
    ['a', 'a', 'unknown', 'a-1', 'a-1', 'unknown'],
  )
})

test('a valid token that is rejected breaks what its shortest sequence shows to have ended it', () => {
  const brokenBy = (isShortest: boolean, actions: Action[]) => {
    const steps = lower(actions, BOUNDS) ?? []
    return requirementOf({ steps, at: steps.length - 1, kind: 'open' }, isShortest)
  }
  const broken = (...actions: Action[]) => brokenBy(true, actions)
  // Where steps may be needless, it is told only what was seen.
  const several = [logon('a'), logon('b'), revoke('b'), logon('c'), use('a')]
  assert.equal([brokenBy(false, several), brokenBy(true, several)], ['ACCESS-2', 'LOGON-4'])
  assert.is(brokenBy(false, [logon('a'), logon('b'), use('a')]), 'LOGON-4')
  assert.is(broken(logon('a'), use('a')), 'ACCESS-2')
  assert.is(broken(logon('a'), logon('b'), revoke('b'), use('a')), 'REVOKE-2')
  assert.is(broken(logon('a'), logon('b'), use('a')), 'LOGON-4')
  assert.is(broken(logon('a'), { ...revoke('a'), without: ['Host'] }, use('a')), 'HOST-2')
  // The latest actions, and only since the token was seen alive, unless one may take effect late.
  const bare: Action = { send: 'probe', without: ['Host'] }
  assert.is(broken(logon('a'), use('a'), bare, logon('b'), use('a')), 'LOGON-4')
  assert.is(broken(logon('a'), logon('b'), use('a'), use('b'), use('a')), 'ACCESS-2')
  assert.is(broken(logon('a'), logon('b'), use('b'), use('a')), 'ACCESS-2', 'a use that is needed ended it')
  assert.is(broken(logon('a'), bare, use('a'), { later: true }, use('a')), 'HOST-2')
  assert.is(broken(logon('a'), until('a', '80%'), use('a')), 'IDLE-3')
  assert.is(broken(logon('a'), logon('b'), until('a', '80%'), use('a')), 'IDLE-3', 'a wait that is needed ended it')
  assert.is(broken(logon('a'), until('a', '60%'), use('a'), until('a', '60%'), use('a')), 'IDLE-2')
})

test('the file of a finding says it in words, and is the spec that was run', async () => {
  const often = Array.from({ length: 12 }, () => use('a'))
  const beside = { ...use('b'), beside: true } as const
  const actions = [logon('a'), logon('b'), ...often, revoke('a'), beside, { later: true } as const, use('a'), use('a')]
  const steps = lower(actions, BOUNDS) ?? []
  assert.is(joinRepeats(steps).length, 7)
  const ledger = { ...SUITE, probePath: '/api/v0/cores/self/users', seed: 3 }
  const found = await describe({ steps, kind: 'revoked' }, 'REVOKE-1', ledger)
  assert.match(found.id, /^found-revoke-1-[0-9a-f]{8}$/)
  for (const words of [
    '--seed 3',
    'REVOKE-1: DELETE',
    'log on and get token a',
    '12 times: accepted',
    `--only ${found.id}`,
  ])
    assert.ok(found.yaml.includes(words), `${words} is not in\n${found.yaml}`)
  const folder = makeFolder()
  writeFileSync(join(folder, `${found.id}.yaml`), found.yaml)
  const loaded = loadSuite([
    { path: join(import.meta.dirname, '..', 'specs'), label: 'specs' },
    { path: folder, label: 'found' },
  ])
  const spec = loaded.specs.find(({ id }) => id === found.id)
  assert.equal(spec, found.spec)
})

test('of what is certain and does not repeat the first is reported, and what repeats is looked for still', () => {
  const tally = new Tally(1)
  const finding = (id: string, state: 'certain' | 'confirmed') => ({ id, state }) as FindingRecord
  const taken = (id: string, state: 'certain' | 'confirmed') => tally.take(finding(id, state), 'place')
  assert.is(tally.mayPursue('place'), true)
  assert.equal([taken('one', 'certain'), taken('two', 'certain')], [true, false])
  assert.is(tally.mayPursue('place'), true)
  assert.equal([taken('three', 'confirmed'), taken('three', 'confirmed')], [true, false])
  assert.is(tally.mayPursue('place'), false)
  assert.is(tally.mayPursue('none'), true)
  assert.equal(
    tally.told(0).findings.map(({ id }) => id),
    ['one', 'three'],
  )
})

test('what hardly repeats is told with its counts, and fails only where the reference leaves no room for it', async () => {
  const actions: Action[] = [logon('a'), revoke('a'), use('a')]
  const steps = lower(actions, BOUNDS) ?? []
  const ledger = { ...SUITE, probePath: '/api/v0/cores/self/users', seed: 1 }
  const parts = { id: 'explored-0', title: 'a sequence', requirements: [] }
  const passed = notRun(toSpec(steps, parts, SUITE), 'passed', '')
  const means = { bounds: BOUNDS, ledger, run: async () => ({ end: passed }), hasTime: () => true, wrongLeft: () => 9 }
  const pursued = (isCertain: boolean) => {
    const end = { ...passed, isCertain, record: { ...passed.record, outcome: 'failed' as const, message: 'seen' } }
    return pursue({ actions, steps, at: 2, kind: 'revoked' }, end, means)
  }
  const flaky = await pursued(false)
  assert.equal([flaky.finding.state, flaky.finding.seen, flaky.finding.tries, flaky.failed], ['flaky', 1, 3, undefined])
  const certain = await pursued(true)
  assert.equal([certain.finding.state, certain.finding.requirement], ['certain', 'REVOKE-1'])
  assert.match(certain.failed?.end.record.message ?? '', /seen in 1 of 3 tries, and the reference leaves no room/)
  assert.is(certain.failed?.end.record.id, certain.finding.id)
})

test('the last request alone, with what it needs', () => {
  const wrong: Action = { send: 'logon', each: 'wrong-credentials', only: 'an empty user name' }
  assert.equal(lastAlone([logon('a'), use('a'), wrong]), [wrong])
  assert.equal(lastAlone([logon('a'), logon('b'), use('a'), use('b')]), [logon('b'), use('b')])
  const beside: Action = { ...use('a'), beside: true }
  assert.equal(lastAlone([logon('a'), logon('b'), use('b'), beside]), [logon('a'), logon('b'), use('b'), beside])
})

test('requests are apart from each other, and those of a burst on the average', async () => {
  let now = 0
  const pauses: number[] = []
  const pace = new Spaced(
    () => now,
    500,
    async ms => {
      pauses.push(ms)
      now += ms
    },
  )
  for (let sent = 0; sent < 3; sent++) await pace.admit()
  await pace.reserve(3)
  for (let sent = 0; sent < 3; sent++) await pace.admit()
  await pace.admit()
  assert.equal(pauses, [500, 500, 500, 1500])
  assert.is(pace.requests, 7)
})

test.run()
