/** The judge of a history, without a Core: histories that models of devices make, honest ones and faulty ones. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isMadeOf } from '../dist/engine/keep-history.js'
import type { HistoryEntry, KnownHabits } from '../dist/result.js'
import { doubtsFrom, judgeHistory } from '../dist/run/judge/judge.js'
import { livedOn, livesOf } from '../dist/run/judge/lives.js'
import { FAULT_NAMES } from './support/histories/device.js'
import { FAULTS, faulty, HONEST, honest, judged, played } from './support/histories/kinds.js'

const test = suite('run judge')

const HOUR = 3_600_000
const LIFETIME = { lifetimeMs: HOUR, tolerance: 0.05 }
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

/** A history of requests one after another: when each was sent, what it was, its status, and its token, which a logon issues. */
const brief = (text: string) =>
  text.split(',').map((each): HistoryEntry => {
    const [, sent, kind, code, token] =
      /^\s*(\S+) (wrong logon|logon|use|revocation|no host) (\d+)(?: (\w+))?$/.exec(each) ?? []
    if (kind === undefined) throw new Error(`no request: ${each}`)
    const [sentAt, status] = [Number(sent), Number(code)]
    const answer = status < 300 ? 'accepted' : 'refused'
    const carried = token === undefined ? {} : kind === 'logon' ? { issued: token } : { token }
    const request = { sentAt, receivedAt: sentAt + 5, told: '', kind: kind as HistoryEntry['kind'] }
    return { ...request, answer, status, ...carried }
  })

test('wrong logons in a row may lock an account, however long ago the first of them were', () => {
  const history = brief(`
    0 wrong logon 401, 20 wrong logon 401, ${HOUR} wrong logon 401, ${HOUR + 20} logon 401,
    ${HOUR + 40} logon 401, ${HOUR + 9000} logon 201 a`)
  assert.equal(causes(history), ['lock-out', 'lock-out'])
  // A good logon between them: what came before it is long over.
  const [first, ...others] = history
  const again = first ? [first, ...brief('10 logon 201 b'), ...others] : []
  assert.not.ok(causes(again).includes('lock-out'))
})

test('a logon is not refused by an answer that the run came to know as being turned away', () => {
  const [refused, ...others] = brief('0 logon 403, 2000 logon 403, 4000 logon 201 a')
  const known = others.map(each => (each.status === 403 ? { ...each, answer: 'turned away' as const } : each))
  assert.equal(causes(refused ? [refused, ...known] : []), [])
  // Wrong credentials get the same: then it is how this Core refuses logons.
  const wrong = brief('6000 wrong logon 403')
  assert.equal(causes(refused ? [refused, ...known, ...wrong] : []), ['refuses-logons'])
})

test('tokens that end together after the longest time without use are no restart', () => {
  const history = brief(`
    0 logon 201 a, 10 logon 201 b, 20 use 200 a, 30 use 200 b, 60000 use 200 a, 60010 use 200 b,
    900000 use 401 a, 900010 use 401 b`)
  assert.equal(causes(history), ['ends-early', 'ends-early'])
})

test('a logon that succeeds without a token is no limit, however fast it came', () => {
  const history = brief('0 logon 201 a, 10 logon 201, 1500 logon 201 b, 1510 logon 201')
  assert.equal(causes(history), ['issues-nothing', 'issues-nothing'])
  // Beside as many tokens each time it is lack of room.
  const full = brief('0 logon 201 a, 10 logon 201, 20 revocation 204 a, 30 logon 201 b, 40 logon 201')
  assert.equal(causes(full), ['logon-room', 'logon-room'])
})

test('a Core that refuses logons beside fewer tokens than it held has no little room', () => {
  const held = brief('0 logon 201 a, 10 logon 201 b, 20 logon 201 c, 30 wrong logon 401, 40 revocation 204 c')
  const refused = brief('70000 logon 401, 140000 logon 401')
  assert.equal(causes([...held, ...refused]), ['refuses-logons', 'refuses-logons'])
  assert.equal(causes([...held.slice(0, -1), ...refused]), ['logon-room', 'logon-room'])
})

test('what ended a token is what fits to those that died and to no other', () => {
  const history = brief(`
    0 logon 201 a, 10 use 200 a, 20 wrong logon 401, 30 use 200 a, 40 logon 201 b, 50 use 401 a,
    60 use 200 b, 70 wrong logon 401, 80 use 200 b, 90 logon 201 c, 100 use 401 b, 110 use 200 c`)
  assert.equal(causes(history), ['logon-ends-tokens', 'logon-ends-tokens'])
})

test('a token that died behind a request without Host was ended by that, where others died behind none', () => {
  const history = brief(`
    0 logon 201 a, 10 use 200 a, 20 no host 406, 30 use 401 a, 40 logon 201 b, 50 use 200 b, 60 logon 201 c,
    70 use 200 b, 80 no host 406, 90 use 401 b, 100 wrong logon 401, 110 use 200 c, 120 revocation 204 c`)
  assert.equal(causes(history), ['no-host-ends-tokens', 'no-host-ends-tokens'])
})

test('time alone did not end a token where one lived on that was as old, and unused for as long', () => {
  const past = brief(`0 logon 201 a, 10 logon 201 b, ${HOUR / 2} use 401 a, ${HOUR / 2 + 10} use 200 b`)
  const [a, b] = livesOf(past)
  const [, , refused] = past
  assert.ok(a && b && refused)
  assert.ok(livedOn(a, refused, [a, b]))
  assert.not(livedOn(a, refused, [a]), 'it is no other than itself')
  const used = brief(
    `0 logon 201 a, 10 logon 201 b, ${HOUR / 4} use 200 b, ${HOUR / 2} use 401 a, ${HOUR / 2 + 10} use 200 b`,
  )
  assert.not(livedOn(a, refused, livesOf(used)), 'the other was used meanwhile')
})

test('a token that ends a lifetime after its logon ended by its age, though others were revoked meanwhile', () => {
  // One token is old, and used all the time; younger ones come and go.
  const young = Array.from({ length: 60 }, (_, index) => {
    const [at, y] = [(index * HOUR) / 40, `y${index}`]
    return `${at + 10} use 200 a, ${at + 20} logon 201 ${y}, ${at + 30} use 200 ${y}, ${at + 40} use 200 a, ${at + 50} revocation 204 ${y}`
  })
  assert.equal(causes(brief(`0 logon 201 a, ${young}, ${1.51 * HOUR} use 401 a`)), ['counts-no-use'])
})

test('a doubt says what was seen, and when', () => {
  const history = brief('0 logon 201 a, 1000 use 200 a, 2000 logon 401, 3000 revocation 204 a, 4000 use 200 a').map(
    entry => ({ ...entry, told: `${entry.kind}: ${entry.status}` }),
  )
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

test('a revocation that is refused and then taken refused a valid token; where it is refused twice, the token had died', () => {
  const refused = (status: number) =>
    causes(brief(`0 logon 201 a, 1000 use 200 a, 2000 revocation 401 a, 3000 revocation ${status} a`))
  assert.equal(refused(204), ['refuses-revocations'])
  assert.equal(refused(401), ['forgets-tokens'])
  // It may have been turned away.
  assert.equal(causes(brief('0 logon 201 a, 1000 use 200 a, 2000 revocation 401 a')), [])
})

test('what tokens do that depend on each other, or need time, is explained by that', () => {
  const died = brief('0 logon 201 a, 10 use 401 a, 500 use 200 a')
  assert.equal(causes(died), ['refuses-good-tokens'])
  assert.equal(causes(died, { ...PLAIN, warmsUp: true }), ['warm-up'])
  assert.equal(causes(died, { ...PLAIN, isEntangled: true }), ['entangled-tokens'])
})

test('a machine that slept while a token was unused shows nothing', () => {
  const history = brief('0 logon 201 a, 100 use 401 a').map((entry, at) => ({ ...entry, wallMs: at * 4_000_000 }))
  assert.equal(causes(history), [])
})

test('a token that was made of a short one is no token that nobody was given', () => {
  const made = [' 123456', '123457', '12345678', '23456'].map(token => isMadeOf(token, ['123456']))
  assert.equal(made, [true, true, true, true])
  assert.equal([isMadeOf('123456', ['123456']), isMadeOf('987987', ['123456'])], [false, false])
  const history = (isMade?: true) =>
    brief('0 logon 201 123456, 20 use 200 other').map((entry, at) => (at && isMade ? { ...entry, isMade } : entry))
  assert.equal(causes(history()), ['accepts-unknown-tokens'])
  assert.equal(causes(history(true)), [], 'a spec judges it')
})

test.run()
