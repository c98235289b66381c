/** The kinds of devices whose histories the judge is tried on: honest ones, and ones with a fault, with what it breaks. */
import fc from 'fast-check'
import type { HistoryEntry, KnownHabits } from '../../../dist/result.js'
import { judgeHistory } from '../../../dist/run/judge/judge.js'
import { ACTION, type Action, type Played, play, type World } from './client.js'
import type { Fault, FaultName, Habits } from './device.js'

/** All that makes a history: it is the same each time. */
export interface Scene {
  kind: string
  actions: readonly Action[]
  habits: Habits
  world: World
  fault?: Fault
  /** What the run found out by other means. */
  known: KnownHabits
}

export const TOLERANCE = 0.05
const PLAIN: KnownHabits = { isEntangled: false, warmsUp: false }

const PLAIN_HABITS: fc.Arbitrary<Habits> = fc.record({
  lifetimeMs: fc.constantFrom(20_000, 600_000, 3_600_000),
  lives: fc.double({ min: 0.96, max: 1.04, noNaN: true }),
  refuses: fc.constantFrom(401, 403),
  refusesLogons: fc.constantFrom(401, 403, 400),
  revokesDead: fc.constantFrom(204, 401, 404),
})
const PLAIN_WORLD: fc.Arbitrary<World> = fc.record({
  seed: fc.integer(),
  slowMs: fc.constantFrom(5, 100, 900),
  loses: fc.constantFrom(0, 0, 0, 0.02, 0.1),
  fails: fc.constantFrom(0, 0, 0, 0.05),
  tellsDate: fc.boolean(),
})

/** How an honest kind differs from the plain one. `more` are actions before those that chance draws. */
interface Honest {
  habits?: fc.Arbitrary<Partial<Habits>>
  world?: (actions: number) => fc.Arbitrary<Partial<World>>
  known?: (scene: { habits: Habits }) => Partial<KnownHabits>
  before?: readonly Action[]
}

const SEVERAL: readonly Action[] = [
  { do: 'log on', times: 1 },
  { do: 'log on', times: 1 },
  { do: 'log on', times: 1 },
  { do: 'look at all', which: 0 },
]
const rate = <const S extends number | undefined>(of: 'logons' | 'requests', ...statuses: S[]) =>
  fc.record({
    rate: fc.record({
      of: fc.constant(of),
      times: fc.integer({ min: 3, max: 12 }),
      spanMs: fc.constantFrom(1000, 5000, 10_000),
      status: fc.constantFrom(...statuses),
    }),
  })

/** The honest kinds. */
export const HONEST: Record<string, Honest> = {
  plain: {},
  restarts: {
    before: SEVERAL,
    world: actions =>
      fc.record({ restarts: fc.array(fc.integer({ min: 4, max: actions + 3 }), { minLength: 1, maxLength: 2 }) }),
  },
  'clock set': {
    before: SEVERAL,
    world: actions =>
      fc.record({
        tellsDate: fc.constant(true),
        sets: fc.record({
          at: fc.integer({ min: 4, max: actions + 3 }),
          part: fc.constantFrom(-1.5, -0.6, -0.2, 0.2, 0.6, 0.9, 1.5, 20),
        }),
      }),
  },
  'room that refuses': {
    habits: fc.record({
      room: fc.record({
        tokens: fc.integer({ min: 1, max: 8 }),
        full: fc.constantFrom(401 as const, 409 as const, 429 as const, 503 as const),
      }),
    }),
  },
  'room that the run counted': {
    habits: fc.record({
      room: fc.record({
        tokens: fc.integer({ min: 2, max: 8 }),
        full: fc.constantFrom('oldest' as const, 'least used' as const),
      }),
    }),
    known: ({ habits }) => (habits.room ? { room: habits.room.tokens } : {}),
  },
  'back ends': {
    habits: fc.record({ backEnds: fc.integer({ min: 2, max: 3 }) }),
    known: () => ({ isEntangled: true }),
  },
  'rate of requests': { habits: rate('requests', 429, 503, undefined) },
  'rate of logons': { habits: rate('logons', 429, 503, undefined) },
  ban: {
    before: [...SEVERAL, ...Array.from({ length: 14 }, (): Action => ({ do: 'use an unknown token', which: 0 }))],
    habits: fc.record({
      ban: fc.record({
        refusals: fc.integer({ min: 6, max: 16 }),
        forMs: fc.integer({ min: 2000, max: 10_000 }),
        as: fc.constantFrom(429 as const, 'closed' as const, 'as a refusal' as const),
      }),
    }),
  },
  'lock-out': {
    habits: fc.record({
      locks: fc.record({ after: fc.integer({ min: 3, max: 5 }), forMs: fc.integer({ min: 1000, max: 60_000 }) }),
    }),
  },
  'warm-up': {
    habits: fc.record({ warmUpMs: fc.integer({ min: 20, max: 2000 }) }),
    known: () => ({ warmsUp: true }),
  },
  'bad way': {
    world: () =>
      fc.record({
        loses: fc.constantFrom(0.1, 0.3),
        fails: fc.constantFrom(0, 0.2),
        slowMs: fc.constantFrom(100, 900),
      }),
  },
}

/** Draws the scenes of one honest kind. */
export function honest(kind: string): fc.Arbitrary<Scene> {
  const { habits = fc.constant({}), world = () => fc.constant({}), known, before = [] } = HONEST[kind] ?? {}
  return fc.array(ACTION, { minLength: 3, maxLength: 25 }).chain(actions =>
    fc
      .record({ own: PLAIN_HABITS, habits, way: PLAIN_WORLD, world: world(actions.length) })
      .map(({ own, habits, way, world }) => {
        const all = { ...own, ...habits }
        return {
          kind,
          actions: [...before, ...actions],
          habits: all,
          world: { ...way, ...world },
          known: { ...PLAIN, ...known?.({ habits: all }) },
        }
      }),
  )
}

/**
 * For each fault the requirement that it breaks, and the causes of which the judge is to name one. Where tokens end, what ended
 * them shows in several only: one could be chance.
 */
export const FAULTS: Record<FaultName, { breaks: string; causes: readonly string[]; isOfSeveral?: true }> = {
  'refuses a good logon': { breaks: 'LOGON-1', causes: ['refuses-logons'] },
  'refuses a good logon beside an old token': { breaks: 'LOGON-1', causes: ['refuses-logons'] },
  'refuses a good logon beside a wrong one': { breaks: 'LOGON-1', causes: ['refuses-logons'] },
  'answers a good logon without a token': { breaks: 'LOGON-1', causes: ['issues-nothing'] },
  'issues a dead token': { breaks: 'LOGON-1', causes: ['dead-at-birth'], isOfSeveral: true },
  'ends a token at a logon': { breaks: 'LOGON-4', causes: ['logon-ends-tokens'], isOfSeveral: true },
  'ends a token at a wrong logon': { breaks: 'LOGON-4', causes: ['wrong-logon-ends-tokens'], isOfSeveral: true },
  'ends a token at a request without Host': { breaks: 'HOST-2', causes: ['no-host-ends-tokens'], isOfSeveral: true },
  'ends a token at a revocation of another': {
    breaks: 'REVOKE-2',
    causes: ['revocation-ends-others'],
    isOfSeveral: true,
  },
  'issues a token twice': { breaks: 'LOGON-1', causes: ['issued-twice'] },
  'accepts a revoked token': { breaks: 'REVOKE-1', causes: ['revocation-without-effect'] },
  'accepts a revoked token for a while': { breaks: 'REVOKE-1', causes: ['late-revocation'] },
  'accepts a revoked token later': { breaks: 'REVOKE-1', causes: ['revocation-undone', 'revocation-without-effect'] },
  'accepts a revoked token after some looks': { breaks: 'REVOKE-1', causes: ['revocation-undone'] },
  'refuses a revocation': { breaks: 'REVOKE-1', causes: ['refuses-revocations'] },
  'accepts a token that was never issued': { breaks: 'ACCESS-1', causes: ['accepts-unknown-tokens'] },
  'refuses a valid token once': { breaks: 'ACCESS-2', causes: ['refuses-good-tokens'] },
  'ends tokens early': { breaks: 'IDLE-3', causes: ['ends-early'], isOfSeveral: true },
  'forgets a token': { breaks: 'IDLE-3', causes: ['forgets-tokens'], isOfSeveral: true },
  'accepts expired tokens': { breaks: 'IDLE-1', causes: ['outlives-its-lifetime'] },
  'revives an expired token that is used': { breaks: 'IDLE-1', causes: ['revives-expired-tokens'] },
  'counts no use': { breaks: 'IDLE-2', causes: ['counts-no-use'], isOfSeveral: true },
}

/** How often a fault takes its chance: where every use is one, or where it has a reason of its own, not as it comes. */
function chances(name: FaultName): fc.Arbitrary<number> {
  if (name === 'refuses a valid token once' || name === 'forgets a token') return fc.constantFrom(0.1, 0.03)
  return name.startsWith('refuses a good logon beside') ? fc.constant(1) : fc.constantFrom(1, 0.5, 0.2)
}

/** Draws the scenes of one fault: it shows at every chance, at some, or at one only. */
export function faulty(name: FaultName): fc.Arbitrary<Scene> {
  return fc.record({
    kind: fc.constant(name),
    actions: fc.array(ACTION, { minLength: 5, maxLength: 25 }),
    habits: PLAIN_HABITS,
    // A logon without an answer may have taken the room of others: then no refusal tells a fault.
    world: name.includes('a good logon') ? PLAIN_WORLD.map(world => ({ ...world, loses: 0 })) : PLAIN_WORLD,
    fault: fc.record(
      {
        name: fc.constant(name),
        chance: chances(name),
        only: fc.nat(12),
        way: fc.nat(7),
        time: fc.double({ min: 0, max: 1, noNaN: true }),
      },
      { requiredKeys: ['name', 'chance', 'way', 'time'] },
    ),
    known: fc.constant(PLAIN),
  })
}

/** Plays a scene. */
export function played({ actions, habits, world, fault }: Scene): Played {
  return play(actions, habits, world, fault)
}

/** What the judge makes of a history: for each contradiction its kind, its cause, and the requirement that this accuses. */
export function judged({ habits, known }: Scene, history: readonly HistoryEntry[]) {
  const lifetime = { lifetimeMs: habits.lifetimeMs, tolerance: TOLERANCE }
  return judgeHistory(history, lifetime, known).map(({ contradiction, cause }) => ({
    kind: contradiction.kind,
    atMs: Math.round(contradiction.entry.sentAt),
    cause: cause.name,
    accuses: cause.accuses,
  }))
}
