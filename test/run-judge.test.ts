/** The judge of a history, without a Core: histories that models of devices make, honest ones and faulty ones. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isMadeOf } from '../dist/engine/keep-history.js'
import type { HistoryEntry, KnownHabits } from '../dist/result.js'
import { doubtsFrom, judgeHistory } from '../dist/run/judge/judge.js'
import { FAULT_NAMES } from './support/histories/device.js'
import { FAULTS, faulty, HONEST, honest, judged, played } from './support/histories/kinds.js'

const test = suite('run judge')

const LIFETIME = { lifetimeMs: 3_600_000, tolerance: 0.05 }
const PLAIN: KnownHabits = { isEntangled: false, warmsUp: false }
/** Histories of each kind; `npm run histories` takes as many as are wanted, of any seed. */
const RUNS = 50
const SEED = 1

const causes = (history: readonly HistoryEntry[], known = PLAIN) =>
  judgeHistory(history, LIFETIME, known).map(({ cause }) => cause.name)

for (const kind of Object.keys(HONEST))
  test(`an honest device is not accused, whatever a run does: ${kind}`, () => {
    fc.assert(
      fc.property(honest(kind), scene => {
        const accused = judged(scene, played(scene).history).filter(({ accuses }) => accuses !== undefined)
        assert.equal(accused, [])
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

test('a fault that shows leaves its requirement in doubt, by the right cause', () => {
  const missed: string[] = []
  let shown = 0
  for (const kind of FAULT_NAMES)
    for (const scene of fc.sample(faulty(kind), { numRuns: RUNS, seed: SEED })) {
      const { history, shown: times } = played(scene)
      const { breaks, causes, isOfSeveral } = FAULTS[kind]
      if (times < (isOfSeveral ? 3 : 1)) continue
      shown++
      const found = judged(scene, history)
      if (!found.some(({ accuses, cause }) => accuses === breaks && causes.includes(cause)))
        missed.push(`${kind}: ${found.map(({ cause }) => cause).join()}`)
    }
  assert.ok(shown > RUNS, `${shown} shown`)
  assert.ok(missed.length <= shown * 0.02, missed.join('\n'))
})

/** A history of requests one after another: when each was sent, what it was, and its token, which a logon issues. */
const brief = (...entries: [sentAt: number, kind: HistoryEntry['kind'], status: number, token?: string][]) =>
  entries.map(([sentAt, kind, status, token]): HistoryEntry => {
    const answer = status < 300 ? 'accepted' : 'refused'
    const carried = token === undefined ? {} : kind === 'logon' ? { issued: token } : { token }
    return { sentAt, receivedAt: sentAt + 5, told: '', kind, answer, status, ...carried }
  })

test('wrong logons in a row may lock an account, however long ago the first of them were', () => {
  const hourMs = 3_600_000
  const history = brief(
    [0, 'wrong logon', 401],
    [20, 'wrong logon', 401],
    [hourMs, 'wrong logon', 401],
    [hourMs + 20, 'logon', 401],
    [hourMs + 40, 'logon', 401],
    [hourMs + 9000, 'logon', 201, 'a'],
  )
  assert.equal(causes(history), ['lock-out', 'lock-out'])
  // A good logon between them: what came before it is long over.
  const [first, ...others] = history
  const again = first ? [first, ...brief([10, 'logon', 201, 'b']), ...others] : []
  assert.not.ok(causes(again).includes('lock-out'))
})

test('tokens that end together after the longest time without use are no restart', () => {
  const history = brief(
    [0, 'logon', 201, 'a'],
    [10, 'logon', 201, 'b'],
    [20, 'use', 200, 'a'],
    [30, 'use', 200, 'b'],
    [60_000, 'use', 200, 'a'],
    [60_010, 'use', 200, 'b'],
    [900_000, 'use', 401, 'a'],
    [900_010, 'use', 401, 'b'],
  )
  assert.equal(causes(history), ['ends-early', 'ends-early'])
})

test('a logon that succeeds without a token is no limit, however fast it came', () => {
  const history = brief([0, 'logon', 201, 'a'], [10, 'logon', 201], [1500, 'logon', 201, 'b'], [1510, 'logon', 201])
  assert.equal(causes(history), ['issues-nothing', 'issues-nothing'])
  // Beside as many tokens each time it is lack of room.
  const full = brief(
    [0, 'logon', 201, 'a'],
    [10, 'logon', 201],
    [20, 'revocation', 204, 'a'],
    [30, 'logon', 201, 'b'],
    [40, 'logon', 201],
  )
  assert.equal(causes(full), ['logon-room', 'logon-room'])
})

test('a Core that refuses logons beside fewer tokens than it held has no little room', () => {
  const held = brief(
    [0, 'logon', 201, 'a'],
    [10, 'logon', 201, 'b'],
    [20, 'logon', 201, 'c'],
    [30, 'wrong logon', 401],
    [40, 'revocation', 204, 'c'],
  )
  const refused = brief([70_000, 'logon', 401], [140_000, 'logon', 401])
  assert.equal(causes([...held, ...refused]), ['refuses-logons', 'refuses-logons'])
  assert.equal(causes([...held.slice(0, -1), ...refused]), ['logon-room', 'logon-room'])
})

test('what ended a token is what fits to those that died and to no other', () => {
  const history = brief(
    [0, 'logon', 201, 'a'],
    [10, 'use', 200, 'a'],
    [20, 'wrong logon', 401],
    [30, 'use', 200, 'a'],
    [40, 'logon', 201, 'b'],
    [50, 'use', 401, 'a'],
    [60, 'use', 200, 'b'],
    [70, 'wrong logon', 401],
    [80, 'use', 200, 'b'],
    [90, 'logon', 201, 'c'],
    [100, 'use', 401, 'b'],
    [110, 'use', 200, 'c'],
  )
  assert.equal(causes(history), ['logon-ends-tokens', 'logon-ends-tokens'])
})

test('a token that ends a lifetime after its logon ended by its age, though others were revoked meanwhile', () => {
  const hourMs = 3_600_000
  // One token is old, and used all the time; younger ones come and go.
  const young = Array.from({ length: 60 }, (_, index): Parameters<typeof brief> => {
    const [atMs, token] = [(index * hourMs) / 40, `y${index}`]
    return [
      [atMs + 10, 'use', 200, 'a'],
      [atMs + 20, 'logon', 201, token],
      [atMs + 30, 'use', 200, token],
      [atMs + 40, 'use', 200, 'a'],
      [atMs + 50, 'revocation', 204, token],
    ]
  }).flat()
  const history = brief([0, 'logon', 201, 'a'], ...young, [1.51 * hourMs, 'use', 401, 'a'])
  assert.equal(causes(history), ['counts-no-use'])
})

test('a doubt says what was seen, and when', () => {
  const at = (sentAt: number, entry: Omit<HistoryEntry, 'sentAt' | 'receivedAt' | 'told'>): HistoryEntry => ({
    ...entry,
    sentAt,
    receivedAt: sentAt + 5,
    told: `${entry.kind}: ${entry.status}`,
  })
  const history = [
    at(0, { kind: 'logon', answer: 'accepted', status: 201, issued: 'a' }),
    at(1000, { kind: 'use', token: 'a', answer: 'accepted', status: 200 }),
    at(2000, { kind: 'logon', answer: 'refused', status: 401 }),
    at(3000, { kind: 'revocation', token: 'a', answer: 'accepted', status: 204 }),
    at(4000, { kind: 'use', token: 'a', answer: 'accepted', status: 200 }),
  ]
  assert.equal(doubtsFrom(judgeHistory(history, LIFETIME, PLAIN)), [
    {
      requirement: 'LOGON-1',
      text: 'a logon with the right credentials was refused, and nothing that the run saw explains it (logon: 401, 2 s after the start of the run)',
    },
    {
      requirement: 'REVOKE-1',
      text: 'a token was accepted after a revocation that was answered with success (use: 200, 4 s after the start of the run; before that revocation: 204, 3 s after the start of the run)',
    },
  ])
})

test('a revocation that is refused and then taken refused a valid token; one that is refused twice may have met a dead one', () => {
  const refused = (...further: Parameters<typeof brief>) =>
    causes(brief([0, 'logon', 201, 'a'], [10, 'use', 200, 'a'], [20, 'revocation', 401, 'a'], ...further))
  assert.equal(refused([30, 'revocation', 204, 'a']), ['refuses-revocations'])
  assert.equal(refused([30, 'revocation', 401, 'a']), [])
})

test('what tokens do that depend on each other, or need time, is explained by that', () => {
  const died: HistoryEntry[] = [
    { sentAt: 0, receivedAt: 5, told: '', kind: 'logon', answer: 'accepted', issued: 'a' },
    { sentAt: 10, receivedAt: 15, told: '', kind: 'use', token: 'a', answer: 'refused', status: 401 },
    { sentAt: 500, receivedAt: 505, told: '', kind: 'use', token: 'a', answer: 'accepted', status: 200 },
  ]
  assert.equal(causes(died), ['refuses-good-tokens'])
  assert.equal(causes(died, { ...PLAIN, warmsUp: true }), ['warm-up'])
  assert.equal(causes(died, { ...PLAIN, isEntangled: true }), ['entangled-tokens'])
})

test('a machine that slept while a token was unused shows nothing', () => {
  const history: HistoryEntry[] = [
    { sentAt: 0, receivedAt: 5, wallMs: 0, told: '', kind: 'logon', answer: 'accepted', issued: 'a' },
    {
      sentAt: 100,
      receivedAt: 105,
      wallMs: 4_000_000,
      told: '',
      kind: 'use',
      token: 'a',
      answer: 'refused',
      status: 401,
    },
  ]
  assert.equal(causes(history), [])
})

test('a token that was made of a short one is no token that nobody was given', () => {
  const made = [' 123456', '123457', '12345678', '23456'].map(token => isMadeOf(token, ['123456']))
  assert.equal(made, [true, true, true, true])
  assert.equal([isMadeOf('123456', ['123456']), isMadeOf('987987', ['123456'])], [false, false])
  const history = (isMade?: true) =>
    brief([0, 'logon', 201, '123456'], [20, 'use', 200, 'other']).map((entry, at) =>
      at && isMade ? { ...entry, isMade } : entry,
    )
  assert.equal(causes(history()), ['accepts-unknown-tokens'])
  assert.equal(causes(history(true)), [], 'a spec judges it')
})

test.run()
