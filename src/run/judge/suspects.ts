/** Tells what ended tokens: of all that could have, what fits best to the tokens that died and to those that lived on. */
import type { HistoryEntry } from '../../result.js'
import type { Contradiction } from './contradictions.js'
import { certainUses, type Lifetime, type TokenLife, unusedMs } from './lives.js'

/**
 * What may end a token. `birth`: its own logon. `logon`, `wrong logon`, `revocation`: a request of that kind that concerns
 * others. `no host`: a request without Host. `idleness`: a time without use that is shorter than its lifetime. `age`: a lifetime since
 * its logon. `chance`: nothing that the history shows.
 */
export type Suspect = 'birth' | 'logon' | 'wrong logon' | 'revocation' | 'no host' | 'idleness' | 'age' | 'chance'

/** A look at a token that should be valid, with the last moment at which it was. */
interface Look {
  life: TokenLife
  from: HistoryEntry
  to: HistoryEntry
  isDead: boolean
}

/** What a request does to other tokens shows at the latest this long after its answer, in milliseconds. */
const LATE_MS = 1000

/** What the suspicion is based on. */
interface Case {
  looks: readonly Look[]
  history: readonly HistoryEntry[]
  lifetime: Lifetime
}

/** One suspect: the looks to which it applies. */
interface Row {
  name: Suspect
  /** How many looks there were to choose from where it is chosen to fit the event, as a threshold is: the more, the less it is believed. */
  fitted?: (looks: Case) => number
  applies(looks: Case): readonly Look[]
}

const all = ({ looks }: Case) => looks.length

/** A request that may have ended a token by its answer, or a little later. */
function beside(name: Suspect, is: (entry: HistoryEntry, life: TokenLife) => boolean): Row[] {
  const within =
    (lateMs: number) =>
    ({ looks, history }: Case) =>
      looks.filter(({ life, from, to }) =>
        history.some(
          entry => entry.receivedAt + lateMs >= from.sentAt && entry.sentAt <= to.receivedAt && is(entry, life),
        ),
      )
  return [
    { name, applies: within(0) },
    { name, fitted: all, applies: within(LATE_MS) },
  ]
}
const beyond =
  (measure: (look: Look) => number, atLeast: (lifetime: Lifetime) => number) =>
  ({ looks, lifetime }: Case) => {
    const fromMs = Math.min(...looks.filter(({ isDead }) => isDead).map(measure))
    return fromMs < atLeast(lifetime) ? [] : looks.filter(look => measure(look) >= fromMs)
  }

const SUSPECTS: readonly Row[] = [
  { name: 'birth', applies: ({ looks }) => looks.filter(({ life, from }) => from === life.issued) },
  ...beside(
    'logon',
    ({ kind, answer, issued }, { token }) => kind === 'logon' && answer !== 'refused' && issued !== token,
  ),
  ...beside('wrong logon', ({ kind, answer }) => kind === 'wrong logon' || (kind === 'logon' && answer === 'refused')),
  ...beside('revocation', ({ kind, token }, life) => kind === 'revocation' && token !== life.token),
  ...beside('no host', ({ kind }) => kind === 'no host'),
  {
    name: 'age',
    // A token ends with its lifetime or later: younger ones say nothing of that.
    fitted: ({ looks, lifetime }) =>
      looks.filter(({ life, to }) => unusedMs(life.issued, to) >= lifetime.lifetimeMs * (1 - lifetime.tolerance))
        .length,
    applies: beyond(
      ({ life, to }) => unusedMs(life.issued, to),
      ({ lifetimeMs, tolerance }) => lifetimeMs * (1 - tolerance),
    ),
  },
  {
    name: 'idleness',
    fitted: all,
    applies: beyond(
      ({ from, to }) => unusedMs(from, to),
      () => LATE_MS,
    ),
  },
  { name: 'chance', applies: ({ looks }) => looks },
]

/** Returns what fits best to the end of these tokens: what applies to all of them, and to the fewest that lived on. */
export function suspectOf(
  dead: readonly Contradiction[],
  { history, lives, lifetime }: { history: readonly HistoryEntry[]; lives: readonly TokenLife[]; lifetime: Lifetime },
): Suspect {
  const ends = new Set(dead.map(({ entry }) => entry))
  const looks = lives.flatMap(life => looksAt(life, lifetime, ends))
  const scores = SUSPECTS.map(({ name, fitted, applies }) => {
    const those = applies({ looks, history, lifetime })
    const died = those.filter(({ isDead }) => isDead).length
    const score = died < ends.size ? Number.NEGATIVE_INFINITY : fit(died, those.length)
    return { name, score: fitted ? score - Math.log(fitted({ looks, history, lifetime })) : score }
  })
  return scores.reduce((best, each) => (each.score > best.score ? each : best)).name
}

/** The logarithm of how likely it is that of so many looks to which a suspect applies so many end a token. */
function fit(died: number, of: number): number {
  const part = (some: number) => (some === 0 ? 0 : some * Math.log(some / of))
  return part(died) + part(of - died)
}

function looksAt(life: TokenLife, { lifetimeMs, tolerance }: Lifetime, ends: ReadonlySet<HistoryEntry>): Look[] {
  const looks: Look[] = []
  let from = life.issued
  // Its revocation is one where it was refused.
  const last = life.ended && ends.has(life.ended) ? [life.ended] : []
  for (const to of [...certainUses(life), ...last]) {
    const isDead = ends.has(to)
    if ((isDead || to.answer === 'accepted') && unusedMs(from, to) < lifetimeMs * (1 - tolerance))
      looks.push({ life, from, to, isDead })
    if (isDead) break
    if (to.answer === 'accepted') from = to
  }
  return looks
}
