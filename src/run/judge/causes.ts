/**
 * The causes that explain what contradicts the reference without accusing anybody: the reference says nothing about
 * restarts, limits and the like. Each demands evidence of its own. A new kind of Core is a new row.
 */
import { duration } from '../../duration.js'
import type { HistoryEntry } from '../history.js'
import type { Contradiction, TokenLife } from './contradictions.js'

/** What the causes are judged by. */
export interface Evidence {
  history: readonly HistoryEntry[]
  lives: readonly TokenLife[]
  contradictions: readonly Contradiction[]
  /** What the run found out about this Core by other means. */
  known: KnownHabits
}

/** What a run knows of a Core beside its history. */
export interface KnownHabits {
  /** How many tokens of a user it keeps; absent: as many as the run held. */
  room?: number
  /** Whether the tokens of a user depend on each other, or a token is accepted on some connections only. */
  isEntangled: boolean
  /** Whether fresh tokens need time before they are accepted. */
  warmsUp: boolean
}

/** One row of the table of causes. */
export interface Cause {
  /** Its name, for `explain`: lower-case words with hyphens. */
  name: string
  /** What the judge looks for in the history. */
  looksFor: string
  /** The cause in a sentence without its full stop. */
  words: string
  /** What it explains, in words. */
  explains: string
  /** Returns the contradictions that it explains. */
  find(evidence: Evidence): readonly Contradiction[]
}

/** More restarts than these are no event, but how this Core treats tokens. */
const MOST_RESTARTS = 2
/** A Core that restarts breaks its connections off, which shows when they are used next. */
const BREAKS_OFF_MS = 1000
/** A limit shows within this time: after it, a refusal needs another reason. */
const LIMIT_SHOWS_MS = 60_000
/** Over how long a Core may count logons, in milliseconds. */
const RATE_SPANS_MS = [1000, 5000, 10_000, 60_000]
/** A limit of tokens varies by those under way, at most by this many. */
const UNDER_WAY = 3
/** This many wrong logons in a minute may lock an account for a while. */
const LOCKS_AFTER = 3

const ofLogons = ({ contradictions }: Evidence) => contradictions.filter(({ kind }) => kind === 'logon refused')
const ofTokens = ({ contradictions }: Evidence) =>
  contradictions.filter(({ kind }) => kind === 'died' || kind === 'came back' || kind === 'dead at birth')

/** The causes, the first that explains a contradiction counts. */
export const CAUSES: readonly Cause[] = [
  {
    name: 'entangled-tokens',
    looksFor: 'the survey saw that a logon ends earlier tokens, or that a token is accepted on some connections only',
    words: 'the tokens of a user depend on each other on this Core',
    explains: 'whatever happens to tokens',
    find: evidence => (evidence.known.isEntangled ? evidence.contradictions : []),
  },
  {
    name: 'restart',
    looksFor:
      'no token that was issued before a moment is accepted after it, and several died around it, or one did while connections broke off',
    words: 'the Core was restarted, or its clock was set',
    explains: 'tokens that are refused though they should be valid',
    find: evidence => {
      const restarts = restartsOf(
        ofTokens(evidence).filter(({ kind }) => kind !== 'came back'),
        evidence,
      )
      return restarts.length > MOST_RESTARTS ? [] : restarts.flat()
    },
  },
  {
    name: 'token-room',
    looksFor: 'the run counted how many tokens the Core keeps, and more were alive when a token died',
    words: 'this Core keeps only so many tokens of a user',
    explains: 'tokens that are refused though they should be valid',
    find: evidence => {
      const { room } = evidence.known
      if (room === undefined) return []
      const logons = evidence.lives.map(({ issued }) => issued)
      const isFull = (from: number, to: number) =>
        logons.some(
          ({ sentAt, receivedAt }) => receivedAt > from && sentAt < to && heldAt(evidence.lives, receivedAt) > room,
        )
      return ofTokens(evidence).filter(({ entry, before }) => isFull(before?.sentAt ?? 0, entry.receivedAt))
    },
  },
  {
    name: 'warm-up',
    looksFor: 'the survey saw that fresh tokens need time',
    words: 'fresh tokens need time on this Core',
    explains: 'fresh tokens that are refused at first',
    find: evidence => (evidence.known.warmsUp ? ofTokens(evidence).filter(isWarmingUp) : []),
  },
  {
    name: 'odd-change',
    looksFor:
      'a request that carries the token in a form that the reference does not show was sent before the token died',
    words: 'a request in a form that the reference does not show may have ended the token',
    explains: 'tokens that are refused though they should be valid',
    find: evidence =>
      ofTokens(evidence).filter(({ kind, token = '', entry, before }) => {
        const mayEnd = ({ mayCarry, sentAt, receivedAt }: HistoryEntry) =>
          mayCarry?.includes(token) && sentAt <= entry.receivedAt && receivedAt >= (before?.sentAt ?? 0)
        return kind !== 'came back' && evidence.history.some(mayEnd)
      }),
  },
  {
    name: 'logon-room',
    looksFor: 'logons were refused more than once, and only while about as many tokens were alive as ever',
    words: 'this Core has room for only so many tokens',
    explains: 'logons with the right credentials that are refused',
    find: evidence => {
      const refused = ofLogons(evidence)
      const taken = logons(evidence.history).filter(({ answer }) => answer === 'accepted')
      const most = Math.max(0, ...taken.map(({ sentAt }) => heldAt(evidence.lives, sentAt)))
      const isFull = refused.every(({ entry }) => {
        const held = heldAt(evidence.lives, entry.sentAt)
        return held > 0 && held >= most - UNDER_WAY
      })
      return refused.length > 1 && isFull ? refused : []
    },
  },
  {
    name: 'logon-limit',
    looksFor:
      'the Core asked to come back later (429, 503) around the refusal, or refused more than once when more logons came in a while than it ever took',
    words: 'this Core limits logons',
    explains: 'logons with the right credentials that are refused',
    find: evidence => {
      const all = logons(evidence.history)
      const told = all.filter(({ asksToWait }) => asksToWait)
      const near = (a: HistoryEntry, b: HistoryEntry) => Math.abs(a.sentAt - b.sentAt) < LIMIT_SHOWS_MS
      const refused = ofLogons(evidence)
      const isRate = refused.length > 1 && RATE_SPANS_MS.some(spanMs => separates(all, spanMs))
      return isRate ? refused : refused.filter(({ entry }) => told.some(each => near(each, entry)))
    },
  },
  {
    name: 'lock-out',
    looksFor: `right credentials were refused several times in a row, after ${LOCKS_AFTER} wrong logons within a minute`,
    words: 'the account was locked for a while after wrong logons',
    explains: 'logons with the right credentials that are refused',
    find: evidence => {
      const all = logons(evidence.history)
      const wrong = evidence.history.filter(({ kind }) => kind === 'wrong logon')
      return ofLogons(evidence).filter(({ entry }) => {
        const at = all.indexOf(entry)
        const isRepeated = all[at - 1]?.answer === 'refused' || all[at + 1]?.answer === 'refused'
        const before = wrong.filter(({ sentAt }) => sentAt < entry.sentAt && entry.sentAt - sentAt < LIMIT_SHOWS_MS)
        return isRepeated && before.length >= LOCKS_AFTER
      })
    },
  },
]

/** Returns the losses of all tokens: each with the tokens that died in it, where no older token lives on. */
function restartsOf(dead: readonly Contradiction[], evidence: Evidence): Contradiction[][] {
  const [first, ...others] = dead
  if (!first) return []
  const { lives, history } = evidence
  const isTogether = ({ before }: Contradiction) =>
    (before?.sentAt ?? Number.POSITIVE_INFINITY) < first.entry.receivedAt
  const lost = [first, ...others.filter(isTogether)]
  const fromMs = Math.max(...lost.map(({ before }) => before?.sentAt ?? 0))
  const survives = lives.some(
    ({ issued, uses }) =>
      issued.receivedAt <= fromMs &&
      uses.some(({ sentAt, answer }) => sentAt > first.entry.receivedAt && answer === 'accepted'),
  )
  const later = restartsOf(
    others.filter(each => !isTogether(each)),
    evidence,
  )
  const isBroken = history.some(
    ({ status, receivedAt, sentAt }) =>
      status === undefined && receivedAt >= fromMs && sentAt <= first.entry.receivedAt + BREAKS_OFF_MS,
  )
  return (lost.length > 1 || isBroken) && !survives ? [lost, ...later] : later
}

/** Counts the tokens that were alive at a moment, as far as the history tells: issued, and not revoked. */
function heldAt(lives: readonly TokenLife[], atMs: number): number {
  return lives.filter(({ issued, ended }) => issued.sentAt < atMs && !(ended && ended.sentAt < atMs)).length
}

function isWarmingUp({ kind, entry, before }: Contradiction): boolean {
  return kind !== 'died' || before === undefined || entry.sentAt - before.receivedAt < LIMIT_SHOWS_MS
}

function logons(history: readonly HistoryEntry[]): HistoryEntry[] {
  return history.filter(({ kind }) => kind === 'logon').sort((a, b) => a.sentAt - b.sentAt)
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

/** Says when something happened: `12.3 s after the start of the run`. */
export function when({ sentAt }: HistoryEntry): string {
  return `${duration(sentAt)} after the start of the run`
}
