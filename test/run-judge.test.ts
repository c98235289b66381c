/** The judge of a history, without a Core: histories of devices that are honest or faulty, made from models of them. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { HistoryEntry } from '../dist/run/history.js'
import type { KnownHabits } from '../dist/run/judge/causes.js'
import { doubtsFrom, judgeHistory } from '../dist/run/judge/judge.js'

const test = suite('run judge')

const LIFETIME = { lifetimeMs: 3_600_000, tolerance: 0.05 }
const PLAIN: KnownHabits = { isEntangled: false, warmsUp: false }
/** Histories of each kind; `--all` in CI could take more, and 20,000 of each were seen to hold. */
const RUNS = Number(process.env.HISTORIES ?? 1000)

/** What a run does: the numbers choose among the tokens that it holds. */
type Action =
  | { do: 'log on' }
  | { do: 'log on wrongly' }
  | { do: 'use' | 'revoke'; which: number }
  | { do: 'wait'; ms: number }
  | { do: 'restart' }

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ do: 'log on' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'log on wrongly' as const }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('use' as const), which: fc.nat(40) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), which: fc.nat(40) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(4_000_000) }) },
)

/** How a device treats requests, where the reference is silent or where it is broken. */
interface Habits {
  /** It keeps so many tokens, and drops the oldest for a newer one. */
  keeps?: number
  /** It has room for so many tokens, and refuses further logons with this status. */
  room?: { tokens: number; status: 401 | 429 }
  /** The number of the exchange, among those that could show it, in which it breaks the reference once. */
  fault?: { kind: 'refuses a logon' | 'forgets a token' | 'refuses a token once' | 'issues a dead token'; at: number }
}

/** Plays actions on a device, and returns the history with whether the fault had its chance to show. */
function play(
  actions: readonly Action[],
  { keeps, room, fault }: Habits,
): { history: HistoryEntry[]; isShown: boolean } {
  const history: HistoryEntry[] = []
  const live = new Map<string, number>()
  const held: string[] = []
  const stillborn = new Set<string>()
  const issuedMs = new Map<string, number>()
  let nowMs = 0
  let made = 0
  let chances = 0
  let isShown = false
  const hits = (kind: NonNullable<Habits['fault']>['kind']) => fault?.kind === kind && chances++ === fault.at
  const note = (entry: Omit<HistoryEntry, 'sentAt' | 'receivedAt' | 'told'>) => {
    history.push({ ...entry, sentAt: nowMs, receivedAt: nowMs + 5, told: `${entry.kind}: ${entry.status}` })
    nowMs += 10
  }
  const expire = () => {
    for (const [token, usedMs] of live) if (nowMs - usedMs > LIFETIME.lifetimeMs) live.delete(token)
  }
  const logOn = (): boolean => {
    expire()
    const isFull = room !== undefined && live.size >= room.tokens
    if (isFull || hits('refuses a logon')) {
      const status = isFull ? room.status : 401
      isShown ||= !isFull
      note({
        kind: 'logon',
        answer: status === 429 ? 'turned away' : 'refused',
        status,
        ...(status === 429 && { asksToWait: true }),
      })
      return false
    }
    const token = `token-${made++}`
    if (hits('issues a dead token')) stillborn.add(token)
    else live.set(token, nowMs)
    if (keeps !== undefined && live.size > keeps) live.delete([...live.keys()][0] ?? '')
    held.push(token)
    issuedMs.set(token, nowMs)
    note({ kind: 'logon', answer: 'accepted', status: 201, issued: token })
    return true
  }
  const use = (token: string) => {
    expire()
    const isAlive = live.has(token)
    const isYoung = nowMs + 10 - (live.get(token) ?? 0) < LIFETIME.lifetimeMs * (1 - LIFETIME.tolerance)
    const isRefused = isAlive && isYoung && hits('refuses a token once')
    isShown ||= isRefused || (stillborn.has(token) && nowMs - (issuedMs.get(token) ?? 0) < LIFETIME.lifetimeMs / 2)
    if (isAlive) live.set(token, nowMs)
    note({
      kind: 'use',
      token,
      answer: isAlive && !isRefused ? 'accepted' : 'refused',
      status: isAlive && !isRefused ? 200 : 401,
    })
    return isRefused
  }
  const tokenAt = (which: number) => held[held.length - 1 - (which % Math.max(1, held.length))]
  for (const each of actions) {
    const token = 'which' in each ? tokenAt(each.which) : undefined
    if (each.do === 'log on' && !logOn()) logOn()
    if (each.do === 'log on wrongly') note({ kind: 'wrong logon', answer: 'refused', status: 401 })
    if (each.do === 'wait') nowMs += each.ms
    if (each.do === 'restart') {
      // What is there before and after is what tells a restart from a token that died.
      for (const one of held) use(one)
      live.clear()
      for (const one of held) use(one)
    }
    if (each.do === 'use' && token !== undefined) {
      expire()
      if (live.has(token) && hits('forgets a token')) {
        // It was alive right before, so nothing but the device ended it.
        use(token)
        live.delete(token)
        isShown = true
        use(token)
      } else if (use(token)) use(token)
    }
    if (each.do === 'revoke' && token !== undefined) {
      live.delete(token)
      held.splice(held.indexOf(token), 1)
      note({ kind: 'revocation', token, answer: 'accepted', status: 204 })
      note({ kind: 'use', token, answer: 'refused', status: 401 })
    }
  }
  // Each token that is left is looked at once more, as a run does when it gives tokens back.
  for (const token of held) if (use(token)) use(token)
  return { history, isShown }
}

const requirements = (history: readonly HistoryEntry[], known = PLAIN) =>
  doubtsFrom(judgeHistory(history, LIFETIME, known), history).map(({ requirement }) => requirement)

const causes = (history: readonly HistoryEntry[], known = PLAIN) => [
  ...new Set(judgeHistory(history, LIFETIME, known).map(({ cause }) => cause?.name)),
]

test('an honest device is never in doubt, whatever a run does', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), actions => {
      assert.equal(requirements(play(actions, {}).history), [])
    }),
    { numRuns: RUNS, seed: 1 },
  )
})

test('a device that keeps only its newest tokens is explained by the room that the run counted', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (actions, keeps) => {
      assert.equal(requirements(play(actions, { keeps }).history, { ...PLAIN, room: keeps }), [])
    }),
    { numRuns: RUNS, seed: 2 },
  )
})

test('a device with room for some tokens refuses further logons, as a limit or as if the password were wrong', () => {
  const room = fc.record({
    tokens: fc.integer({ min: 1, max: 8 }),
    status: fc.constantFrom(401 as const, 429 as const),
  })
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), room, (actions, room) => {
      assert.equal(requirements(play(actions, { room }).history), [])
    }),
    { numRuns: RUNS, seed: 3 },
  )
})

test('a restart explains the end of all tokens, where several tell of it', () => {
  const many = fc.array(action, { minLength: 10, maxLength: 40 })
  fc.assert(
    fc.property(many, many, (before, after) => {
      const { history } = play(
        [
          { do: 'log on' },
          { do: 'log on' },
          ...before,
          { do: 'log on' },
          { do: 'log on' },
          { do: 'restart' },
          ...after,
        ],
        {},
      )
      assert.equal(requirements(history), [])
    }),
    { numRuns: RUNS, seed: 4 },
  )
})

const FAULTS = [
  ['refuses a logon', ['LOGON-1']],
  ['issues a dead token', ['LOGON-1']],
  ['refuses a token once', ['ACCESS-2']],
  ['forgets a token', ['IDLE-3', 'LOGON-4', 'REVOKE-2', 'LOGON-1']],
] as const

for (const [kind, accused] of FAULTS) {
  test(`a device that ${kind} in one exchange, wherever it stands, is in doubt`, () => {
    let shown = 0
    fc.assert(
      fc.property(fc.array(action, { minLength: 5, maxLength: 60 }), fc.nat(15), (actions, at) => {
        const { history, isShown } = play(actions, { fault: { kind, at } })
        if (!isShown) return
        shown++
        const [first, ...others] = requirements(history)
        assert.ok(first !== undefined, 'nothing is in doubt')
        assert.ok(accused.some(id => id === first) && others.length === 0, `${[first, ...others]}`)
      }),
      { numRuns: RUNS, seed: 5 },
    )
    assert.ok(shown > RUNS / 10, `${shown} shown`)
  })
}

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
  assert.equal(doubtsFrom(judgeHistory(history, LIFETIME, PLAIN), history), [
    {
      requirement: 'LOGON-1',
      text: 'a logon with the right credentials was refused (logon: 401, 2 s after the start of the run), and nothing that the run saw explains it',
    },
    {
      requirement: 'REVOKE-1',
      text: 'a token was accepted (use: 200, 4 s after the start of the run) after a revocation that was answered with success',
    },
  ])
})

test('what tokens do that depend on each other, or need time, is explained by that', () => {
  const died: HistoryEntry[] = [
    { sentAt: 0, receivedAt: 5, told: '', kind: 'logon', answer: 'accepted', issued: 'a' },
    { sentAt: 10, receivedAt: 15, told: '', kind: 'use', token: 'a', answer: 'refused', status: 401 },
    { sentAt: 500, receivedAt: 505, told: '', kind: 'use', token: 'a', answer: 'accepted', status: 200 },
  ]
  assert.equal(causes(died), [undefined])
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

test.run()
