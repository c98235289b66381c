/** Causes that accuse nobody: limits of what a Core gives, of which the reference says nothing. */
import { LOGON_SPANS_MS } from '../../../ground/logon-spans.js'
import type { HistoryEntry } from '../../../result.js'
import type { Contradiction, ContradictionKind } from '../contradictions.js'
import { certainUses, isCertain, unusedMs } from '../lives.js'
import { type Cause, type Evidence, logons, mostHeld, of, REFUSED_TOKENS } from './cause.js'

/** A limit shows within this time: after it, a refusal needs another reason. */
const LIMIT_SHOWS_MS = 60_000
/** This many wrong logons within this time may lock an account for a while. */
const LOCKS_AFTER = 3
const LOCKS_WITHIN_MS = 10 * 60_000
/** For a second at least: a shorter lock-out would stop nobody. */
const LOCKS_FOR_MS = 1000
/** This many refusals in so many milliseconds may get a client banned for a while. */
const BANS_AFTER = { refusals: 5, inMs: 10_000, atLeastMs: 1000 }
/** What shows that a token was good when it was refused. */
const LIVED_ON: ReadonlySet<ContradictionKind> = new Set(['came back', 'revocation refused'])

/** Beside so many tokens a single refused logon shows a lack of room, where none was taken beside as many in a whole run. */
const MANY = 8

/** The rows of limits. */
export const LIMITS: readonly Cause[] = [
  {
    name: 'lock-out',
    looksFor: `right credentials were refused more than once, for a second at least, after ${LOCKS_AFTER} wrong logons`,
    words: 'the account was locked for a while after wrong logons',
    explains: 'logons with the right credentials that are refused',
    predicts: 'the same logon is taken a while later, and tokens are accepted meanwhile',
    find: evidence => {
      const all = logons(evidence.history)
      const wrong = evidence.history.filter(({ kind }) => kind === 'wrong logon')
      return of(evidence, 'logon refused').filter(({ entry }) => {
        const at = all.indexOf(entry)
        const from = all.findLastIndex(({ answer }, index) => index < at && answer === 'accepted')
        const to = all.findIndex(({ answer }, index) => index > at && answer === 'accepted')
        const tries = all.slice(from + 1, to < 0 ? all.length : to)
        // A good logon between them does not make every Core count anew.
        const lockedMs = all.findLast(({ answer }, index) => index < from && answer === 'refused')?.sentAt ?? -1
        const since = wrong.filter(({ sentAt }) => sentAt > lockedMs)
        // Those in a row count, however long ago they were.
        const goodMs = all[from]?.sentAt ?? -1
        const before = ({ receivedAt }: HistoryEntry) =>
          since.filter(
            ({ sentAt }) => sentAt < receivedAt && (receivedAt - sentAt < LOCKS_WITHIN_MS || sentAt > goodMs),
          )
        const isLocked = tries.every(each => each.answer !== 'refused' || before(each).length >= LOCKS_AFTER)
        const lastMs = before(entry).findLast(({ answer }) => answer === 'refused')?.sentAt ?? 0
        const next = all[to]
        return tries.length > 1 && isLocked && (!next || next.receivedAt - lastMs > LOCKS_FOR_MS)
      })
    },
  },
  {
    name: 'logon-room',
    looksFor:
      'logons were refused more than once, or once beside many tokens, each while as many may have been alive as at no logon that was taken',
    words: 'this Core has room for only so many tokens',
    explains: 'logons with the right credentials that are refused',
    predicts: 'a logon is taken again as soon as one token is given back',
    find: evidence => {
      const refused = of(evidence, 'logon refused', 'logon empty')
      const { history, lives, lifetime } = evidence
      const all = logons(history)
      const least = (at: HistoryEntry) => lives.filter(life => isCertain(life, at, lifetime)).length
      const room = Math.min(...refused.map(({ entry }) => mostHeld(entry, evidence)))
      const fits = all.every(entry => least(entry) < room + (entry.issued === undefined ? 1 : 0))
      const isTold = refused.length > 1 ? room > 0 : room >= MANY
      return isTold && fits ? refused : []
    },
  },
  {
    name: 'logon-limit',
    looksFor:
      'the Core asked to come back later (429, 503) at the logon before or after, or refused more than once when more logons came in a while than it ever took',
    words: 'this Core limits logons',
    explains: 'logons with the right credentials that are refused',
    predicts: 'a while later the same logon is taken, however many tokens are alive',
    find: evidence => {
      const all = logons(evidence.history)
      const refused = of(evidence, 'logon refused')
      const isRate = refused.length > 1 && LOGON_SPANS_MS.some(spanMs => separates(all, spanMs))
      const isTold = ({ entry }: Contradiction) => {
        const at = all.indexOf(entry)
        return [all[at - 1], all[at + 1]].some(
          each => each?.asksToWait && Math.abs(each.sentAt - entry.sentAt) < LIMIT_SHOWS_MS,
        )
      }
      return isRate ? refused : refused.filter(isTold)
    },
  },
  {
    name: 'ban',
    looksFor: `${BANS_AFTER.refusals} refusals in ${BANS_AFTER.inMs / 1000} s, then a while in which several good requests came and none was accepted`,
    words: 'the Core served nobody for a while after many refusals',
    explains: 'good tokens and right credentials that are refused',
    predicts: 'after a while without requests, all of them are accepted again',
    find: evidence => {
      const good = of(evidence, ...REFUSED_TOKENS, 'logon refused', 'revocation refused')
      return good.filter(each => isBanned(each, good, evidence))
    },
  },
]

/** Whether a refusal is one of several good requests in a while without any accepted one, which came after many refusals. */
function isBanned(
  { entry, token, before = entry, kind }: Contradiction,
  good: readonly Contradiction[],
  evidence: Evidence,
): boolean {
  const { history, lifetime } = evidence
  const [fromMs, untilMs] = unserved(entry, history)
  const held = new Map(evidence.lives.map(life => [life.token, life]))
  const refused = history.filter(({ answer }) => answer === 'refused')
  const within = refused.filter(({ sentAt }) => sentAt >= fromMs && sentAt < untilMs)
  const isGood = ({ kind, token, sentAt }: HistoryEntry) => {
    const life = token === undefined ? undefined : held.get(token)
    return kind === 'logon' || (life && !(life.revoked && life.revoked.sentAt < sentAt))
  }
  const firstMs = Math.min(...within.map(({ sentAt }) => sentAt))
  // Tokens that died would be refused, too. A logon, or a token that was accepted later, was certainly good.
  const livedOn = new Set(good.flatMap(each => (LIVED_ON.has(each.kind) ? [each.entry] : [])))
  const isCertainlyGood = (each: HistoryEntry) => each.kind === 'logon' || livedOn.has(each)
  const earlier = refused.filter(({ sentAt }) => sentAt < entry.sentAt && entry.sentAt - sentAt < BANS_AFTER.inMs)
  const isRefused = (use: HistoryEntry) =>
    use.answer === 'refused' && use.sentAt >= untilMs && unusedMs(before, use) < lifetime.lifetimeMs / 2
  const isServed = (use: HistoryEntry) => {
    const [from, until] = unserved(use, history)
    return until - from < BANS_AFTER.atLeastMs
  }
  const life = held.get(token ?? '')
  const isDead = life && certainUses(life).some(use => isRefused(use) && isServed(use))
  return (
    within.filter(isGood).length > 1 &&
    within.some(isCertainlyGood) &&
    untilMs - firstMs > BANS_AFTER.atLeastMs &&
    earlier.length >= BANS_AFTER.refusals &&
    (kind === 'came back' || !isDead)
  )
}

/** The time around a request in which nothing was accepted, in milliseconds on the clock of the run. */
function unserved({ sentAt, receivedAt }: HistoryEntry, history: readonly HistoryEntry[]): [number, number] {
  const taken = history.filter(({ answer }) => answer === 'accepted')
  const from = taken.findLast(each => each.receivedAt <= sentAt)
  const until = taken.find(each => each.sentAt >= receivedAt)
  return [from?.receivedAt ?? 0, until?.sentAt ?? Number.POSITIVE_INFINITY]
}

/** Whether every refused logon came after more logons in this time than any that was taken. */
function separates(all: readonly HistoryEntry[], spanMs: number): boolean {
  const before = (entry: HistoryEntry) =>
    all.filter(({ sentAt, answer }) => answer === 'accepted' && sentAt < entry.sentAt && entry.sentAt - sentAt < spanMs)
      .length
  const refused = all.filter(({ answer }) => answer === 'refused').map(before)
  const taken = all.filter(({ answer }) => answer === 'accepted').map(before)
  return Math.min(...refused) > 0 && Math.min(...refused) >= Math.max(0, ...taken)
}
