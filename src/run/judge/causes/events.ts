/** Causes that accuse nobody: what happens to tokens, and the reference says nothing about it. */
import type { HistoryEntry } from '../../../result.js'
import type { Contradiction } from '../contradictions.js'
import { latestMs, type TokenLife, unusedMs } from '../lives.js'
import { type Cause, type Evidence, logons, mostHeld, of, REFUSED_TOKENS, usesOf } from './cause.js'

/** More restarts than these are no event, but how this Core treats tokens. */
const MOST_RESTARTS = 2
/** A Core that restarts breaks its connections off, which shows when they are used next. */
const BREAKS_OFF_MS = 1000
/** A fresh token needs no longer than this, in milliseconds. */
const WARM_UP_MS = 60_000
/** A Date counts whole seconds, and a clock that is set by less than two shows nothing. */
const DATE_MS = 2000

/** The rows of what happens to tokens. */
export const EVENTS: readonly Cause[] = [
  {
    name: 'entangled-tokens',
    looksFor: 'the survey saw that a logon ends earlier tokens, or that a token is accepted on some connections only',
    words: 'the tokens of a user depend on each other on this Core',
    explains: 'whatever happens to tokens',
    predicts: 'a token that was refused is accepted on other connections, or a logon ends the token before it',
    find: evidence => (evidence.known.isEntangled ? evidence.contradictions : []),
  },
  {
    name: 'clock-set',
    looksFor:
      'the Date of the answers moved on by another time than passed, and by that Date the tokens expired, or did not',
    words: 'the clock of the Core was set',
    explains: 'tokens that expire sooner or later than they should',
    predicts: 'the same does not happen again while the clock runs steadily',
    find: evidence => of(evidence, ...REFUSED_TOKENS, 'outlived', 'revived').filter(each => isClockSet(each, evidence)),
  },
  {
    name: 'token-room',
    looksFor: 'the run counted how many tokens the Core keeps, and more were alive when a token died',
    words: 'this Core keeps only so many tokens of a user',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'with fewer tokens none dies; with one more, one does',
    find: evidence => {
      const { room } = evidence.known
      if (room === undefined) return []
      const full = logons(evidence.history).filter(
        logon => logon.answer !== 'refused' && mostHeld(logon, evidence) > room,
      )
      return of(evidence, ...REFUSED_TOKENS).filter(({ entry, before }) =>
        full.some(logon => latestMs(logon) > (before?.sentAt ?? 0) && logon.sentAt < entry.receivedAt),
      )
    },
  },
  {
    name: 'restart',
    looksFor:
      'no token that was issued before a moment is accepted after it, and several died around it, or one did while connections broke off as at no other time',
    words: 'the Core was restarted, or its clock was set',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'tokens that are issued now live on, and no token from before is accepted again',
    find: evidence => {
      const losses = lossesOf(of(evidence, 'died', 'dead at birth'), evidence)
      const several = losses.filter(lost => lost.length > 1)
      return several.length > MOST_RESTARTS ? [] : losses.filter(lost => isRestart(lost, evidence)).flat()
    },
  },
  {
    name: 'warm-up',
    looksFor: 'the survey saw that fresh tokens need time',
    words: 'fresh tokens need time on this Core',
    explains: 'fresh tokens that are refused at first',
    predicts: 'every fresh token is refused at first, and accepted a little later',
    find: evidence =>
      evidence.known.warmsUp ? of(evidence, ...REFUSED_TOKENS, 'revocation refused').filter(isWarmingUp) : [],
  },
  {
    name: 'odd-change',
    looksFor:
      'a request that carries the token in a form that the reference does not show was sent before the token died',
    words: 'a request in a form that the reference does not show may have ended the token',
    explains: 'tokens that are refused though they should be valid',
    predicts: 'the same request ends another token, too',
    find: evidence =>
      of(evidence, 'died', 'dead at birth').filter(({ token = '', entry, before }) => {
        const mayEnd = (each: HistoryEntry) =>
          each.mayCarry?.includes(token) && each.sentAt <= entry.receivedAt && latestMs(each) >= (before?.sentAt ?? 0)
        return evidence.history.some(mayEnd)
      }),
  },
]

/** Whether a token expired as it should by the Core's own clock, which was set meanwhile. */
function isClockSet({ kind, token, entry, before }: Contradiction, evidence: Evidence): boolean {
  if (!before) return false
  const { history, lifetime } = evidence
  const aheadMs = ({ dateMs, wallMs }: HistoryEntry) =>
    dateMs === undefined || wallMs === undefined ? undefined : dateMs - wallMs
  const dated = history.filter(each => aheadMs(each) !== undefined)
  // Whatever may have counted as a use since is of no help: the last one that did count is.
  const isUsed = ({ answer, receivedAt }: HistoryEntry) => answer === 'accepted' && receivedAt <= entry.sentAt
  const alive = (kind === 'outlived' && usesOf(token, evidence).findLast(isUsed)) || before
  const from = dated.findLast(({ receivedAt }) => receivedAt <= alive.receivedAt) ?? dated[0]
  const until = dated.find(({ receivedAt }) => receivedAt >= entry.receivedAt)
  const byMs = ((until && aheadMs(until)) ?? 0) - ((from && aheadMs(from)) ?? 0)
  if (kind === 'revived') return byMs < -DATE_MS
  const ownMs = unusedMs(alive, entry) + byMs
  const { lifetimeMs, tolerance } = lifetime
  if (kind === 'outlived') return byMs < -DATE_MS && ownMs < lifetimeMs * (1 + tolerance) + DATE_MS
  return byMs > DATE_MS && ownMs > lifetimeMs * (1 - tolerance) - DATE_MS
}

/** Returns the losses of all tokens: each with the tokens that died in it, where no older token lives on. */
function lossesOf(dead: readonly Contradiction[], evidence: Evidence): Contradiction[][] {
  const [first, ...others] = dead
  if (!first) return []
  const isTogether = ({ before }: Contradiction) =>
    (before?.sentAt ?? Number.POSITIVE_INFINITY) < first.entry.receivedAt
  const lost = [first, ...others.filter(isTogether)]
  const fromMs = lastAliveMs(lost)
  const survives = evidence.lives.some(
    ({ issued, uses }) =>
      issued.receivedAt <= fromMs &&
      uses.some(({ sentAt, answer }) => sentAt > first.entry.receivedAt && answer === 'accepted'),
  )
  const later = lossesOf(
    others.filter(each => !isTogether(each)),
    evidence,
  )
  return survives ? later : [lost, ...later]
}

/** Whether the loss of all tokens looks like a restart: several died, or connections broke off at that time only. */
function isRestart(lost: readonly Contradiction[], { lives, history, lifetime }: Evidence): boolean {
  const [first] = lost
  if (!first) return false
  const fromMs = lastAliveMs(lost)
  const broken = history.filter(
    ({ status, sentAt, receivedAt }) => status === undefined && receivedAt - sentAt < BREAKS_OFF_MS,
  )
  const near = broken.filter(
    ({ receivedAt, sentAt }) => receivedAt >= fromMs && sentAt <= first.entry.receivedAt + BREAKS_OFF_MS,
  )
  if (lost.length === 1) return near.length > 0 && near.length === broken.length
  if (near.length > 0) return true
  // Tokens that end together for their age, or for lack of use, end so each time.
  const { lifetimeMs, tolerance } = lifetime
  const ended = new Map(lost.map(({ token, entry }) => [token, entry]))
  const youngestMs = Math.min(...lives.map(({ token, issued }) => ageMs(issued, ended.get(token))))
  const oldestMs = Math.max(...lives.map(({ issued, uses }) => ageMs(issued, uses.findLast(isTaken), 0)))
  const isOfAge = youngestMs >= lifetimeMs * (1 - tolerance) && oldestMs <= lifetimeMs * (1 + tolerance)
  const gapMs = Math.min(...lost.map(({ before, entry }) => (before ? unusedMs(before, entry) : 0)))
  return !isOfAge && lives.some(life => longestGapMs(life) >= gapMs)
}

const isTaken = ({ answer }: HistoryEntry) => answer === 'accepted'

/** The longest time that may have passed from a logon to a use; `otherwise` where there is no such use. */
function ageMs(issued: HistoryEntry, use: HistoryEntry | undefined, otherwise = Number.POSITIVE_INFINITY): number {
  return use ? unusedMs(issued, use) : otherwise
}

/** When the last of the lost tokens was accepted last, in milliseconds on the clock of the run. */
function lastAliveMs(lost: readonly Contradiction[]): number {
  return Math.max(...lost.map(({ before }) => before?.sentAt ?? 0))
}

/** The longest time without use after which a token was accepted. */
function longestGapMs({ issued, uses }: TokenLife): number {
  let alive = issued
  let longestMs = 0
  for (const entry of uses) {
    if (entry.answer !== 'accepted') continue
    longestMs = Math.max(longestMs, entry.sentAt - alive.receivedAt)
    alive = entry
  }
  return longestMs
}

function isWarmingUp({ kind, entry, before }: Contradiction): boolean {
  return kind !== 'died' || before === undefined || entry.sentAt - before.receivedAt < WARM_UP_MS
}
